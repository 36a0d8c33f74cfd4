import { describe, expect, it } from "vitest";
import { RUNS } from "./testing/samples";
import {
  alone,
  applied,
  closed,
  comparing,
  firstPage,
  mates,
  paneOf,
  places,
  showing,
  split,
  swapped,
  treeOf,
  withCarried,
  withLens,
  withOption,
  withPane,
  withTree,
  withTreeOption,
  withView,
  withWindow,
  type Page,
} from "./state";
import type { Look } from "./protocol/Look";

const one = (): Page => firstPage(RUNS.slice(0, 1));
const two = (): Page => firstPage(RUNS);
const anywhere = () => true;
const names = (s: Page): string[] => s.panes.map((p) => `${p.view}:${p.run}`);

describe("the first page", () => {
  it("is the first view of each run", () => {
    expect(names(one())).toEqual(["sample.first:0"]);
    expect(names(two())).toEqual(["sample.first:0", "sample.first:1"]);
    expect(two().grid).toEqual([1, 1]);
  });
});

describe("panes", () => {
  it("are split beside and below, four at most", () => {
    const beside = split(one(), "right", paneOf("b", 0));
    expect([names(beside), beside.grid, beside.active]).toEqual([["sample.first:0", "b:0"], [1, 1], 1]);
    const below = split(beside, "below", paneOf("c", 0));
    expect([names(below), below.grid, below.active]).toEqual([["sample.first:0", "b:0", "c:0"], [1, 2], 2]);
    const four = split({ ...below, active: 0 }, "below", paneOf("d", 0));
    expect([names(four), four.grid]).toEqual([
      ["sample.first:0", "d:0", "b:0", "c:0"],
      [2, 2],
    ]);
    expect(split(four, "right", paneOf("e", 0))).toBe(four);
    expect(places(four.grid)).toEqual([
      { column: 0, row: 0, rows: 2 },
      { column: 0, row: 1, rows: 2 },
      { column: 1, row: 0, rows: 2 },
      { column: 1, row: 1, rows: 2 },
    ]);
  });
  it("keep the column of their neighbours when they are closed", () => {
    const three = split(split(one(), "right", paneOf("b", 0)), "below", paneOf("c", 0));
    const without = closed(three, 1);
    expect([names(without), without.grid, without.active]).toEqual([["sample.first:0", "c:0"], [1, 1], 1]);
    expect(closed(three, 0).grid).toEqual([2]);
    const last = closed(closed(three, 2), 1);
    expect([names(last), last.grid, last.active]).toEqual([["sample.first:0"], [1], 0]);
    expect(closed(last, 0)).toBe(last);
  });
  it("change places, and what was active stays active", () => {
    const s = swapped(two());
    expect([names(s), s.active]).toEqual([["sample.first:1", "sample.first:0"], 1]);
    expect(swapped(one())).toEqual(one());
  });
  it("follow a view where runs stand side by side", () => {
    expect(names(withView(two(), "sample.graph", anywhere))).toEqual(["sample.graph:0", "sample.graph:1"]);
    const lone = withView(two(), "sample.graph", (run) => run === 0);
    expect(names(lone)).toEqual(["sample.graph:0", "sample.first:1"]);
    expect(names(withView(lone, "sample.time", anywhere))).toEqual(["sample.time:0", "sample.first:1"]);
  });
  it("are used before another is replaced", () => {
    const s = split(one(), "right", paneOf("sample.time", 0));
    expect(showing(s, "sample.first", 0).active).toBe(0);
    expect(names(showing(s, "sample.graph", 0))).toEqual(["sample.first:0", "sample.graph:0"]);
    expect(names(showing(two(), "sample.graph", 1))).toEqual(["sample.first:0", "sample.graph:1"]);
  });
  it("compare runs, and stop to", () => {
    const s = comparing(alone(two()), anywhere);
    expect(names(s)).toEqual(["sample.first:0", "sample.first:1"]);
    expect(names(alone({ ...s, active: 1 }))).toEqual(["sample.first:1"]);
  });
  it("are linked where other runs show the same view", () => {
    expect(mates(two(), 0)).toEqual([1]);
    expect(mates({ ...two(), link: false }, 0)).toEqual([]);
    expect(mates(withPane(two(), 1, { view: "b" }), 0)).toEqual([]);
  });
});

describe("trees", () => {
  it("are left out where they are usual", () => {
    const s = withLens(withTree(one(), 0, "things", { cut: "0-3" }), 0, "things", { name: "low", value: 2 });
    expect(treeOf(s, 0, "things")).toEqual({ with: {}, cut: "0-3", lens: { name: "low", value: 2 } });
    expect(withTree(withLens(s, 0, "things", null), 0, "things", { cut: "" }).runs).toEqual(one().runs);
  });
});

describe("an option of a tree", () => {
  const selected = { run: 0, tree: "things", nodes: "4" };
  const s = { ...withTree(one(), 0, "things", { cut: "0-3" }), selected };
  it("makes other nodes, and what is still there of the old ones follows", () => {
    const next = withTreeOption(s, 0, "things", "k", "7");
    expect([next.selected, treeOf(next, 0, "things")]).toEqual([null, { with: { k: "7" }, cut: "" }]);
    const carried = withCarried(next, 0, "things", "0.2", { ...selected, nodes: "9" });
    expect(carried.selected?.nodes).toBe("9");
    expect(treeOf(carried, 0, "things")).toEqual({ with: { k: "7" }, cut: "0.2" });
    expect(withCarried(next, 0, "things", "", null)).toEqual(next);
  });
});

describe("options", () => {
  it("are left out where they are usual", () => {
    const s = withOption(one(), "sample.graph", "colour", "b");
    expect(s.options).toEqual({ "sample.graph": { colour: "b" } });
    expect(withOption(s, "sample.graph", "colour", null).options).toEqual({});
  });
});

describe("windows", () => {
  const whole = (run: number) => RUNS[run]!.time;
  it("go together by the offset from the start", () => {
    const s = withWindow(two(), 0, [1100, 1200], whole);
    expect(s.runs.map((r) => r.scope.time)).toEqual([
      [1100, 1200],
      [100, 200],
    ]);
    expect(withWindow(s, 1, null, whole).runs.map((r) => r.scope)).toEqual([{}, {}]);
  });
  it("go alone when runs are not linked", () => {
    const s = withWindow({ ...two(), link: false }, 0, [1100, 1200], whole);
    expect(s.runs.map((r) => r.scope.time)).toEqual([[1100, 1200], undefined]);
  });
});

describe("a look", () => {
  it("is taken over: trees, options, scope", () => {
    const look: Look = {
      v: 1,
      view: "sample.graph",
      run: 0,
      trees: { things: { with: {}, cut: "5" }, parts: { with: {}, cut: "" } },
      options: { colour: "b" },
      scope: { time: [1, 2] },
      size: { w: 1, h: 1 },
    };
    const s = applied(withOption(one(), "sample.graph", "deep", "true"), look);
    expect(s.runs[0]!.trees).toEqual({ things: { with: {}, cut: "5" } });
    expect(s.options).toEqual({ "sample.graph": { colour: "b" } });
    expect(s.runs[0]!.scope).toEqual({ time: [1, 2] });
    expect(applied(one(), { ...look, run: 7 })).toEqual(one());
  });
});
