// What lies over the page right now (palette, help) and where the pointer's tooltip is. Small signals that several
// views read; none of it is view state, so none of it is in the address.

import { createSignal } from "solid-js";
import type { GraphId } from "../state";

export type Overlay = "palette" | "help" | null;
export const [overlay, setOverlay] = createSignal<Overlay>(null);

export interface Tip {
  run: number;
  /** Whose ids `node` is one of. */
  view: GraphId;
  node: number;
  /** What the mark itself tells, shown at once. */
  kind: string;
  title: string;
  detail?: string;
  /** It stands for several nodes: what is known about the first of them is not asked for. */
  own?: boolean;
  x: number;
  y: number;
}
export const [tip, setTip] = createSignal<Tip | null>(null);
