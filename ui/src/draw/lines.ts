// Links, ribbons and polygons of one look. Scene coordinates go in, pixels come out; what is off the screen is skipped.

import { DASH, HATCH_FROM } from "../protocol/constants";
import type { Links, Polygons, Ribbons } from "../scene";
import type { Look, View } from "./paint";

/** More dashed strokes than this on the screen are drawn solid: dashing is what takes longest. */
const DASHED = 400;
/** Length of an arrowhead in scene units. */
const HEAD = 8;
/** A ribbon is at least this thick. */
const THIN = 0.8;

export function drawLinks(
  ctx: CanvasRenderingContext2D,
  view: View,
  look: Look,
  links: Links,
  list: ArrayLike<number>,
): void {
  const { style, border } = look;
  if (border === null) return;
  const { m, k, seen } = view;
  const [left, top, right, bottom] = [seen.x, seen.y, seen.x + seen.w, seen.y + seen.h];
  const base = ctx.globalAlpha;
  const dash =
    style.dash !== "solid" && k > 0.4 && countSeen(view, links, list) < DASHED ? [...DASH[style.dash]] : [];
  const width = k < 0.3 ? Math.max(1, style.width * 0.6) : style.width;
  const smooth = style.curve === "smooth";
  ctx.strokeStyle = ctx.fillStyle = border;
  // Far out, thin lines in full strength would add up to a grey smear.
  ctx.globalAlpha =
    base * style.opacity * (style.width < 2 ? 0.8 : 1) * (style.width < 2 ? Math.min(1, 0.35 + k) : 1);
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    const x0 = links.x0[i]! * m.ax + m.bx;
    const y0 = links.y0[i]! * m.ay + m.by;
    const x1 = links.x1[i]! * m.ax + m.bx;
    const y1 = links.y1[i]! * m.ay + m.by;
    if (
      Math.max(x0, x1) < left ||
      Math.min(x0, x1) > right ||
      Math.max(y0, y1) < top ||
      Math.min(y0, y1) > bottom
    )
      continue;
    if (Math.abs(x1 - x0) + Math.abs(y1 - y0) < (k < 0.2 ? 1.5 : 1)) continue;
    if (style.arrow) arrow(ctx, k, smooth ? (x0 + x1) / 2 : x0, smooth ? y1 : y0, x1, y1);
    const level = Math.abs(y1 - y0) < 0.01;
    if (smooth && !level) {
      const middle = (x0 + x1) / 2;
      ctx.moveTo(x0, y0);
      ctx.bezierCurveTo(middle, y0, middle, y1, x1, y1);
    } else if (dash.length === 0 && (level || Math.abs(x1 - x0) < 0.01)) {
      // As rectangles on whole pixels they are sharp, and fast.
      const x = Math.round(Math.min(x0, x1) - (level ? 0 : width / 2));
      const y = Math.round(Math.min(y0, y1) - (level ? width / 2 : 0));
      ctx.fillRect(
        x,
        y,
        level ? Math.abs(x1 - x0) + width : width,
        level ? width : Math.abs(y1 - y0) + width,
      );
    } else {
      const snap =
        dash.length > 0 && (level || x0 === x1) ? (v: number) => Math.round(v) + 0.5 : (v: number) => v;
      ctx.moveTo(snap(x0), snap(y0));
      ctx.lineTo(snap(x1), snap(y1));
    }
  }
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = base;
}

function countSeen({ m, seen }: View, links: Links, list: ArrayLike<number>): number {
  let n = 0;
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    const [x, y] = [links.x0[i]! * m.ax + m.bx, links.y0[i]! * m.ay + m.by];
    if (x >= seen.x && x <= seen.x + seen.w && y >= seen.y && y <= seen.y + seen.h) n++;
  }
  return n;
}

function arrow(
  ctx: CanvasRenderingContext2D,
  k: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const head = Math.min(HEAD * k, length);
  if (head < 2) return;
  const [ux, uy] = [((x1 - x0) / length) * head, ((y1 - y0) / length) * head];
  const tip = new Path2D();
  tip.moveTo(x1, y1);
  tip.lineTo(x1 - ux - uy / 2, y1 - uy + ux / 2);
  tip.lineTo(x1 - ux + uy / 2, y1 - uy - ux / 2);
  tip.closePath();
  ctx.fill(tip);
}

function fillAndStroke(
  ctx: CanvasRenderingContext2D,
  { style, border, fill, flat }: Look,
  small: boolean,
): void {
  const paint = small ? flat : fill;
  if (paint !== null) {
    ctx.fillStyle = paint;
    ctx.fill();
  }
  if (border === null) return;
  ctx.strokeStyle = border;
  ctx.lineWidth = style.width;
  ctx.setLineDash([...DASH[style.dash]]);
  ctx.stroke();
  ctx.setLineDash([]);
}

export function drawRibbons(
  ctx: CanvasRenderingContext2D,
  view: View,
  look: Look,
  r: Ribbons,
  list: ArrayLike<number>,
): void {
  const { m, seen } = view;
  const { style } = look;
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * style.opacity;
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    const [x0, x1] = [r.x0[i]! * m.ax + m.bx, r.x1[i]! * m.ax + m.bx];
    let [a, b] = [r.top0[i]! * m.ay + m.by, r.bottom0[i]! * m.ay + m.by];
    let [c, d] = [r.top1[i]! * m.ay + m.by, r.bottom1[i]! * m.ay + m.by];
    if (Math.max(x0, x1) < seen.x || Math.min(x0, x1) > seen.x + seen.w) continue;
    if (Math.max(b, d) < seen.y || Math.min(a, c) > seen.y + seen.h) continue;
    if (b - a < THIN) [a, b] = [(a + b - THIN) / 2, (a + b + THIN) / 2];
    if (d - c < THIN) [c, d] = [(c + d - THIN) / 2, (c + d + THIN) / 2];
    const middle = (x0 + x1) / 2;
    ctx.beginPath();
    ctx.moveTo(x0, a);
    if (style.curve === "smooth") ctx.bezierCurveTo(middle, a, middle, c, x1, c);
    else ctx.lineTo(x1, c);
    ctx.lineTo(x1, d);
    if (style.curve === "smooth") ctx.bezierCurveTo(middle, d, middle, b, x0, b);
    else ctx.lineTo(x0, b);
    ctx.closePath();
    fillAndStroke(ctx, look, Math.max(b - a, d - c) < HATCH_FROM);
  }
  ctx.globalAlpha = base;
}

export function drawPolygons(
  ctx: CanvasRenderingContext2D,
  view: View,
  look: Look,
  p: Polygons,
  list: ArrayLike<number>,
): void {
  const { m, seen } = view;
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * look.style.opacity;
  const open = look.style.shape === "line";
  for (let j = 0; j < list.length; j++) {
    const i = list[j]!;
    const from = i === 0 ? 0 : p.end[i - 1]!;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    ctx.beginPath();
    for (let q = from; q < p.end[i]!; q++) {
      const [x, y] = [p.x[q]! * m.ax + m.bx, p.y[q]! * m.ay + m.by];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
      if (q === from) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    if (right < seen.x || left > seen.x + seen.w || bottom < seen.y || top > seen.y + seen.h) continue;
    if (!open) ctx.closePath();
    fillAndStroke(
      ctx,
      open ? { ...look, fill: null, flat: null } : look,
      Math.min(right - left, bottom - top) < HATCH_FROM,
    );
  }
  ctx.globalAlpha = base;
}
