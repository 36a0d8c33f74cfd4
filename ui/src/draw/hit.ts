// What lies under the pointer: the uppermost mark that can be hit, in the plot that it belongs to, with the values of the
// plot's axes there. A point of the pane goes in, a mark comes out; nothing is drawn.

import { standsFor, type Ref, type Scene, type Stands } from "../scene";
import type { Style } from "../protocol/Style";
import type { Size } from "./camera";
import { STILL, toScene, valuesAt, type Mapping } from "./mapping";
import { marks, styleOf } from "./marks";

export interface Hit extends Ref, Stands {
  /** Number of the plot, −1 for none. */
  plot: number;
  /** Values on the plot's axes; null without an axis. */
  at: { x: number | null; y: number | null };
}

/** The plot at a point of the pane, −1 for none. A graph that fills the scene fills the pane. */
export function plotAt(
  scene: Scene,
  _cameras: readonly (Mapping | null)[],
  size: Size,
  x: number,
  y: number,
): number {
  for (let i = scene.plots.length - 1; i >= 0; i--) {
    const { rect, camera } = scene.plots[i]!;
    const inside = x >= rect.x && y >= rect.y && x <= rect.x + rect.w && y <= rect.y + rect.h;
    if (camera === "xy" ? x >= 0 && y >= 0 && x <= size.w && y <= size.h : inside) return i;
  }
  return -1;
}

/** The mark at a point of the pane. Boxes may be missed by `slack` pixels. */
export function hit(
  scene: Scene,
  cameras: readonly (Mapping | null)[],
  size: Size,
  x: number,
  y: number,
  slack = 2,
): Hit | null {
  const plot = plotAt(scene, cameras, size, x, y);
  const mapping = (plot < 0 ? null : cameras[plot]) ?? STILL;
  const found =
    (plot < 0 ? null : search(scene, plot, mapping, x, y, slack)) ?? search(scene, -1, STILL, x, y, slack);
  if (!found) return null;
  const values = plot < 0 ? { x: null, y: null } : valuesAt(scene.plots[plot]!, mapping, x, y);
  return { ...found, ...standsFor(scene, found), plot, at: values };
}

interface Found {
  ref: Ref;
  rank: number;
  size: number;
}

/** Higher ranks win, then smaller marks. */
const above = (a: Found, b: Found | null): boolean =>
  b === null || a.rank > b.rank || (a.rank === b.rank && a.size < b.size);

function search(scene: Scene, plot: number, m: Mapping, px: number, py: number, slack: number): Ref | null {
  const index = marks(scene);
  const { x, y } = toScene(m, px, py);
  const near = { x: slack / Math.abs(m.ax), y: slack / Math.abs(m.ay) };
  let best: Found | null = null;
  const each = (kind: Ref["kind"], n: number, test: (i: number) => void): void => {
    const [from, to] = plot < 0 ? [0, n] : scene.plots[plot]!.marks[kind];
    for (let i = Math.min(to, n) - 1; i >= from; i--) if (plot >= 0 || index.plot(kind, i) < 0) test(i);
  };
  const offer = (ref: Ref, style: Style, size: number): void => {
    const found = { ref, rank: style.rank, size };
    if (above(found, best)) best = found;
  };

  const b = scene.boxes;
  each("boxes", b.n, (i) => {
    const style = styleOf(scene, b.style[i]!);
    if (!style.hit) return;
    const out = style.shape === "envelope" ? { x: 0, y: 0 } : near;
    if (
      x < b.x[i]! - out.x ||
      y < b.y[i]! - out.y ||
      x > b.x[i]! + b.w[i]! + out.x ||
      y > b.y[i]! + b.h[i]! + out.y
    )
      return;
    offer({ kind: "boxes", index: i }, style, b.w[i]! * b.h[i]!);
  });
  const p = scene.points;
  each("points", p.n, (i) => {
    const style = styleOf(scene, p.style[i]!);
    const far = Math.hypot(x - p.x[i]!, y - p.y[i]!);
    if (style.hit && far <= p.r[i]! + Math.max(near.x, near.y))
      offer({ kind: "points", index: i }, style, far);
  });
  const r = scene.ribbons;
  each("ribbons", r.n, (i) => {
    const style = styleOf(scene, r.style[i]!);
    if (!style.hit || x < Math.min(r.x0[i]!, r.x1[i]!) || x > Math.max(r.x0[i]!, r.x1[i]!)) return;
    const t = along(style.curve === "smooth", r.x0[i]!, r.x1[i]!, x);
    const top = r.top0[i]! + (r.top1[i]! - r.top0[i]!) * t;
    const bottom = r.bottom0[i]! + (r.bottom1[i]! - r.bottom0[i]!) * t;
    if (y >= top - near.y / 2 && y <= bottom + near.y / 2)
      offer({ kind: "ribbons", index: i }, style, bottom - top);
  });
  const g = scene.polygons;
  each("polygons", g.n, (i) => {
    const style = styleOf(scene, g.style[i]!);
    if (!style.hit) return;
    const from = i === 0 ? 0 : g.end[i - 1]!;
    const [xs, ys] = [g.x.subarray(from, g.end[i]), g.y.subarray(from, g.end[i])];
    const on = style.shape === "line" ? nearLine(xs, ys, m, px, py, slack + 2) : inside(xs, ys, x, y);
    if (on) offer({ kind: "polygons", index: i }, style, 0);
  });
  const l = scene.links;
  each("links", l.n, (i) => {
    const style = styleOf(scene, l.style[i]!);
    if (!style.hit) return;
    const far = fromLink(style, m, px, py, l.x0[i]!, l.y0[i]!, l.x1[i]!, l.y1[i]!);
    if (far <= slack + 1 + style.width / 2) offer({ kind: "links", index: i }, style, far);
  });
  each("areas", scene.areas.length, (i) => {
    const a = scene.areas[i]!;
    const style = styleOf(scene, a.style);
    const cell = Math.floor((x - a.x) / a.cell);
    if (!style.hit || cell < 0 || cell >= a.n) return;
    const [low, high] = [Math.max(a.y0[cell]!, a.y1[cell]!), Math.min(a.y0[cell]!, a.y1[cell]!)];
    if (y >= high && y <= low) offer({ kind: "areas", index: i, cell }, style, low - high);
  });
  each("grids", scene.grids.length, (i) => {
    const grid = scene.grids[i]!;
    const style = styleOf(scene, grid.style);
    const [column, row] = [
      Math.floor(((x - grid.x) / grid.w) * grid.nx),
      Math.floor(((y - grid.y) / grid.h) * grid.ny),
    ];
    if (!style.hit || column < 0 || row < 0 || column >= grid.nx || row >= grid.ny) return;
    const cell = row * grid.nx + column;
    if (grid.level[cell]! > 0) offer({ kind: "grids", index: i, cell }, style, 0);
  });
  if (best === null) return null;
  return leadsTo(scene, (best as Found).ref);
}

/** A part without a press of its own leads to what it belongs to. */
function leadsTo(scene: Scene, ref: Ref): Ref {
  if (ref.kind !== "boxes" && ref.kind !== "points") return ref;
  const style = styleOf(scene, scene[ref.kind].style[ref.index]!);
  if (!style.moves || style.press !== "none") return ref;
  const owner = ref.kind === "boxes" ? marks(scene).owner[ref.index]! : marks(scene).pointOwner[ref.index]!;
  return owner < 0 ? ref : { kind: "boxes", index: owner };
}

/** How far the way from one end to the other has come at x: its share of the rise. */
function along(smooth: boolean, x0: number, x1: number, x: number): number {
  const share = x1 === x0 ? 0 : (x - x0) / (x1 - x0);
  if (!smooth) return share;
  // x(t) of the cubic with both control points in the middle, inverted.
  let [low, high] = [0, 1];
  for (let i = 0; i < 24; i++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t * t * t < share) low = t;
    else high = t;
  }
  const t = (low + high) / 2;
  return t * t * (3 - 2 * t);
}

function inside(xs: Float32Array, ys: Float32Array, x: number, y: number): boolean {
  let odd = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    const crosses =
      ys[i]! > y !== ys[j]! > y && x < ((xs[j]! - xs[i]!) * (y - ys[i]!)) / (ys[j]! - ys[i]!) + xs[i]!;
    if (crosses) odd = !odd;
  }
  return odd;
}

/** Pixels from a point to a stretch. */
function fromStretch(px: number, py: number, x0: number, y0: number, x1: number, y1: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - x0) * dx + (py - y0) * dy) / length));
  return Math.hypot(px - x0 - t * dx, py - y0 - t * dy);
}

function nearLine(
  xs: Float32Array,
  ys: Float32Array,
  m: Mapping,
  px: number,
  py: number,
  reach: number,
): boolean {
  for (let i = 1; i < xs.length; i++) {
    const far = fromStretch(
      px,
      py,
      xs[i - 1]! * m.ax + m.bx,
      ys[i - 1]! * m.ay + m.by,
      xs[i]! * m.ax + m.bx,
      ys[i]! * m.ay + m.by,
    );
    if (far <= reach) return true;
  }
  return false;
}

function fromLink(
  style: Style,
  m: Mapping,
  px: number,
  py: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): number {
  const [ax, ay, bx, by] = [x0 * m.ax + m.bx, y0 * m.ay + m.by, x1 * m.ax + m.bx, y1 * m.ay + m.by];
  if (style.curve !== "smooth") return fromStretch(px, py, ax, ay, bx, by);
  if (px < Math.min(ax, bx) - 4 || px > Math.max(ax, bx) + 4) return Infinity;
  const x = Math.min(Math.max(ax, bx), Math.max(Math.min(ax, bx), px));
  return Math.abs(py - (ay + (by - ay) * along(true, ax, bx, x)));
}
