import { describe, expect, it } from "vitest";
import { count, firstOf, has, ranges, same, single, textOf } from "./selection";

describe("nodes as text", () => {
  it("are read and searched", () => {
    const of = ranges("3,17-19")!;
    expect(of).toEqual([
      [3, 3],
      [17, 19],
    ]);
    expect([2, 3, 4, 16, 17, 19, 20].map((n) => has(of, n))).toEqual([
      false,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(count(of)).toBe(4);
    expect(ranges("")).toEqual([]);
    for (const wrong of ["a", "3-", "7-5", "1,,2", "-", "4294967296", "1 2"])
      expect(ranges(wrong), wrong).toBeNull();
  });
  it("are joined", () => {
    expect(textOf([5, 6, 1, 7, 6])).toBe("1,5-7");
    expect(textOf([])).toBe("");
  });
});

describe("selections", () => {
  it("are the same when all their parts are", () => {
    const a = single(0, "things", 4);
    expect(same(a, { ...a })).toBe(true);
    expect(same(a, { ...a, to: "5" })).toBe(false);
    expect(same(a, { ...a, time: [1, 2] })).toBe(false);
    expect(same(null, null)).toBe(true);
    expect(same(a, null)).toBe(false);
    expect([firstOf(a), firstOf({ ...a, nodes: "" })]).toEqual([4, -1]);
  });
});
