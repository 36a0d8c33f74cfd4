import { describe, expect, it } from "vitest";
import { fitting, inOneLine, place, type Wish } from "./labels";

/** Every letter is ten pixels wide. */
const measure = (text: string): number => text.length * 10;
const wish = (text: string, x: number, y: number, room: number): Wish => ({
  text,
  x,
  y,
  room,
  align: "start",
  colour: "#000",
});

it("keeps the line of a source position", () => {
  const measure = (t: string) => t.length;
  expect(fitting("sort.c:120", 10, measure)).toBe("sort.c:120");
  expect(fitting("sort.c:120", 9, measure)).toBe("…rt.c:120");
  expect(fitting("sort.c:120", 6, measure)).toBe("…c:120");
  expect(fitting("sort.c:120", 5, measure)).toBe("");
});

it("keeps how many a fold stands for", () => {
  const measure = (t: string) => t.length;
  expect(fitting("× 28 others", 11, measure)).toBe("× 28 others");
  expect(fitting("× 28 others", 9, measure)).toBe("× 28");
  expect(fitting("× 12\u2009345 more", 9, measure)).toBe("× 12\u2009345");
  expect(fitting("× 12\u2009345 more", 7, measure)).toBe("×12.3\u2009k");
  expect(fitting("× 28 others", 2, measure)).toBe("");
});

it("says in one line what is in a closed group, the count before the name", () => {
  const said = (room: number) =>
    place(
      [{ ...wish("lu.c:97", 0, 10, room), forms: inOneLine("lu.c:97", "96 grains · 5 ms") }],
      12,
      measure,
    )[0]?.text;
  expect(said(300)).toBe("lu.c:97 · 96 grains · 5 ms");
  expect(said(200)).toBe("lu.c:97 · 96 grains");
  expect(said(180)).toBe("96 grains · 5 ms");
  expect(said(100)).toBe("96 grains");
  expect(said(70)).toBe("lu.c:97");
  expect(inOneLine("× 28 others", "96 grains · 5 ms")).not.toContain("96 grains");
});

describe("labels", () => {
  it("shortens by parts before it cuts", () => {
    expect(fitting("task sort.c:1 · 2 ms", 300, measure)).toBe("task sort.c:1 · 2 ms");
    expect(fitting("task sort.c:1 · 2 ms", 150, measure)).toBe("task sort.c:1");
    expect(fitting("task sort.c:1 · 2 ms", 90, measure)).toBe("sort.c:1");
  });
  it("cuts at whole letters with an ellipsis, or says nothing", () => {
    expect(fitting("abcdefghij", 80, measure)).toBe("abcdefg…");
    expect(fitting("abcdefghij", 70, measure)).toBe("abcdef…");
    expect(fitting("abcdefghij", 60, measure)).toBe("");
  });
  it("never lets two overlap, the first wins", () => {
    const set = place(
      [wish("aaaa", 0, 10, 100), wish("bbbb", 30, 12, 100), wish("cccc", 30, 40, 100)],
      12,
      measure,
    );
    expect(set.map((l) => l.text)).toEqual(["aaaa", "cccc"]);
  });
  it("lets lines that only touch stand", () => {
    const set = place([wish("aaaa", 0, 10, 100), wish("bbbb", 0, 23, 100)], 12, measure);
    expect(set.length).toBe(2);
  });
  it("anchors at the start, the middle and the end", () => {
    const at = (align: Wish["align"]) =>
      place([{ ...wish("aaaa", 100, 10, 90), align }], 12, measure)[0]!.left;
    expect([at("start"), at("middle"), at("end")]).toEqual([100, 80, 60]);
  });
});
