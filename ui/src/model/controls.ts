// What keys, palette and inspector can do in a pane, whatever its kind: each pane registers itself while it
// is on the screen, commands go to the active one.

import type { Store } from "../store";
import type { ActCall } from "../protocol/ActCall";
import type { Look } from "../protocol/Look";
import type { Press } from "../protocol/Press";
import type { Selection } from "../protocol/Selection";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a test may ask of a mark. */
export interface MarkInfo extends Rect {
  node: number;
  tree: number;
  meaning: string;
  press: string;
  fill: number;
}

export interface Control {
  /** The look as it is asked for now. */
  look: () => Look | null;
  /** Does an act, and shows what comes of it. */
  act: (call: ActCall) => Promise<void>;
  /** When all acts so far are done: what is decided by the picture is decided by the newest. */
  settled?: () => Promise<unknown>;
  zoom: (factor: number) => void;
  /** Moves by a share of the pane. False: there is nowhere to move to. */
  pan: (dx: number, dy: number) => boolean;
  fit: () => void;
  /** What pressing a selected thing does: the name of an act, or "none" where it is not drawn. */
  press: (of: Selection) => Press | "hidden";
  /** Brings a selection into sight; `near` goes close to it where that is a matter of the window. */
  reveal: (of: Selection, near?: boolean) => Promise<void>;
  /** What is selected first when nothing is. */
  first: () => Selection | null;
  /** Where a node is drawn, in pixels of the window. */
  rect: (node: number, tree?: number) => Rect | null;
  marks: () => MarkInfo[];
  /** Extent of a layout that has a camera. */
  extent?: () => { w: number; h: number } | undefined;
  stats: () => { boxes: number; links: number; visible: number; serverMs: number };
}

export type Controls = ReturnType<typeof createControls>;

export function createControls(store: Store) {
  const panes = new Map<number, Control>();
  return {
    /** A pane says what it can do; the answer takes it out again. */
    register: (pane: number, control: Control): (() => void) => {
      panes.set(pane, control);
      return () => {
        if (panes.get(pane) === control) panes.delete(pane);
      };
    },
    active: (): Control | undefined => panes.get(store.state().active),
    of: (pane: number): Control | undefined => panes.get(pane),
  };
}
