// The camera over a graph: where scene units land on the screen, and how zooming, panning and fitting move it. Pure
// arithmetic: a camera and a viewport go in, a camera or a point comes out.

import { boxOf, boxRect } from "./marks";
import type { Scene } from "../scene";

/** The scene point in the middle of the pane, and the zoom. */
export interface Camera {
  x: number;
  y: number;
  k: number;
}

export interface Size {
  w: number;
  h: number;
}

export const LEAST_ZOOM = 0.002;
export const MOST_ZOOM = 12;
/** Below this zoom no label can be read: a run does not open further out than this. */
const READABLE = 0.55;

export const toScreenX = (c: Camera, v: Size, x: number): number => (x - c.x) * c.k + v.w / 2;
export const toScreenY = (c: Camera, v: Size, y: number): number => (y - c.y) * c.k + v.h / 2;
export const toSceneX = (c: Camera, v: Size, x: number): number => (x - v.w / 2) / c.k + c.x;
export const toSceneY = (c: Camera, v: Size, y: number): number => (y - v.h / 2) / c.k + c.y;

export const panned = (c: Camera, dx: number, dy: number): Camera => ({
  ...c,
  x: c.x - dx / c.k,
  y: c.y - dy / c.k,
});

/** Zooms by a factor so that the scene point under the pointer stays there. */
export function zoomedAt(c: Camera, v: Size, px: number, py: number, factor: number): Camera {
  const k = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, c.k * factor));
  const x = toSceneX(c, v, px);
  const y = toSceneY(c, v, py);
  return { k, x: x - (px - v.w / 2) / k, y: y - (py - v.h / 2) / k };
}

/** Small scenes are not blown up beyond this, neither when asked nor when they open. */
const FIT_ZOOM = 4;
const OPEN_ZOOM = 1.25;

/** The whole scene with a margin. */
export function fitted(scene: Size, v: Size, most = FIT_ZOOM, margin = 24): Camera {
  const k = Math.min(
    (v.w - 2 * margin) / Math.max(1, scene.w),
    (v.h - 2 * margin) / Math.max(1, scene.h),
    most,
  );
  return { x: scene.w / 2, y: scene.h / 2, k: Math.max(LEAST_ZOOM, k) };
}

/** Where a scene opens: all of it if it can be read, else its top at a size that can. */
export function home(scene: Size, v: Size, rootX: number): Camera {
  const all = fitted(scene, v, OPEN_ZOOM);
  if (all.k >= READABLE) return all;
  const k = READABLE;
  const wide = scene.w * k > v.w - 48;
  const tall = scene.h * k > v.h - 48;
  return { k, x: wide ? rootX : scene.w / 2, y: tall ? (v.h / 2 - 24) / k : scene.h / 2 };
}

/** The middle of what a scene begins with. */
export const rootX = (scene: Scene): number =>
  scene.boxes.n > 0 ? scene.boxes.x[0]! + scene.boxes.w[0]! / 2 : scene.width / 2;

/** Shows a rectangle: moves only as far as needed, zooms in only when it would be too small to see. */
export function revealing(c: Camera, v: Size, r: { x: number; y: number; w: number; h: number }): Camera {
  let k = c.k;
  if (r.w * k < 24 || r.h * k < 10)
    k = Math.min(1, Math.max(24 / Math.max(r.w, 1e-6), 10 / Math.max(r.h, 1e-6), READABLE));
  const next = { ...c, k };
  const left = toScreenX(next, v, r.x);
  const top = toScreenY(next, v, r.y);
  const [right, bottom] = [left + r.w * k, top + r.h * k];
  const margin = 48;
  const inside = left >= margin && top >= margin && right <= v.w - margin && bottom <= v.h - margin;
  const covers =
    left < v.w / 2 &&
    right > v.w / 2 &&
    top < v.h / 2 &&
    bottom > v.h / 2 &&
    (r.w * k > v.w || r.h * k > v.h);
  if (k === c.k && (inside || covers)) return c;
  const tall = r.h * k > v.h - 2 * margin;
  return { k, x: r.x + r.w / 2, y: tall ? r.y + (v.h / 2 - margin) / k : r.y + r.h / 2 };
}

/** The camera under which the first of the nodes that both scenes draw is where it was: its middle and its top stay. */
export function anchored(old: Scene, next: Scene, nodes: number[], c: Camera): Camera | null {
  for (const node of nodes) {
    const [from, to] = [boxOf(old, node), boxOf(next, node)];
    if (from < 0 || to < 0) continue;
    const [was, is] = [boxRect(old, from), boxRect(next, to)];
    return { ...c, x: c.x + is.x + is.w / 2 - was.x - was.w / 2, y: c.y + is.y - was.y };
  }
  return null;
}

/** Not further over the scene's edge than a margin, on the axes where the scene is larger than the screen. */
export function snug(c: Camera, scene: Size, v: Size, margin = 24): Camera {
  const within = (at: number, extent: number, view: number): number => {
    const reach = (view / 2 - margin) / c.k;
    return extent * c.k <= view - 2 * margin ? at : Math.min(extent - reach, Math.max(reach, at));
  };
  return { k: c.k, x: within(c.x, scene.w, v.w), y: within(c.y, scene.h, v.h) };
}

/** Keeps at least a corner of the scene on the screen: nobody should face an empty canvas. */
export function kept(c: Camera, scene: Size, v: Size, corner = 80): Camera {
  const within = (at: number, extent: number, view: number): number => {
    const reach = Math.max(0, view / 2 - Math.min(corner, extent * c.k)) / c.k;
    return Math.min(extent + reach, Math.max(-reach, at));
  };
  const [x, y] = [within(c.x, scene.w, v.w), within(c.y, scene.h, v.h)];
  return x === c.x && y === c.y ? c : { x, y, k: c.k };
}

/** The same zoom and the same relative place in another scene, for two runs side by side. */
export function alike(c: Camera, from: Size, to: Size): Camera {
  return { k: c.k, x: (c.x / Math.max(1, from.w)) * to.w, y: (c.y / Math.max(1, from.h)) * to.h };
}
