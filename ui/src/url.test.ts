import { describe, expect, it } from "vitest";
import { RUNS } from "./testing/samples";
import { firstPage, paneOf, split, withLens, withOption, withTree, type Page } from "./state";
import { decode, encode, readSelection, selectionText } from "./url";
import type { Selection } from "./protocol/Selection";

const there = (s: Page, runs = RUNS): Page => decode("#" + encode(s, runs), runs);

describe("the address", () => {
  it("says nothing of what is usual", () => {
    expect(encode(firstPage(RUNS), RUNS)).toBe("");
    expect(decode("", RUNS)).toEqual(firstPage(RUNS));
  });
  it("holds everything that decides the page", () => {
    let s = split(firstPage(RUNS), "below", {
      ...paneOf("sample.table", 0),
      camera: { x: 1.5, y: -2, k: 0.25 },
    });
    s = withTree(s, 0, "things", { cut: "0,3-9;!&=", with: { k: "7 of 9", "a=b": "c;d" } });
    s = withLens(s, 0, "things", { name: "low-x", value: 1.5 });
    s = withLens(s, 1, "parts/3f2a", { name: "high" });
    s = withOption(s, "sample.graph", "colour", "a&b");
    const inside: Selection = { run: 0, tree: "things", nodes: "1-4" };
    s = {
      ...s,
      active: 1,
      full: true,
      link: false,
      inspector: false,
      theme: "dark",
      notes: [
        { of: inside, text: "50 % of it; why & how?\nask #3" },
        { of: { run: 1, tree: "parts/a:b", nodes: "3" }, text: "x" },
      ],
      selected: { run: 1, tree: "parts/a:b", nodes: "3,17-19", to: "4", time: [5, 6.5] },
      panes: s.panes.map((p, i) =>
        i === 0 ? { ...p, against: [1] } : i === 2 ? { ...p, against: "rest" } : p,
      ),
      runs: s.runs.map((r, i) =>
        i === 0 ? { ...r, scope: { time: [1100, 1200.5], places: "0-1,3", inside } } : r,
      ),
    };
    expect(there(s)).toEqual(s);
    expect(encode(there(s), RUNS)).toBe(encode(s, RUNS));
  });
  it("is written as documented", () => {
    let s = split(firstPage(RUNS.slice(0, 1)), "right", paneOf("sample.graph", 0));
    s = withLens(withTree(s, 0, "things", { cut: "0,3-9" }), 0, "things", { name: "low", value: 2 });
    s = withOption(s, "sample.graph", "colour", "b");
    s = { ...s, selected: { run: 0, tree: "things", nodes: "12" } };
    expect(encode(s, RUNS.slice(0, 1))).toBe(
      "v=1&p=sample.first:0,sample.graph:0&g=1x1&a=1&s=0:things:12&0/things=0,3-9;lens=low~2&o.sample.graph.colour=b",
    );
  });
  it("ignores what cannot be read", () => {
    for (const text of [
      "p=nonsense:9",
      "p=sample.graph:7",
      "c0=a~b",
      "w0=3",
      "w0=5~4",
      "s=0:things:x",
      "s=9:things:1",
      "n0=9:things:1;x",
      "n0=0:things:1;",
      "n0=nothing",
      "g=9x9",
      "a=12",
      "%%%",
      "0/=3",
      "i0=nothing",
      "v=99&p=sample.graph:0",
      "r0=a-b",
    ]) {
      expect(decode(text, RUNS), text).toEqual(firstPage(RUNS));
    }
  });
  it("puts panes beside each other when their grid makes no sense", () => {
    expect(decode("p=sample.graph:0,sample.time:0,sample.first:1&g=2x2", RUNS).grid).toEqual([1, 1, 1]);
  });
});

describe("a selection as text", () => {
  it("comes back", () => {
    for (const s of [
      { run: 0, tree: "things", nodes: "1" },
      { run: 1, tree: "parts/x:y>z", nodes: "", to: "5-7" },
      { run: 0, tree: "things", nodes: "1,3", time: [0.5, 1e12] },
    ] as Selection[]) {
      expect(readSelection(selectionText(s), 2)).toEqual(s);
    }
  });
});
