// Declarations for tests: two runs of a made-up domain with a graph, a plot, a sheet and two trees.

import type { Hello } from "../protocol/Hello";
import type { RunInfo } from "../protocol/RunInfo";
import type { TreeDecl } from "../protocol/TreeDecl";
import type { View } from "../protocol/View";

const view = (name: string, pane: View["pane"], more: Partial<View> = {}): View => ({
  name,
  title: name,
  section: "Sample",
  icon: "M2 2h12",
  about: "",
  trees: ["things"],
  pane,
  options: [],
  acts: [],
  compares: "no",
  slow: false,
  hidden: false,
  follows: false,
  without: [],
  ...more,
});

const tree = (name: string, sign: string): TreeDecl => ({
  name,
  title: name,
  node: [name.slice(0, -1), name],
  sign,
  parameter: false,
  options: [],
  slow: false,
});

export const run = (name: string, more: Partial<RunInfo> = {}): RunInfo => ({
  name,
  partial: null,
  checking: false,
  damaged: null,
  clock: "ns",
  time: [1000, 2000],
  places: 4,
  strip: "sample.strip",
  trees: [tree("things", "#"), tree("parts", "p")],
  views: [
    view("sample.first", "sheet"),
    view("sample.graph", "graph", {
      options: [
        {
          name: "colour",
          title: "Colour",
          kind: {
            is: "choice",
            values: [
              ["a", "A"],
              ["b", "B"],
            ],
          },
          usual: "a",
          auto: false,
          when: null,
          key: null,
        },
        {
          name: "deep",
          title: "Deep",
          kind: { is: "flag" },
          usual: "false",
          auto: false,
          when: ["colour", "b"],
          key: "C",
        },
      ],
    }),
    view("sample.time", "plots"),
    view("sample.strip", "plots", { hidden: true }),
    view("sample.table", "table", { trees: [] }),
  ],
  ...more,
});

export const RUNS: RunInfo[] = [run("one"), run("two", { time: [0, 500] })];
export const HELLO: Hello = { crosscut: "0.1.0", build: "b1", runs: RUNS, palettes: { light: [], dark: [] } };

/** A message as the server frames it. */
export function message(json: unknown): ArrayBuffer {
  let text = JSON.stringify(json);
  while ((new TextEncoder().encode(text).length + 4) % 4 !== 0) text += " ";
  const bytes = new TextEncoder().encode(text);
  const buffer = new ArrayBuffer(4 + bytes.length);
  new DataView(buffer).setUint32(0, bytes.length, true);
  new Uint8Array(buffer, 4).set(bytes);
  return buffer;
}
