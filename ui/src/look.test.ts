import { describe, expect, it } from "vitest";
import { inSteps, keyOf, lookOf, withSelected } from "./look";
import { RUNS } from "./testing/samples";
import { firstPage, paneOf, withLens, withOption, withTree } from "./state";
import type { Selection } from "./protocol/Selection";
import type { View } from "./protocol/View";
import { isShown, keysOf, listed, ownerOf, tableOf, tableTree, viewOf } from "./views";

const size = { w: 100, h: 50 };
const graph = viewOf(RUNS[0], "sample.graph")!;

describe("the look of a pane", () => {
  it("has its trees, its options and the scope of its run, nothing else", () => {
    let s = withTree(firstPage(RUNS), 0, "things", { cut: "1-3" });
    s = withTree(s, 0, "parts", { cut: "9" });
    s = withOption(withOption(s, "sample.graph", "colour", "b"), "sample.graph", "unknown", "x");
    s = { ...s, runs: s.runs.map((r, i) => (i === 0 ? { ...r, scope: { time: [1, 2] } } : r)) };
    expect(lookOf(s, RUNS[0]!, graph, { ...paneOf("sample.graph", 0), against: [1] }, size)).toEqual({
      v: 1,
      view: "sample.graph",
      run: 0,
      against: { runs: [1] },
      trees: { things: { with: {}, cut: "1-3" } },
      options: { colour: "b" },
      scope: { time: [1, 2] },
      size,
    });
  });
  it("is the same picture whatever is selected", () => {
    const look = lookOf(firstPage(RUNS), RUNS[0]!, graph, paneOf("sample.graph", 0), size);
    const selected = { run: 0, tree: "things", nodes: "1" };
    const other = lookOf({ ...firstPage(RUNS), selected }, RUNS[0]!, graph, paneOf("sample.graph", 0), size);
    expect(keyOf(other)).toBe(keyOf(look));
    expect(withSelected(other, selected)).not.toEqual(look);
    const lens = lookOf(
      withLens(firstPage(RUNS), 0, "things", { name: "low" }),
      RUNS[0]!,
      graph,
      paneOf("sample.graph", 0),
      size,
    );
    expect(keyOf(lens)).not.toBe(keyOf(look));
  });
  it("is another picture where the view is about what is selected in its run", () => {
    const about: View = { ...graph, follows: true };
    const of = (selected: Selection | null) =>
      keyOf(lookOf({ ...firstPage(RUNS), selected }, RUNS[0]!, about, paneOf("sample.graph", 0), size));
    expect(of({ run: 0, tree: "things", nodes: "1" })).not.toBe(of(null));
    expect(of({ run: 0, tree: "things", nodes: "1" })).not.toBe(of({ run: 0, tree: "things", nodes: "2" }));
    expect(of({ run: 1, tree: "things", nodes: "1" })).toBe(of(null));
  });
  it("is asked for sizes in steps", () => expect(inSteps(1001, 633)).toEqual(inSteps(1003, 630)));
});

describe("views", () => {
  it("are listed unless they are hidden", () => {
    expect(listed(RUNS[0]!).map((v) => v.name)).toEqual([
      "sample.first",
      "sample.graph",
      "sample.time",
      "sample.table",
    ]);
    expect(viewOf(RUNS[0], "sample.strip")?.hidden).toBe(true);
    expect(viewOf(RUNS[0], "nothing")).toBeUndefined();
  });
  it("have a table for every tree, asked for with the look of the view that draws it", () => {
    const table = tableOf(RUNS[0]!, "things")!;
    const s = firstPage(RUNS);
    expect(tableTree(s, table, RUNS[0])).toBe("things");
    const parts = withOption(s, table.name, "tree", "parts");
    expect(tableTree(parts, table, RUNS[0])).toBe("parts");
    expect(tableTree(withOption(s, table.name, "tree", "nothing"), table, RUNS[0])).toBe("things");
    expect(ownerOf(RUNS[0]!, "things", table).name).toBe("sample.graph");
    expect(ownerOf(RUNS[0]!, "parts", table)).toBe(table);
  });
  it("compare sheets about two runs with the next one", () => {
    const two: View = { ...viewOf(RUNS[0], "sample.first")!, compares: "two" };
    const against = (run: number, runs = RUNS) =>
      lookOf(firstPage(runs), RUNS[run]!, two, paneOf(two.name, run), size).against;
    expect([against(0), against(1), against(0, RUNS.slice(0, 1))]).toEqual([
      { runs: [1] },
      { runs: [0] },
      undefined,
    ]);
  });
  it("have trees with the parameter of the state", () => {
    const s = withTree(firstPage(RUNS), 0, "things/3f", { cut: "1" });
    expect(keysOf(s, 0, { ...graph, trees: ["things/*", "parts"] }, RUNS[0])).toEqual(["things/3f", "parts"]);
    expect(keysOf(s, 1, { ...graph, trees: ["things/*", "parts"] }, RUNS[1])).toEqual(["parts"]);
  });
  it("show an option while another has its value", () => {
    const deep = graph.options[1]!;
    expect(isShown(deep, graph.options, {})).toBe(false);
    expect(isShown(deep, graph.options, { colour: "b" })).toBe(true);
  });
});
