// What tests may ask of a running page: frame durations, readiness, state, counts, where a node is drawn.
// Reads only.

import { frameDurations, lastPaintMs } from "./draw/surface";
import type { Bench } from "./bench";
import type { MarkInfo, Rect } from "./model/controls";
import type { Page, Theme } from "./state";

export interface Probe {
  frames: () => number[];
  readonly ready: boolean;
  state: () => Page;
  theme: () => Theme;
  /** Views and trees as they were declared. */
  views: () => { name: string; title: string; pane: string; hidden: boolean }[];
  stats: () => { boxes: number; links: number; visible: number; serverMs: number; lastPaintMs: number };
  /** Where a node of the active pane is drawn, in pixels of the window. */
  nodeAt: (node: number, tree?: number) => Rect | null;
  /** The marks of the active pane, parts left out. */
  marks: () => MarkInfo[];
}

export function probeOf({ store, controls }: Bench): Probe {
  const none = { boxes: 0, links: 0, visible: 0, serverMs: 0 };
  return {
    frames: frameDurations,
    get ready() {
      return store.hello() !== null;
    },
    state: () => store.state(),
    theme: () => store.theme(),
    views: () =>
      (store.runInfo(store.currentRun())?.views ?? []).map(({ name, title, pane, hidden }) => ({
        name,
        title,
        pane,
        hidden,
      })),
    stats: () => ({ ...(controls.active()?.stats() ?? none), lastPaintMs: lastPaintMs() }),
    nodeAt: (node, tree) => controls.active()?.rect(node, tree) ?? null,
    marks: () => controls.active()?.marks() ?? [],
  };
}

declare global {
  interface Window {
    crosscut: Probe;
  }
}
