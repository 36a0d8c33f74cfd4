// What hands draw over plots: the band of the selection's time, the brush, the line at the pointer with its
// reading. A scene and mappings go in, pixels come out.

import { reading } from "../format";
import { plotAt, type Hit } from "../draw/hit";
import { rectOnScreen } from "../draw/marks";
import { screenOf, valuesAt, type Mapping } from "../draw/mapping";
import type { Ink } from "../draw/ink";
import type { Scene } from "../scene";
import type { Span } from "../protocol/Span";

export interface Point {
  x: number;
  y: number;
}

/** A stretch that is being brushed. */
export interface Brushed {
  plot: number;
  from: Point;
  to: Point;
}

type Cameras = readonly (Mapping | null)[];

/** The stretch of time of the selection, behind the marks. */
export function drawBand(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  at: Cameras,
  ink: Ink,
  time: Span | null,
): void {
  if (!time) return;
  ctx.fillStyle = ink.accent;
  ctx.globalAlpha = 0.09;
  scene.plots.forEach((plot, i) => {
    if (plot.camera !== "x") return;
    const { x, y, w, h } = plot.rect;
    const left = Math.max(x, screenOf(plot, at[i] ?? null, { x: time[0] }).x ?? x);
    const right = Math.min(x + w, screenOf(plot, at[i] ?? null, { x: time[1] }).x ?? x);
    if (right > left) ctx.fillRect(left, y, Math.max(1, right - left), h);
  });
  ctx.globalAlpha = 1;
}

/** A line around the mark under the pointer, cut off where its plot ends. */
export function drawHovered(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  at: Cameras,
  ink: Ink,
  hit: Hit | null,
): void {
  const plot = hit && scene.plots[hit.plot];
  if (!hit || !plot || hit.kind === "areas") return;
  const r = rectOnScreen(scene, at, hit);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plot.rect.x - 1, plot.rect.y - 1, plot.rect.w + 2, plot.rect.h + 2);
  ctx.clip();
  ctx.strokeStyle = ink.text;
  ctx.lineWidth = 1;
  ctx.strokeRect(r.x - 0.5, r.y - 0.5, Math.max(2, r.w) + 1, Math.max(2, r.h) + 1);
  ctx.restore();
}

/** A stretch of the axis, or a rectangle where nodes are chosen. */
export function drawBrush(ctx: CanvasRenderingContext2D, scene: Scene, ink: Ink, b: Brushed | null): void {
  const plot = b && scene.plots[b.plot];
  if (!b || !plot) return;
  const { x, y, w, h } = plot.rect;
  const left = Math.max(x, Math.min(b.from.x, b.to.x));
  const right = Math.min(x + w, Math.max(b.from.x, b.to.x));
  const free = plot.brush === "nodes";
  const [top, bottom] = free ? [Math.min(b.from.y, b.to.y), Math.max(b.from.y, b.to.y)] : [y, y + h];
  ctx.fillStyle = ctx.strokeStyle = ink.accent;
  ctx.globalAlpha = 0.14;
  ctx.fillRect(left, top, right - left, bottom - top);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1;
  ctx.strokeRect(left + 0.5, top + 0.5, right - left, bottom - top);
}

/** A line at the pointer through all plots with the same axis, with its reading. */
export function drawPointer(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  at: Cameras,
  ink: Ink,
  size: { w: number; h: number },
  p: Point | null,
): void {
  const here = p ? plotAt(scene, at, size, p.x, p.y) : -1;
  const plot = scene.plots[here];
  if (!p || !plot?.x || plot.x.side === "none") return;
  const mapping = at[here] ?? null;
  const value = valuesAt(plot, mapping, p.x, p.y).x;
  const next = valuesAt(plot, mapping, p.x + 1, p.y).x;
  if (value === null || next === null) return;
  ctx.strokeStyle = ink.edge;
  ctx.globalAlpha = 0.6;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const { camera, rect } of scene.plots) {
    if (camera !== plot.camera || rect.x !== plot.rect.x) continue;
    ctx.moveTo(Math.round(p.x) + 0.5, rect.y);
    ctx.lineTo(Math.round(p.x) + 0.5, rect.y + rect.h);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  label(ctx, ink, p.x, plot.rect, reading(value, Math.abs(next - value), plot.x.unit));
}

function label(
  ctx: CanvasRenderingContext2D,
  ink: Ink,
  x: number,
  rect: { x: number; y: number; w: number },
  text: string,
): void {
  ctx.font = `11px ${ink.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const w = ctx.measureText(text).width + 10;
  const left = Math.min(rect.x + rect.w - w, Math.max(rect.x, x + 6));
  ctx.fillStyle = ink.text;
  ctx.fillRect(left, rect.y + 2, w, 17);
  ctx.fillStyle = ink.surface;
  ctx.fillText(text, left + 5, rect.y + 11);
}
