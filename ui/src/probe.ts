// What tests may ask of the running page: frame durations, readiness, view state, counts, where a node is drawn.
// Reads only; hung on `window.crosscut`.

import { frameDurations, lastPaintMs } from "./draw/surface";
import { activeGraph } from "./model/actions";
import { currentRun, ready, state } from "./page";
import { styleOf } from "./draw/marks";
import type { Style } from "./protocol/Style";
import { activePane, type GraphId, type ViewState } from "./state";

export interface NodeRect {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Registered {
  run: number;
  view: GraphId;
  rect: (node: number) => NodeRect | null;
}

const panes = new Set<Registered>();

/** A graph pane says where its nodes are; the answer takes it out again. */
export function registerPane(pane: Registered): () => void {
  panes.add(pane);
  return () => panes.delete(pane);
}

let lastServerMs = 0;
let lastMarks = { boxes: 0, links: 0 };
/** Time panes tell what they drew last; graphs are asked directly. */
export function tellMarks(boxes: number, links: number, serverMs: number): void {
  lastMarks = { boxes, links };
  lastServerMs = serverMs;
}

export interface Probe {
  frames: () => number[];
  readonly ready: boolean;
  state: () => ViewState;
  stats: () => { boxes: number; links: number; serverMs: number; lastPaintMs: number };
  nodeAt: (node: number) => NodeRect | null;
  /** The marks of the active graph, parts left out: what they stand for and where they are. */
  marks: () => (NodeRect & { node: number; shape: string; flags: string[] })[];
}

export const probe: Probe = {
  frames: frameDurations,
  get ready() {
    return ready();
  },
  state,
  stats: () => {
    const graph = activeGraph()?.picture() ?? null;
    const marks = graph ? { boxes: graph.boxes.n, links: graph.links.n } : lastMarks;
    return { ...marks, serverMs: graph ? graph.serverMs : lastServerMs, lastPaintMs: lastPaintMs() };
  },
  nodeAt: (node) => {
    // Two graphs number their nodes on their own: the active pane's is meant.
    const { view } = activePane(state());
    for (const pane of [...panes].sort((a, b) => Number(b.view === view) - Number(a.view === view))) {
      const rect = pane.run === currentRun() ? pane.rect(node) : null;
      if (rect) return rect;
    }
    return null;
  },
  marks,
};

/** What a mark is, in a word, and what is said about it. */
function told({ meaning, press, sheets, shape }: Style): { shape: string; flags: string[] } {
  const [what = "", ...more] = meaning.split(", ");
  const kind = shape === "envelope" ? "open" : (/(task|section|group|grain)/.exec(what)?.[1] ?? what);
  const says = (words: string): boolean => more.some((m) => m.startsWith(words));
  const flags = Object.entries({
    closed: press === "open", merged: sheets > 0 || press === "spread" || says("stands for others"),
    critical: says("on the critical"), problem: says("with the problem"), dimmed: says("without the problem"),
    collapsed: says("collapsed") || says("folded while"),
  });
  return { shape: what === "folded members" ? "group" : kind, flags: flags.filter(([, holds]) => holds).map(([name]) => name) };
}

function marks(): ReturnType<Probe["marks"]> {
  const p = activeGraph()?.picture();
  if (!p) return [];
  return Array.from({ length: p.boxes.n }, (_, i) => i)
    .filter((i) => !styleOf(p, p.boxes.style[i]!).moves && p.boxes.role[i]! < 2)
    .map((i) => ({ node: p.boxes.node[i]!, ...told(styleOf(p, p.boxes.style[i]!)), ...probe.nodeAt(p.boxes.node[i]!)! }));
}

declare global {
  interface Window {
    crosscut: Probe;
  }
}
