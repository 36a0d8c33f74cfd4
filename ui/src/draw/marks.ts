// An index over a scene: which box stands for a node, which box a part or a label belongs to, what lies near. Built once
// per scene, kept with it; walks the columns, computes no layout.

import { NONE, standsFor, type Boxes, type Kind, type Keys, type Ref, type Scene } from "../scene";
import type { Style } from "../protocol/Style";
import type { Mapping } from "./mapping";
import { STILL } from "./mapping";

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Marks {
  /** The mark that each box belongs to: itself unless it is a part. */
  owner: Int32Array;
  /** The box that each point belongs to, −1 if none. */
  pointOwner: Int32Array;
  /** Box that each label lies in, −1 if none. */
  labelOwner: Int32Array;
  /** The second line of the box that each label is the first of, −1 if none. */
  secondLine: Int32Array;
  /** How much of the foot of each box without a fill is taken by a part, in scene units. */
  foot: Float32Array;
  /** First whole box of a node (`nodeKey`), and the next one of the same node. */
  first: Map<number, number>;
  next: Int32Array;
  /** Plot of each mark, −1 for none, by kind. */
  plot: (kind: Kind, index: number) => number;
}

const nodeKey = (tree: number, node: number): number => tree * 2 ** 32 + node;

export const styleOf = (scene: Scene, style: number): Style => scene.styles[style] ?? PLAIN;

/** A plain box, for a style that is not there. */
export const PLAIN: Style = {
  shape: "rect",
  fill: "solid",
  stroke: -1,
  width: 1,
  dash: "solid",
  opacity: 1,
  inner: "none",
  foot: false,
  sheets: 0,
  arrow: false,
  curve: "straight",
  hit: true,
  moves: false,
  live: false,
  press: "none",
  rank: 40,
  meaning: "",
};

const cache = new WeakMap<Boxes, Marks>();

export function marks(scene: Scene): Marks {
  const known = cache.get(scene.boxes);
  if (known) return known;
  const made = index(scene);
  cache.set(scene.boxes, made);
  return made;
}

function index(scene: Scene): Marks {
  const b = scene.boxes;
  const part = scene.styles.map((style) => style.moves);
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  const next = new Int32Array(b.n).fill(-1);
  for (let i = 0; i < b.n; i++) {
    if (part[b.style[i]!] || b.node[i] === NONE) continue;
    const key = nodeKey(b.tree[i]!, b.node[i]!);
    const before = last.get(key);
    if (before === undefined) first.set(key, i);
    else next[before] = i;
    last.set(key, i);
  }
  const owners = { first, next };
  const owner = new Int32Array(b.n);
  const foot = new Float32Array(b.n);
  for (let i = 0; i < b.n; i++) {
    if (!part[b.style[i]!]) {
      owner[i] = i;
      continue;
    }
    const own = ownerOf(b, owners, b.tree[i]!, b.node[i]!, -1, b.x[i]!, b.y[i]!);
    owner[i] = own < 0 ? i : own;
    if (own >= 0 && styleOf(scene, b.style[own]!).fill === "surface" && b.h[i]! <= 4) {
      foot[own] = Math.max(foot[own]!, b.y[own]! + b.h[own]! - b.y[i]! + 1);
    }
  }
  const p = scene.points;
  const pointOwner = new Int32Array(p.n).fill(-1);
  for (let i = 0; i < p.n; i++) {
    if (part[p.style[i]!]) pointOwner[i] = ownerOf(b, owners, p.tree[i]!, p.node[i]!, -1, p.x[i]!, p.y[i]!);
  }
  const l = scene.labels;
  const labelOwner = new Int32Array(l.n);
  for (let j = 0; j < l.n; j++) {
    labelOwner[j] = ownerOf(b, owners, l.tree[j]!, l.node[j]!, l.role[j]!, l.x[j]!, l.y[j]!);
  }
  const secondLine = Int32Array.from(labelOwner, (box, j) => {
    const isFirst = box >= 0 && labelOwner[j + 1] === box && labelOwner[j - 1] !== box;
    return isFirst && scene.texts[l.style[j + 1]!]!.align === "start" ? j + 1 : -1;
  });
  return { owner, pointOwner, labelOwner, secondLine, foot, first, next, plot: plotsOf(scene) };
}

/** The box of a node that holds a point, else the first; one of the role before others (−1: of any). */
function ownerOf(
  b: Boxes,
  { first, next }: Pick<Marks, "first" | "next">,
  tree: number,
  node: number,
  role: number,
  x: number,
  y: number,
): number {
  let found = -1;
  let best = -1;
  for (let i = node === NONE ? -1 : (first.get(nodeKey(tree, node)) ?? -1); i >= 0; i = next[i]!) {
    const rank =
      (role < 0 || b.role[i] === role ? 4 : 0) + (holds(b, i, x, y) ? 2 : 0) + (b.role[i] === 0 ? 1 : 0);
    if (rank <= best) continue;
    best = rank;
    found = i;
  }
  return found;
}

const holds = (b: Boxes, i: number, x: number, y: number): boolean =>
  x >= b.x[i]! - 0.5 && y >= b.y[i]! - 0.5 && x <= b.x[i]! + b.w[i]! + 0.5 && y <= b.y[i]! + b.h[i]! + 0.5;

function plotsOf(scene: Scene): Marks["plot"] {
  return (kind, index) => scene.plots.findIndex(({ marks: m }) => index >= m[kind][0] && index < m[kind][1]);
}

/** Place of a node's own box in the columns, or −1; a node that is only there in another role counts too. */
export function boxOf(scene: Scene, node: number, tree = 0): number {
  const { first, next } = marks(scene);
  const start = first.get(nodeKey(tree, node)) ?? -1;
  for (let i = start; i >= 0; i = next[i]!) if (scene.boxes.role[i] === 0) return i;
  return start;
}

/** All boxes of a node, its parts not counted. */
export function boxesOf(scene: Scene, node: number, tree = 0): number[] {
  const { first, next } = marks(scene);
  const all: number[] = [];
  for (let i = first.get(nodeKey(tree, node)) ?? -1; i >= 0; i = next[i]!) all.push(i);
  return all;
}

/** Ribbons of which one end is a node for which `has` is true. */
export function bandsOf(scene: Scene, tree: number, has: (node: number) => boolean): Ref[] {
  const { ribbons: r } = scene;
  const ends = (i: number): boolean => r.to[i] !== NONE && (has(r.node[i]!) || has(r.to[i]!));
  const all = Array.from({ length: r.n }, (_, index) => index);
  return all.filter((i) => r.tree[i] === tree && ends(i)).map((index) => ({ kind: "ribbons", index }));
}

/** All marks of the nodes for which `has` is true, and of pairs of which also the other end fits. Parts not counted. */
export function refsOf(
  scene: Scene,
  tree: number,
  has: (node: number) => boolean,
  to: ((node: number) => boolean) | null = null,
): Ref[] {
  const found: Ref[] = [];
  const fits = (node: number, other: number): boolean =>
    node !== NONE && has(node) && (to === null ? other === NONE : other !== NONE && to(other));
  for (const kind of ["boxes", "points", "ribbons", "polygons", "links"] as const) {
    const k: Keys = scene[kind];
    for (let i = 0; i < k.n; i++) {
      if (k.tree[i] !== tree || styleOf(scene, k.style[i]!).moves || !fits(k.node[i]!, k.to[i]!)) continue;
      found.push({ kind, index: i });
    }
  }
  scene.areas.forEach(
    (a, i) => a.tree === tree && fits(a.node, a.to) && found.push({ kind: "areas", index: i }),
  );
  scene.grids.forEach((g, i) => {
    if (g.tree !== tree) return;
    if (!g.nodes && !g.rows) return void (fits(g.node, g.to) && found.push({ kind: "grids", index: i }));
    for (let cell = 0; cell < g.nx * g.ny; cell++) {
      const at = standsFor(scene, { kind: "grids", index: i, cell });
      // A row or a column of a matrix stands for its node, too.
      const whole = to === null && at.to !== NONE && ((at.node !== NONE && has(at.node)) || has(at.to));
      if (g.level[cell]! > 0 && (whole || fits(at.node, at.to)))
        found.push({ kind: "grids", index: i, cell });
    }
  });
  return found;
}

export const boxRect = ({ boxes: b }: Scene, i: number): Rect => ({
  x: b.x[i]!,
  y: b.y[i]!,
  w: b.w[i]!,
  h: b.h[i]!,
});

const between = (xs: ArrayLike<number>, ys: ArrayLike<number>): Rect => {
  const [x0, y0] = [Math.min(...Array.from(xs)), Math.min(...Array.from(ys))];
  return { x: x0, y: y0, w: Math.max(...Array.from(xs)) - x0, h: Math.max(...Array.from(ys)) - y0 };
};

/** The rectangle around a mark, in scene units. */
export function rectOf(scene: Scene, { kind, index: i, cell }: Ref): Rect {
  switch (kind) {
    case "boxes":
      return boxRect(scene, i);
    case "links": {
      const l = scene.links;
      return between([l.x0[i]!, l.x1[i]!], [l.y0[i]!, l.y1[i]!]);
    }
    case "points": {
      const { x, y, r } = scene.points;
      return { x: x[i]! - r[i]!, y: y[i]! - r[i]!, w: 2 * r[i]!, h: 2 * r[i]! };
    }
    case "ribbons": {
      const r = scene.ribbons;
      return between([r.x0[i]!, r.x1[i]!], [r.top0[i]!, r.bottom0[i]!, r.top1[i]!, r.bottom1[i]!]);
    }
    case "polygons": {
      const { x, y, end } = scene.polygons;
      const from = i === 0 ? 0 : end[i - 1]!;
      return between(x.subarray(from, end[i]), y.subarray(from, end[i]));
    }
    case "areas": {
      const a = scene.areas[i]!;
      const [from, to] = cell === undefined ? [0, a.n] : [cell, cell + 1];
      const around = between([0], [...a.y0.subarray(from, to), ...a.y1.subarray(from, to)]);
      return { ...around, x: a.x + from * a.cell, w: (to - from) * a.cell };
    }
    case "grids": {
      const g = scene.grids[i]!;
      if (cell === undefined) return { x: g.x, y: g.y, w: g.w, h: g.h };
      const [w, h] = [g.w / g.nx, g.h / g.ny];
      const [column, row] = [cell % g.nx, Math.floor(cell / g.nx)];
      return { x: g.x + column * w, y: g.y + row * h, w: w - g.gap_x, h: h - g.gap_y };
    }
  }
}

/** The rectangle around a mark in the pane's pixels. */
export function rectOnScreen(scene: Scene, cameras: readonly (Mapping | null)[], ref: Ref): Rect {
  const plot = marks(scene).plot(ref.kind, ref.index);
  const m = (plot < 0 ? null : cameras[plot]) ?? STILL;
  const r = rectOf(scene, ref);
  return { x: r.x * m.ax + m.bx, y: r.y * m.ay + m.by, w: r.w * m.ax, h: r.h * m.ay };
}

const isEnvelope = (scene: Scene, i: number): boolean =>
  styleOf(scene, scene.boxes.style[i]!).shape === "envelope";

/** A box and the envelopes that hold it, innermost first. */
export function around(scene: Scene, i: number): number[] {
  const b = scene.boxes;
  const outer: number[] = [];
  const [right, bottom] = [b.x[i]! + b.w[i]! - 0.5, b.y[i]! + b.h[i]! - 0.5];
  for (let e = 0; e < b.n; e++) {
    if (e === i || !isEnvelope(scene, e)) continue;
    const begins = b.x[e]! <= b.x[i]! + 0.5 && b.y[e]! <= b.y[i]! + 0.5;
    if (begins && b.x[e]! + b.w[e]! >= right && b.y[e]! + b.h[e]! >= bottom) outer.push(e);
  }
  return [i, ...outer.sort((p, q) => b.w[p]! * b.h[p]! - b.w[q]! * b.h[q]!)];
}

/** The box nearest to a point; envelopes, parts and signs that close something not counted. −1 for none. */
export function nearest(scene: Scene, x: number, y: number): number {
  const b = scene.boxes;
  const counts = scene.styles.map(
    (style) => style.shape !== "envelope" && !style.moves && style.press !== "close",
  );
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < b.n; i++) {
    if (counts[b.style[i]!] === false) continue;
    const dx = Math.max(b.x[i]! - x, 0, x - b.x[i]! - b.w[i]!);
    const dy = Math.max(b.y[i]! - y, 0, y - b.y[i]! - b.h[i]!);
    if (dx * dx + dy * dy >= least) continue;
    least = dx * dx + dy * dy;
    best = i;
  }
  return best;
}

/** Texts of a box. */
export function labelsOf(scene: Scene, box: number): string[] {
  const { labelOwner } = marks(scene);
  return scene.labels.text.filter((_, j) => labelOwner[j] === box);
}
