// The way from one DAG picture to the next: marks of the same node move, new ones grow out of the node that was
// opened, vanished ones shrink into the node that was closed, edges that stay move and others fade. Two pictures go
// in, rectangles at any moment come out; a new way can begin in the middle of another.

import type { Boxes, Links, Picture } from "../scene";
import { boxOf, marks, rectOf, type Rect } from "./marks";

export const TWEEN_MS = 200;

/** Rectangles of a scene's boxes at some moment. */
export interface Placed {
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
}

/** End points of a scene's links at some moment. */
export interface Strung {
  x0: Float32Array;
  y0: Float32Array;
  x1: Float32Array;
  y1: Float32Array;
}

export interface Tween {
  next: Picture;
  from: Placed;
  /** Where each link of the next picture begins; NaN in x0 for a link that fades in. */
  strung: Strung;
  old: Picture;
  /** Boxes of the old picture that vanish, with where they are and where they go. */
  gone: Int32Array;
  goneFrom: Placed;
  goneTo: Placed;
  /** Links of the old picture that fade out, and the shift that puts them into the new coordinates. */
  faded: Int32Array;
  shift: { x: number; y: number };
  began: number;
}

/** Slow at the end: what moves settles. */
export const ease = (t: number): number => 1 - (1 - t) ** 3;

export function progress(tween: Tween, now: number): number {
  return Math.min(1, Math.max(0, (now - tween.began) / TWEEN_MS));
}

/**
 * `acted` is the node that was opened or closed, `shift` what has to be added to old coordinates so that it stays
 * where it was; `placed` is where the old picture's boxes are now, if it was still moving.
 */
export function tween(
  old: Picture, placed: Placed, next: Picture, acted: number | null, shift: { x: number; y: number }, began: number,
): Tween {
  const was = marks(old);
  const is = marks(next);
  const oldAt = acted === null ? -1 : boxOf(old, acted);
  const nextAt = acted === null ? -1 : boxOf(next, acted);
  const oldRect = oldAt < 0 ? null : moved(at(placed, oldAt), shift);
  const nextRect = nextAt < 0 ? null : rectOf(next, nextAt);

  const from = room(next.boxes.n);
  for (let i = 0; i < next.boxes.n; i++) {
    const rect = rectOf(next, i);
    const owner = is.owner[i]!;
    const before = was.byKey.get(is.key[i]!);
    let start: Rect;
    if (before !== undefined) {
      const source = moved(at(placed, before), shift);
      start = owner === i ? source : carried(rect, rectOf(next, owner), source);
    } else {
      start = oldRect && nextRect && within(rect, nextRect) ? carried(rect, nextRect, oldRect) : shrunk(rect);
    }
    put(from, i, start);
  }

  const gone: number[] = [];
  for (let i = 0; i < old.boxes.n; i++) if (!is.byKey.has(was.key[i]!)) gone.push(i);
  const goneFrom = room(gone.length);
  const goneTo = room(gone.length);
  gone.forEach((i, j) => {
    const rect = moved(at(placed, i), shift);
    put(goneFrom, j, rect);
    put(goneTo, j, oldRect && nextRect && within(rect, oldRect) ? carried(rect, oldRect, nextRect) : shrunk(rect));
  });

  const { strung, faded } = matchLinks(old.links, next.links, shift);
  return { next, from, strung, old, gone: Int32Array.from(gone), goneFrom, goneTo, faded, shift, began };
}

/** Rectangles of the next picture's boxes at `t` in 0…1. */
export function between(from: Placed, to: Placed, t: number, out: Placed): Placed {
  const e = ease(t);
  for (const c of ["x", "y", "w", "h"] as const) {
    const [a, b, o] = [from[c], to[c], out[c]];
    for (let i = 0; i < o.length; i++) o[i] = a[i]! + (b[i]! - a[i]!) * e;
  }
  return out;
}

export const room = (n: number): Placed => ({
  x: new Float32Array(n), y: new Float32Array(n), w: new Float32Array(n), h: new Float32Array(n),
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
  r.x >= outer.x - 1 && r.y >= outer.y - 1 && r.x + r.w <= outer.x + outer.w + 1 && r.y + r.h <= outer.y + outer.h + 1;

/** The rectangle that lies in `to` as `r` lies in `from`. */
export function carried(r: Rect, from: Rect, to: Rect): Rect {
  const sx = to.w / Math.max(1e-6, from.w);
  const sy = to.h / Math.max(1e-6, from.h);
  return { x: to.x + (r.x - from.x) * sx, y: to.y + (r.y - from.y) * sy, w: r.w * sx, h: r.h * sy };
}

/** An edge with bends is several strokes between the same nodes: they are told apart by their order. */
function linkKeys(l: Links): string[] {
  const count = new Map<string, number>();
  return Array.from({ length: l.n }, (_, i) => {
    const edge = `${l.from[i]}>${l.to[i]}:${l.kind[i]}`;
    const ordinal = count.get(edge) ?? 0;
    count.set(edge, ordinal + 1);
    return `${edge}.${ordinal}`;
  });
}

function matchLinks(old: Links, next: Links, shift: { x: number; y: number }): { strung: Strung; faded: Int32Array } {
  const oldKeys = linkKeys(old);
  const nextKeys = linkKeys(next);
  const before = new Map<string, number>();
  for (let i = 0; i < old.n; i++) before.set(oldKeys[i]!, i);
  const strung: Strung = {
    x0: new Float32Array(next.n), y0: new Float32Array(next.n), x1: new Float32Array(next.n), y1: new Float32Array(next.n),
  };
  const kept = new Set<number>();
  for (let i = 0; i < next.n; i++) {
    const j = before.get(nextKeys[i]!);
    strung.x0[i] = j === undefined ? NaN : old.x0[j]! + shift.x;
    if (j === undefined) continue;
    kept.add(j);
    strung.y0[i] = old.y0[j]! + shift.y;
    strung.x1[i] = old.x1[j]! + shift.x;
    strung.y1[i] = old.y1[j]! + shift.y;
  }
  const faded: number[] = [];
  for (let i = 0; i < old.n; i++) if (!kept.has(i)) faded.push(i);
  return { strung, faded: Int32Array.from(faded) };
}
