import { describe, expect, it } from "vitest";
import { begin, change, redo, undo } from "./history";
import { aboutGrains, closed, comparing, firstState, showing, splitted, swapped, withLens, withRun, withThreshold, withView } from "./state";
import { decode, encode } from "./url";

describe("the fragment", () => {
  it("is empty for the first state and gives it back", () => {
    expect(encode(firstState(1))).toBe("");
    expect(decode("", 1)).toEqual(firstState(1));
  });
  it("brings back everything that was set", () => {
    let s = splitted(withView(firstState(2), "dag"), "column");
    s = withRun(s, 1, { cut: "o:1-5,9&x=#%", selected: 42, window: [1.5e9, 2.25e9], camera: { x: -10.25, y: 1e6, k: 0.125 } });
    s = { ...s, colour: "source", scale: "linear", critical: true, linked: false, theme: "dark", sort: "work", filter: "a b&c", faster: 12.5 };
    expect(decode("#" + encode(s), 2)).toEqual(s);
  });
  it("holds everything of the grain view", () => {
    let s = withView(withView(firstState(2), "grain"), "table");
    s = withRun(s, 0, { grainCut: "0.1!2", grain: 0, grainCamera: { x: 1, y: -2.5, k: 0.5 }, pathOf: 17 });
    s = withThreshold(withThreshold(withLens(s, "memory-stall"), "memory-stall", 0.35), "low-parallelism", 12);
    s = { ...s, alike: !s.alike, all: true, grainColour: "core" };
    expect(s.table).toBe("grain");
    expect(decode("#" + encode(s), 2)).toEqual(s);
    expect(decode("#" + encode(s).replace("%7E", "~"), 2)).toEqual(s);
  });
  it("ignores what it cannot read", () => {
    const s = decode("#view=nothing:7&window0=5~1&camera0=1~2~0&node0=-3&colour=blue&cut0=%E0%A4%A", 1);
    expect(s).toEqual(firstState(1));
    expect(decode("#thresholds=a~x,~1,b&grain0=-1&path0=x&table=z&faster=-2&grain-camera0=1~2~0", 1)).toEqual(firstState(1));
  });
  it("does not select a pane that is not there", () => {
    expect(decode("#view=dag:0&active=1", 1).active).toBe(0);
    expect(decode("#view=dag:0,timeline:3", 2).panes).toEqual([{ view: "dag", run: 0 }]);
  });
});

describe("panes", () => {
  it("uses an open pane before replacing one", () => {
    const s = { ...splitted(withView(firstState(1), "dag"), "row"), active: 0 };
    expect(showing(s, "timeline", 0).active).toBe(1);
    expect(showing(s, "table", 0).panes[0]!.view).toBe("table");
  });
  it("closes, swaps and compares", () => {
    const s = splitted(withView(firstState(1), "dag"), "row");
    expect(swapped(s).panes.map((p) => p.view)).toEqual(["timeline", "dag"]);
    expect(closed(s, 0).panes.map((p) => p.view)).toEqual(["timeline"]);
    expect(comparing(s, "dag")).toBe(s);
    const two = comparing(firstState(2), "dag");
    expect(withView(two, "timeline").panes).toEqual([{ view: "timeline", run: 0 }, { view: "timeline", run: 1 }]);
  });
});

describe("the grain view", () => {
  it("lends its table to the table view", () => {
    const grain = withView(firstState(1), "grain");
    expect(aboutGrains(grain)).toBe(true);
    expect(aboutGrains(withView(grain, "table"))).toBe(true);
    expect(aboutGrains(withView(withView(grain, "dag"), "table"))).toBe(false);
    expect(withView(withView(grain, "timeline"), "table").table).toBe("grain");
    expect(showing(showing(grain, "dag", 0), "table", 0).table).toBe("dag");
  });
  it("keeps cut, camera and selection when the lens changes", () => {
    const s = withRun(withView(firstState(1), "grain"), 0, { grainCut: "0.1", grain: 5, grainCamera: { x: 1, y: 2, k: 3 } });
    expect(withLens(s, "memory-stall").runs).toBe(s.runs);
    expect(withLens(s, "")).toBe(s);
  });
  it("remembers a threshold per problem, and forgets it", () => {
    const s = withThreshold(withThreshold(firstState(1), "a", 1), "b", 2);
    expect(s.thresholds).toEqual({ a: 1, b: 2 });
    expect(withThreshold(s, "a", 3).thresholds).toEqual({ a: 3, b: 2 });
    expect(withThreshold(s, "a", null).thresholds).toEqual({ b: 2 });
  });
});

describe("undo", () => {
  it("joins a pan into one step and keeps discrete steps apart", () => {
    let h = begin(0);
    h = change(h, 1, "pan", true, 0);
    h = change(h, 2, "pan", true, 100);
    h = change(h, 3, "open", false, 150);
    h = change(h, 4, "open", false, 160);
    h = undo(h);
    expect(h.present).toBe(3);
    h = undo(undo(h));
    expect(h.present).toBe(0);
    expect(undo(h).present).toBe(0);
    expect(redo(redo(h)).present).toBe(3);
  });
  it("forgets the future after a new change, and silent changes are no step", () => {
    let h = change(begin(0), 1, "open", false, 0);
    h = undo(h);
    h = change(h, 5, "open", false, 0);
    expect(redo(h).present).toBe(5);
    h = change(h, 6, "", false, 0);
    expect(undo(h).present).toBe(0);
  });
});
