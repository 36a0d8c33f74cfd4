// The order in which a scene's marks are drawn: by plot, rank, kind, style and slot, so that marks that look alike follow
// each other and colours are set once. Made once per scene, kept with it.

import { RANK } from "../protocol/constants";
import type { Style } from "../protocol/Style";
import type { Kind, Keys, Scene } from "../scene";
import { styleOf } from "./marks";

/** Marks of one plot, kind, style and slot. */
export interface Batch {
  kind: Kind;
  rank: number;
  style: Style;
  fill: number;
  list: Int32Array;
}

export interface Order {
  /** For each plot, in drawing order. */
  plots: Batch[][];
  /** What belongs to no plot: behind the plots, and above them. */
  behind: Batch[];
  above: Batch[];
}

/** Within a rank, grounds before lines before marks. */
const KINDS: Kind[] = ["grids", "areas", "polygons", "ribbons", "links", "boxes", "points"];

const cache = new WeakMap<Scene["boxes"], Order>();

export function orderOf(scene: Scene): Order {
  const known = cache.get(scene.boxes);
  if (known) return known;
  const plots = scene.plots.map(() => [] as Batch[]);
  const loose: Batch[] = [];
  for (const kind of KINDS) {
    const n = kind === "areas" || kind === "grids" ? scene[kind].length : scene[kind].n;
    const taken = new Uint8Array(n);
    scene.plots.forEach((plot, i) => {
      const [from, to] = plot.marks[kind];
      taken.fill(1, from, to);
      plots[i]!.push(...batches(scene, kind, range(from, Math.min(to, n))));
    });
    loose.push(
      ...batches(
        scene,
        kind,
        range(0, n).filter((i) => !taken[i]),
      ),
    );
  }
  plots.forEach(inOrder);
  inOrder(loose);
  const made: Order = {
    plots,
    behind: loose.filter((batch) => batch.rank < RANK.rim),
    above: loose.filter((batch) => batch.rank >= RANK.rim),
  };
  cache.set(scene.boxes, made);
  return made;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** Sorting keeps what is equal in place: kinds follow each other as they were made. */
const inOrder = (list: Batch[]): Batch[] =>
  list.sort((a, b) => a.rank - b.rank || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));

function batches(scene: Scene, kind: Kind, indices: number[]): Batch[] {
  const columns: Pick<Keys, "style" | "fill"> | null =
    kind === "areas" || kind === "grids" ? null : scene[kind];
  const lists = new Map<number, number[]>();
  for (const i of indices) {
    const [style, fill] = columns ? [columns.style[i]!, columns.fill[i]!] : looks(scene, kind, i);
    const key = style * 65_536 + fill;
    const list = lists.get(key);
    if (list) list.push(i);
    else lists.set(key, [i]);
  }
  return [...lists].map(([key, list]) => {
    const style = styleOf(scene, Math.floor(key / 65_536));
    return { kind, rank: style.rank, style, fill: key % 65_536, list: Int32Array.from(list) };
  });
}

function looks(scene: Scene, kind: Kind, i: number): [number, number] {
  const { style, fill } = kind === "areas" ? scene.areas[i]! : scene.grids[i]!;
  return [style, fill];
}
