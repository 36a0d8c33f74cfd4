// The way from one scene to the next: marks of the same id, or of the same tree, node, other end and role, move; new boxes
// grow out of the node that was opened, vanished ones shrink into the node that was closed, other marks fade. Two scenes
// go in, coordinates at any moment come out; a new way can begin in the middle of another.

import { NONE, type Boxes, type Keys, type Links, type Points, type Ribbons, type Scene } from "../scene";
import { boxOf, boxRect, marks, type Rect } from "./marks";

export const TWEEN_MS = 200;

/** Rectangles of a scene's boxes at some moment. */
export interface Placed {
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
}

/** Where marks of a kind come from: their columns then, NaN in the first for one that fades in; and who fades out. */
export interface Moved {
  from: Float32Array[];
  faded: Int32Array;
}

export interface Tween {
  old: Scene;
  next: Scene;
  from: Placed;
  /** Boxes of the old scene that vanish, with where they are and where they go. */
  gone: Int32Array;
  goneFrom: Placed;
  goneTo: Placed;
  links: Moved;
  points: Moved;
  ribbons: Moved;
  /** What puts the old scene's marks into the new coordinates. */
  shift: { x: number; y: number };
  began: number;
}

export interface Way {
  /** Where the old scene's boxes are now, if it was still moving. */
  placed?: Placed;
  /** The node that was opened or closed, and its tree. */
  acted?: number | null;
  tree?: number;
  /** What has to be added to old coordinates so that it stays where it was. */
  shift?: { x: number; y: number };
  began: number;
}

/** Slow at the end: what moves settles. */
export const ease = (t: number): number => 1 - (1 - t) ** 3;

export function progress(tween: Tween, now: number): number {
  return Math.min(1, Math.max(0, (now - tween.began) / TWEEN_MS));
}

/** Columns that move, and whether each is an x (0), a y (1) or a length (2). */
export const MOVING = {
  links: [
    ["x0", 0],
    ["y0", 1],
    ["x1", 0],
    ["y1", 1],
  ],
  points: [
    ["x", 0],
    ["y", 1],
    ["r", 2],
  ],
  ribbons: [
    ["x0", 0],
    ["top0", 1],
    ["bottom0", 1],
    ["x1", 0],
    ["top1", 1],
    ["bottom1", 1],
  ],
} as const;

export function tween(old: Scene, next: Scene, way: Way): Tween {
  const { acted = null, tree = 0, shift = { x: 0, y: 0 }, began } = way;
  const placed = way.placed ?? resting(old.boxes);
  const [was, is] = [marks(old), marks(next)];
  const [oldKeys, nextKeys] = [keysOf(old.boxes), keysOf(next.boxes)];
  const before = places(oldKeys);
  const oldAt = acted === null ? -1 : boxOf(old, acted, tree);
  const nextAt = acted === null ? -1 : boxOf(next, acted, tree);
  const oldRect = oldAt < 0 ? null : moved(at(placed, oldAt), shift);
  const nextRect = nextAt < 0 ? null : boxRect(next, nextAt);

  const from = room(next.boxes.n);
  const kept = new Uint8Array(old.boxes.n);
  for (let i = 0; i < next.boxes.n; i++) {
    const rect = boxRect(next, i);
    const owner = is.owner[i]!;
    const source = before.get(nextKeys[i]!);
    const ownerSource = owner === i ? source : before.get(nextKeys[owner]!);
    if (source !== undefined) kept[source] = 1;
    let start: Rect;
    // Parts keep their place in what they belong to.
    if (ownerSource !== undefined) {
      const now = moved(at(placed, ownerSource), shift);
      start = owner === i ? now : carried(rect, boxRect(next, owner), now);
    } else
      start = oldRect && nextRect && within(rect, nextRect) ? carried(rect, nextRect, oldRect) : shrunk(rect);
    put(from, i, start);
  }

  const gone: number[] = [];
  for (let i = 0; i < old.boxes.n; i++) if (!kept[i] && !kept[was.owner[i]!]) gone.push(i);
  const goneFrom = room(gone.length);
  const goneTo = room(gone.length);
  gone.forEach((i, j) => {
    const rect = moved(at(placed, i), shift);
    put(goneFrom, j, rect);
    put(
      goneTo,
      j,
      oldRect && nextRect && within(rect, oldRect) ? carried(rect, oldRect, nextRect) : shrunk(rect),
    );
  });
  return {
    old,
    next,
    from,
    gone: Int32Array.from(gone),
    goneFrom,
    goneTo,
    shift,
    began,
    links: match(old.links, next.links, "links", shift),
    points: match(old.points, next.points, "points", shift),
    ribbons: match(old.ribbons, next.ribbons, "ribbons", shift),
  };
}

/** Rectangles of the next scene's boxes at `t` in 0…1. */
export function between(from: Placed, to: Placed, t: number, out: Placed): Placed {
  const e = ease(t);
  for (const c of ["x", "y", "w", "h"] as const) {
    const [a, b, o] = [from[c], to[c], out[c]];
    for (let i = 0; i < o.length; i++) o[i] = a[i]! + (b[i]! - a[i]!) * e;
  }
  return out;
}

/** Where the boxes of a scene are right now, for ways that begin in the middle of another. */
export function placedNow(scene: Scene, tween: Tween | null, now: number): Placed {
  if (!tween || tween.next !== scene) return resting(scene.boxes);
  const t = progress(tween, now);
  return t >= 1 ? resting(scene.boxes) : between(tween.from, resting(scene.boxes), t, room(scene.boxes.n));
}

export const room = (n: number): Placed => ({
  x: new Float32Array(n),
  y: new Float32Array(n),
  w: new Float32Array(n),
  h: new Float32Array(n),
});

export const resting = (boxes: Boxes): Placed => ({ x: boxes.x, y: boxes.y, w: boxes.w, h: boxes.h });

const at = (p: Placed, i: number): Rect => ({ x: p.x[i]!, y: p.y[i]!, w: p.w[i]!, h: p.h[i]! });
const moved = (r: Rect, by: { x: number; y: number }): Rect => ({ ...r, x: r.x + by.x, y: r.y + by.y });
const shrunk = (r: Rect): Rect => ({ x: r.x + r.w / 2, y: r.y + r.h / 2, w: 0, h: 0 });

function put(p: Placed, i: number, r: Rect): void {
  p.x[i] = r.x;
  p.y[i] = r.y;
  p.w[i] = r.w;
  p.h[i] = r.h;
}

const within = (r: Rect, outer: Rect): boolean =>
  r.x >= outer.x - 1 &&
  r.y >= outer.y - 1 &&
  r.x + r.w <= outer.x + outer.w + 1 &&
  r.y + r.h <= outer.y + outer.h + 1;

/** The rectangle that lies in `to` as `r` lies in `from`. */
export function carried(r: Rect, from: Rect, to: Rect): Rect {
  const sx = to.w / Math.max(1e-6, from.w);
  const sy = to.h / Math.max(1e-6, from.h);
  return { x: to.x + (r.x - from.x) * sx, y: to.y + (r.y - from.y) * sy, w: r.w * sx, h: r.h * sy };
}

type Key = number | string;

/** Several marks of one key (the strokes of an edge with bends) are matched by their order. */
export function keysOf(k: Keys): Key[] {
  const count = new Map<Key, number>();
  return Array.from({ length: k.n }, (_, i) => {
    const key = keyOf(k, i);
    const ordinal = count.get(key) ?? 0;
    count.set(key, ordinal + 1);
    return ordinal === 0 ? key : `${key}#${ordinal}`;
  });
}

function keyOf(k: Keys, i: number): Key {
  if (k.id[i] !== NONE) return `i${k.id[i]}`;
  const own = (k.tree[i]! * 2 ** 32 + k.node[i]!) * 256 + k.role[i]!;
  return k.to[i] === NONE ? own : `${own}>${k.to[i]}`;
}

const places = (keys: Key[]): Map<Key, number> => new Map(keys.map((key, i) => [key, i]));

function match(
  old: Links | Points | Ribbons,
  next: Links | Points | Ribbons,
  kind: keyof typeof MOVING,
  shift: { x: number; y: number },
): Moved {
  const before = places(keysOf(old));
  const columns = MOVING[kind];
  const from = columns.map(() => new Float32Array(next.n));
  const kept = new Uint8Array(old.n);
  const source = old as unknown as Record<string, Float32Array>;
  keysOf(next).forEach((key, i) => {
    const j = before.get(key);
    if (j === undefined) return void (from[0]![i] = NaN);
    kept[j] = 1;
    columns.forEach(([name, kind], c) => {
      from[c]![i] = source[name]![j]! + (kind === 0 ? shift.x : kind === 1 ? shift.y : 0);
    });
  });
  return { from, faded: Int32Array.from(Array.from(kept.keys()).filter((i) => !kept[i])) };
}

/** Columns of marks at `t`, and which of them stay and which fade in. */
export function onTheWay<M extends Links | Points | Ribbons>(
  next: M,
  kind: keyof typeof MOVING,
  way: Moved,
  t: number,
): { now: M; stay: Int32Array; come: Int32Array } {
  const e = ease(t);
  const target = next as unknown as Record<string, Float32Array>;
  const now = { ...next } as unknown as Record<string, Float32Array>;
  MOVING[kind].forEach(([name], c) => {
    const [a, b] = [way.from[c]!, target[name]!];
    const fresh = way.from[0]!;
    now[name] = b.map((to, i) => (Number.isNaN(fresh[i]!) ? to : a[i]! + (to - a[i]!) * e));
  });
  const all = Array.from({ length: next.n }, (_, i) => i);
  const stays = (i: number): boolean => !Number.isNaN(way.from[0]![i]!);
  return {
    now: now as unknown as M,
    stay: Int32Array.from(all.filter(stays)),
    come: Int32Array.from(all.filter((i) => !stays(i))),
  };
}
