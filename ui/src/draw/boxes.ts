// Boxes and points of one look: sheets behind, fills, borders, second borders, feet and signs. What is off the screen is
// skipped, what is too small to be seen is drawn without borders. Scene rectangles go in, pixels come out.

import { DASH, HATCH_FROM } from "../protocol/constants";
import type { Points } from "../scene";
import type { Look, View } from "./paint";
import { isHatch } from "./paint";
import { isRect, SHAPE_FROM, trace, traceFoot, traceInner, traceSheets, traceSign } from "./shapes";
import type { Placed } from "./tween";

/** Below this many pixels a border would hide the fill. */
const BORDER_FROM = 5;
/** Below this many pixels a strong border is the mark. */
const STRONG_FROM = 3;
/** More dashed borders than this on the screen are drawn solid: dashing is what takes longest. */
const DASHED = 600;
/** Envelopes smaller than this are a plain outline. */
const PLAIN_BELOW = 40;
/** Signs smaller than this are left out. */
const SIGN_FROM = 4.5;
/** Signs that are seen are at least this large. */
const SIGN_LEAST = 8;

/** Screen rectangles of the marks of a batch that are on the screen; reused between batches. */
let seen = new Float32Array(4096);

/** Clipped to just outside of what can be seen: a border of a million pixels would be slow to stroke. */
const OUTSIDE = 16;

function onScreen({ m, seen: s }: View, p: Placed, list: ArrayLike<number>, least: number): number {
  if (seen.length < list.length * 4) seen = new Float32Array(list.length * 6);
  const [right, bottom] = [s.x + s.w + 8, s.y + s.h + 8];
  const [left, top] = [s.x - 8, s.y - 8];
  let n = 0;
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    let x = p.x[i]! * m.ax + m.bx;
    let y = p.y[i]! * m.ay + m.by;
    let w = p.w[i]! * m.ax;
    let h = p.h[i]! * m.ay;
    if (x > right || y > bottom || x + w < left || y + h < top || w * h < least) continue;
    if (w < 0.75) w = 0.75;
    if (h < 0.75) h = 0.75;
    if (w > s.w + 64) {
      const x0 = Math.max(x, s.x - OUTSIDE);
      w = Math.min(x + w, s.x + s.w + OUTSIDE) - x0;
      x = x0;
    }
    if (h > s.h + 64) {
      const y0 = Math.max(y, s.y - OUTSIDE);
      h = Math.min(y + h, s.y + s.h + OUTSIDE) - y0;
      y = y0;
    }
    seen[n] = x;
    seen[n + 1] = y;
    seen[n + 2] = w;
    seen[n + 3] = h;
    n += 4;
  }
  return n;
}

export function drawBoxes(
  ctx: CanvasRenderingContext2D,
  view: View,
  look: Look,
  p: Placed,
  list: ArrayLike<number>,
): void {
  // Of a part less than half a pixel of ink: nobody sees it, and thousands of them take time.
  const n = onScreen(view, p, list, look.style.moves ? 0.5 : -1);
  if (n > 0) drawSeen(ctx, view, look, n);
}

const points: Placed = {
  x: new Float32Array(0),
  y: new Float32Array(0),
  w: new Float32Array(0),
  h: new Float32Array(0),
};

/** A point keeps its form where the plot is stretched. */
export function drawPoints(
  ctx: CanvasRenderingContext2D,
  view: View,
  look: Look,
  p: Points,
  list: ArrayLike<number>,
): void {
  if (points.x.length < p.n)
    for (const c of ["x", "y", "w", "h"] as const) points[c] = new Float32Array(p.n * 2);
  const { m, k } = view;
  const sign = look.style.shape === "alert" || look.style.shape === "check";
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    let r = Math.max(0.75, p.r[i]! * k);
    if (sign && 2 * r >= SIGN_FROM) r = Math.max(r, SIGN_LEAST / 2);
    points.x[i] = p.x[i]! * m.ax + m.bx - r;
    points.y[i] = p.y[i]! * m.ay + m.by - r;
    points.w[i] = points.h[i] = 2 * r;
  }
  const still: View = { ...view, m: { ax: 1, bx: 0, ay: 1, by: 0 } };
  const n = onScreen(still, points, list, -1);
  if (n > 0) drawSeen(ctx, still, look, n);
}

function drawSeen(ctx: CanvasRenderingContext2D, view: View, look: Look, n: number): void {
  const { style } = look;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * style.opacity;
  if (style.shape === "envelope") drawEnvelopes(ctx, look, n);
  else {
    if (style.sheets > 0 && view.k > 0.25) drawSheets(ctx, view, look, n);
    drawFills(ctx, look, n);
    drawExtras(ctx, view, look, n);
  }
  ctx.globalAlpha = alpha;
}

/** Thousands of these at a far zoom: small ones have no round corners and no fill. */
function drawEnvelopes(ctx: CanvasRenderingContext2D, { fill, border, style }: Look, n: number): void {
  const alpha = ctx.globalAlpha;
  ctx.fillStyle = fill ?? "transparent";
  ctx.strokeStyle = border ?? "transparent";
  ctx.lineWidth = style.width;
  for (let j = 0; j < n; j += 4) {
    const [x, y, w, h] = [seen[j]!, seen[j + 1]!, seen[j + 2]!, seen[j + 3]!];
    if (w < PLAIN_BELOW || h < PLAIN_BELOW) {
      if (w >= 4 && h >= 4) ctx.strokeRect(x, y, w, h);
      continue;
    }
    ctx.beginPath();
    trace(ctx, "envelope", x, y, w, h);
    ctx.globalAlpha = alpha * 0.45;
    ctx.fill();
    ctx.globalAlpha = alpha;
    ctx.stroke();
  }
}

function drawSheets(
  ctx: CanvasRenderingContext2D,
  { ink, k }: View,
  { style, border }: Look,
  n: number,
): void {
  ctx.fillStyle = ink.surface;
  ctx.strokeStyle = border ?? ink.edge;
  ctx.lineWidth = 1;
  for (let j = 0; j < n; j += 4) {
    if (seen[j + 2]! < 12) continue;
    ctx.beginPath();
    traceSheets(ctx, style.sheets, seen[j]!, seen[j + 1]!, seen[j + 2]!, seen[j + 3]!, k);
    ctx.fill();
    ctx.stroke();
  }
}

/** One small path or rectangle after the other: much faster to rasterise than one long path over the whole screen. */
function drawFills(ctx: CanvasRenderingContext2D, { style, fill, flat, border }: Look, n: number): void {
  const solidBorder = border !== null && style.dash === "solid";
  const strong = border !== null && style.width >= 1.5;
  const rectangle = isRect(style.shape);
  const hatch = isHatch(style.fill);
  const sign = style.shape === "minus" || style.shape === "alert" || style.shape === "check";
  // A thin gap separates neighbours without a border.
  const gap = border === null && !style.moves && rectangle ? 0.5 : 0;
  ctx.fillStyle = fill ?? "transparent";
  ctx.strokeStyle = border ?? "transparent";
  ctx.lineWidth = style.width;
  for (let j = 0; j < n; j += 4) {
    const [x, y, w, h] = [seen[j]!, seen[j + 1]!, seen[j + 2]!, seen[j + 3]!];
    if (sign && w < SIGN_FROM) continue;
    const small = w < BORDER_FROM || h < BORDER_FROM;
    if (strong && (w < STRONG_FROM || h < STRONG_FROM)) {
      // Too small for its border, it is still seen.
      ctx.fillStyle = border;
      ctx.fillRect(x, y, Math.max(1, w), Math.max(1, h));
      ctx.fillStyle = fill ?? "transparent";
      continue;
    }
    if (hatch) ctx.fillStyle = (w < HATCH_FROM || h < HATCH_FROM ? flat : fill) ?? "transparent";
    const bordered = solidBorder && (!small || strong);
    if (rectangle || w < SHAPE_FROM || h < SHAPE_FROM) {
      if (fill !== null) ctx.fillRect(x, y, gap > 0 && w > 4 ? w - gap : w, h);
      if (bordered) ctx.strokeRect(x, y, w, h);
    } else {
      ctx.beginPath();
      trace(ctx, style.shape, x, y, w, h);
      if (fill !== null) ctx.fill();
      if (bordered) ctx.stroke();
    }
  }
}

/** Dashed borders, second borders, feet and signs. */
function drawExtras(ctx: CanvasRenderingContext2D, { ink }: View, look: Look, n: number): void {
  const { style, border } = look;
  const each = (from: number, path: (x: number, y: number, w: number, h: number) => void): boolean => {
    ctx.beginPath();
    let any = false;
    for (let j = 0; j < n; j += 4) {
      if (seen[j + 2]! < from || seen[j + 3]! < Math.min(from, 10)) continue;
      any = true;
      path(seen[j]!, seen[j + 1]!, seen[j + 2]!, seen[j + 3]!);
    }
    return any;
  };
  if (border !== null && style.dash !== "solid") {
    ctx.strokeStyle = border;
    ctx.lineWidth = style.width;
    ctx.setLineDash(n / 4 < DASHED ? [...DASH[style.dash]] : []);
    if (each(STRONG_FROM, (x, y, w, h) => trace(ctx, style.shape, x, y, w, h))) ctx.stroke();
    ctx.setLineDash([]);
  }
  if (style.inner !== "none") {
    const inset = style.inner === "light" ? style.width / 2 + 0.5 : 2.5;
    const alpha = ctx.globalAlpha;
    ctx.strokeStyle = look.inner;
    ctx.lineWidth = 1;
    if (style.inner === "line") ctx.globalAlpha = alpha * 0.6;
    if (style.inner === "dots") ctx.setLineDash([...DASH.dotted]);
    const from = style.inner === "light" ? 16 : 12;
    if (each(from, (x, y, w, h) => traceInner(ctx, style.shape, inset, x, y, w, h))) ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = alpha;
  }
  if (style.foot) {
    ctx.strokeStyle = style.width > 1 && border ? border : ink.edge;
    ctx.lineWidth = 2;
    if (each(SHAPE_FROM, (x, y, w, h) => traceFoot(ctx, x, y, w, h))) ctx.stroke();
  }
  if (style.shape === "alert" || style.shape === "check" || style.shape === "minus") {
    ctx.strokeStyle = look.on;
    ctx.lineWidth = style.shape === "minus" ? 1 : 1.5;
    if (each(SIGN_FROM, (x, y, w, h) => void traceSign(ctx, style.shape, x, y, w, h))) ctx.stroke();
  }
}
