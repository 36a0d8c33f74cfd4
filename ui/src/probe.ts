// What tests may ask of the running page: frame durations, readiness, view state, counts, where a node is drawn.
// Reads only; hung on `window.crosscut`.

import { frameDurations, lastPaintMs } from "./draw/surface";
import { activeGraph } from "./model/actions";
import { currentRun, ready, state } from "./page";
import { FLAG, SHAPE_NAMES } from "./scene";
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

function marks(): ReturnType<Probe["marks"]> {
  const boxes = activeGraph()?.picture()?.boxes;
  if (!boxes) return [];
  const names = (bits: number): string[] => Object.entries(FLAG).filter(([, bit]) => bits & bit).map(([name]) => name);
  return Array.from({ length: boxes.n }, (_, i) => i)
    .filter((i) => !(boxes.flags[i]! & FLAG.part))
    .map((i) => ({ node: boxes.node[i]!, shape: SHAPE_NAMES[boxes.shape[i]!] ?? "", flags: names(boxes.flags[i]!), ...probe.nodeAt(boxes.node[i]!)! }));
}

declare global {
  interface Window {
    crosscut: Probe;
  }
}
