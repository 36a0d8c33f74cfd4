import { describe, expect, it } from "vitest";
import { plain, sections, sorted, sortValue, withoutKind } from "./sheet";
import type { Block } from "../protocol/Block";
import type { Cell } from "../protocol/Cell";
import type { Row } from "../protocol/Row";

const number = (value: number): Cell => ({
  is: "number",
  value,
  text: `${value} s`,
  exact: `${value}`,
  share: null,
});
const row = (...cells: Cell[]): Row => ({
  cells,
  selection: null,
  depth: 0,
  state: { lit: false, critical: false, open: false, holds: false },
});
const columns = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ name: `${i}`, title: "", about: "", unit: null, sorts: true }));
const table = (n: number): Block => ({
  is: "table",
  table: { columns: columns(n), rows: [], total: 0, more: false },
});
const text = (of: string): Block => ({ is: "text", text: of, tone: "plain" });

describe("sections of a sheet", () => {
  it("begin with a heading; what stands before the first takes the whole width", () => {
    const made = sections([
      text("a"),
      { is: "head", text: "One" },
      text("b"),
      text("c"),
      { is: "head", text: "Two" },
    ]);
    expect(made.map((s) => [s.head, s.blocks.length, s.wide])).toEqual([
      ["", 1, true],
      ["One", 2, false],
      ["Two", 0, false],
    ]);
  });
  it("are cards for everything that follows findings", () => {
    const finding = { is: "finding" } as Block;
    const facts: Block = { is: "facts", rows: [] };
    const made = sections([
      { is: "head", text: "Most" },
      finding,
      finding,
      facts,
      table(2),
      table(8),
      text("a"),
    ]);
    expect(made.map((s) => [s.head, s.blocks.map((b) => b.is).join(" "), s.wide])).toEqual([
      ["Most", "finding finding", true],
      ["", "facts", false],
      ["", "table", false],
      ["", "table text", true],
    ]);
  });
  it("are wide for what needs room", () => {
    const wide = (block: Block): boolean => sections([{ is: "head", text: "x" }, block])[0]!.wide;
    expect([wide(table(3)), wide(table(8)), wide(text("a"))]).toEqual([false, true, false]);
  });
  it("are none of nothing", () => expect(sections([])).toEqual([]));
});

describe("rows of a table", () => {
  it("are sorted by numbers, what is not available last, either way", () => {
    const rows = [row(number(2)), row({ is: "none" }), row(number(10)), row(number(-1))];
    expect(sorted(rows, 0, true).map((r) => sortValue(r.cells[0]))).toEqual([10, 2, -1, null]);
    expect(sorted(rows, 0, false).map((r) => sortValue(r.cells[0]))).toEqual([-1, 2, 10, null]);
  });
  it("are sorted by words as people count", () => {
    const of = (name: string): Row => row({ is: "text", text: name });
    expect(sorted([of("line 10"), of("line 9"), of("A")], 0, false).map((r) => plain(r.cells[0]!))).toEqual([
      "A",
      "line 9",
      "line 10",
    ]);
  });
  it("are sorted by how much two values differ", () => {
    expect(sortValue({ is: "difference", here: 5, there: 8, text: "" })).toBe(3);
  });
});

describe("a cell in plain text", () => {
  it("says what it shows", () => {
    expect(plain({ is: "none" })).toBe("–");
    expect(plain(number(3))).toBe("3 s");
    expect(plain({ is: "shares", parts: [{ fill: 1, share: 0.5, name: "a", text: "50 %" }] })).toBe("a 50 %");
  });
});

describe("a title", () => {
  it("is without the kind that stands beside it", () => {
    expect(withoutKind("box main.c:3", "box")).toBe("main.c:3");
    expect(withoutKind("main.c:3", "")).toBe("main.c:3");
  });
});
