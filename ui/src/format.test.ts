import { describe, expect, it } from "vitest";
import { exact, percent, place, quantity, separated, short, three, time, titleParts, withoutKind } from "./format";

const thin = (text: string) => text.replaceAll("_", "\u2009");

it("titles do not repeat the kind beside them", () => {
  expect(withoutKind("linear group sort.c:30", "linear group")).toBe("sort.c:30");
  expect(withoutKind("task", "task")).toBe("task");
  expect(withoutKind("tasks of fib", "task")).toBe("tasks of fib");
});

describe("numbers", () => {
  it("keeps three significant digits", () => {
    expect(three(3.5149)).toBe("3.51");
    expect(three(35.149)).toBe("35.1");
    expect(three(351.49)).toBe("351");
    expect(three(0.0123)).toBe("0.0123");
    expect(three(9.999)).toBe("10.0");
    expect(three(99.96)).toBe("100");
  });
  it("separates thousands with thin spaces", () => {
    expect(separated(20_000_000)).toBe(thin("20_000_000"));
    expect(separated(999)).toBe("999");
    expect(short(20_000_000)).toBe(thin("20.0_M"));
    expect(short(4096)).toBe(thin("4_096"));
  });
  it("says times in the unit that fits, and carries when rounding", () => {
    expect(time(45, "ns")).toBe(thin("45_ns"));
    expect(time(12_300, "ns")).toBe(thin("12.3_µs"));
    expect(time(999_999, "ns")).toBe(thin("1.00_ms"));
    expect(time(851_234_567, "ns")).toBe(thin("851_ms"));
    expect(time(3_512_000_000, "ns")).toBe(thin("3.51_s"));
    expect(time(1_234_567, "ticks")).toBe(thin("1.23_Mticks"));
  });
  it("formats facts by their unit", () => {
    expect(quantity(510, "")).toBe("510");
    expect(quantity(1012, "number")).toBe("1012");
    expect(quantity(3.9912, "ratio")).toBe("3.99");
    expect(quantity(1536, "bytes")).toBe(thin("1.50_KiB"));
    expect(exact(1234567, "ns")).toBe(thin("1_234_567_ns"));
  });
  it("says small percentages without pretending they are zero", () => {
    expect(percent(0.8812)).toBe(thin("88_%"));
    expect(percent(0.0123)).toBe(thin("1.2_%"));
    expect(percent(0.00001)).toBe(thin("< 0.1_%"));
    expect(percent(0)).toBe(thin("0.0_%"));
  });
  it("shortens source positions", () => {
    expect(place("/home/a/src/fib.c:12")).toBe("fib.c:12");
    expect(place("fib.c:12")).toBe("fib.c:12");
  });
});

it("parts a title into a short kind and a name", () => {
  expect(titleParts("fork-join group lu.c:97")).toEqual({ kind: "fork-join", name: "lu.c:97" });
  expect(titleParts("folded tasks #7")).toEqual({ kind: "folded", name: "#7" });
  expect(titleParts("task sort.c:12")).toEqual({ kind: "task", name: "sort.c:12" });
  expect(titleParts("program")).toEqual({ kind: "", name: "program" });
});
