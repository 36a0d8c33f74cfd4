// Axes of a plot: lines at their ticks, texts beside it, and strips where an axis is folded. A plot and its mapping go in.

import type { Axis } from "../protocol/Axis";
import type { Plot } from "../protocol/Plot";
import { ticks } from "./axis";
import type { Ink } from "./ink";
import { measurer } from "./labels";
import { shownAxis, type Mapping } from "./mapping";

/** Pixels between two ticks at least. */
const ACROSS = 90;
const DOWN = 24;

export function drawAxes(ctx: CanvasRenderingContext2D, plot: Plot, m: Mapping, ink: Ink): void {
  if (plot.y && plot.y.side !== "none") drawY(ctx, plot, plot.y, m, ink);
  if (plot.x && plot.x.side !== "none") drawX(ctx, plot, plot.x, m, ink);
}

function begin(ctx: CanvasRenderingContext2D, ink: Ink): void {
  ctx.font = `11px ${ink.font}`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = ink.muted;
}

function lines(ctx: CanvasRenderingContext2D, colour: string, draw: () => void): void {
  ctx.beginPath();
  draw();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke();
}

const sharp = (v: number): number => Math.round(v) + 0.5;

function drawY(ctx: CanvasRenderingContext2D, { rect }: Plot, axis: Axis, m: Mapping, ink: Ink): void {
  const [right, bottom] = [rect.x + rect.w, rect.y + rect.h];
  const all = ticks(shownAxis(axis, m.ay, m.by, rect.y, bottom), DOWN);
  if (axis.grid) {
    lines(ctx, ink.grid, () => {
      for (const { at } of all) {
        ctx.moveTo(rect.x, sharp(at));
        ctx.lineTo(right, sharp(at));
      }
    });
  }
  if (axis.side === "lines") return;
  begin(ctx, ink);
  ctx.textAlign = axis.side === "start" ? "right" : "left";
  for (const { at, text } of all)
    ctx.fillText(text, axis.side === "start" ? rect.x - 6 : right + 6, at + 0.5);
  ctx.textAlign = "left";
}

function drawX(ctx: CanvasRenderingContext2D, { rect }: Plot, axis: Axis, m: Mapping, ink: Ink): void {
  const [right, bottom] = [rect.x + rect.w, rect.y + rect.h];
  const all = ticks(shownAxis(axis, m.ax, m.bx, rect.x, right), ACROSS);
  const above = axis.side === "start";
  if (axis.grid) {
    lines(ctx, ink.grid, () => {
      for (const { at } of all) {
        ctx.moveTo(sharp(at), rect.y - (above ? 4 : 0));
        ctx.lineTo(sharp(at), bottom + (axis.side === "end" ? 4 : 0));
      }
    });
  }
  if (axis.side === "lines") return;
  lines(ctx, ink.line, () => {
    ctx.moveTo(rect.x, sharp(above ? rect.y : bottom));
    ctx.lineTo(right, sharp(above ? rect.y : bottom));
  });
  begin(ctx, ink);
  const measure = measurer(ctx, ctx.font);
  const y = above ? rect.y - 10 : bottom + 12;
  let free = -Infinity;
  for (const { at, text } of all) {
    // Not over the edge of the pane: the first and the last may stand beside their line.
    const w = measure(text);
    const left = Math.min(right + 8 - w, Math.max(rect.x - 24, at - w / 2));
    if (left < free + 6) continue;
    free = left + w;
    ctx.fillText(text, left, y);
  }
}

/** Where the axis is folded: a strip of surface between two broken lines. */
export function drawFolds(
  ctx: CanvasRenderingContext2D,
  { rect, x: axis }: Plot,
  m: Mapping,
  ink: Ink,
): void {
  if (!axis) return;
  const [top, bottom] = [rect.y, rect.y + rect.h];
  axis.stops.forEach((stop, i) => {
    const next = axis.stops[i + 1];
    if (!stop.folded || !next) return;
    const [a, b] = [stop.at * m.ax + m.bx, next.at * m.ax + m.bx];
    if (b < rect.x || a > rect.x + rect.w) return;
    ctx.fillStyle = ink.surface;
    ctx.fillRect(a, top, b - a, bottom - top);
    lines(ctx, ink.line, () => {
      for (const x of [a + 2, b - 2]) {
        for (let y = top, side = -2; y <= bottom; y += 8, side = -side) {
          if (y === top) ctx.moveTo(x + side, y);
          else ctx.lineTo(x + side, y);
        }
      }
    });
  });
}
