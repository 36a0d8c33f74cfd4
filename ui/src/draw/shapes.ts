// Outlines of the marks: what a node is can be told by its shape as well as by its colour. A rectangle in screen
// pixels goes in, a subpath of the current path comes out; all marks of one colour are filled in one go.

import { SHAPE } from "../scene";

/** Below this many pixels a mark is a plain rectangle: its shape could not be seen. */
export const SHAPE_FROM = 6;

/** Adds the outline of a shape to the current path. */
export function trace(ctx: CanvasRenderingContext2D, shape: number, x: number, y: number, w: number, h: number): void {
  if (w < SHAPE_FROM || h < SHAPE_FROM) {
    ctx.rect(x, y, w, h);
    return;
  }
  switch (shape) {
    case SHAPE.create:
    case SHAPE.fork: return pointed(ctx, x, y, w, h);
    case SHAPE.wait: return trapezium(ctx, x, y, w, h);
    case SHAPE.chunk: return slanted(ctx, x, y, w, h);
    case SHAPE.task:
    case SHAPE.group:
    case SHAPE.repeat: return ctx.roundRect(x, y, w, h, radius(w, h));
    case SHAPE.envelope: return ctx.roundRect(x, y, w, h, 4);
    default: ctx.rect(x, y, w, h);
  }
}

export const radius = (w: number, h: number): number => Math.min(8, w / 3, h / 3);

/** A box with a point at its foot, towards the task that hangs below. */
function pointed(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  const tip = Math.min(h / 4, w / 3, 8);
  const half = Math.min(tip, w / 4);
  const foot = y + h - tip;
  ctx.moveTo(x, y);
  ctx.lineTo(x + w, y);
  ctx.lineTo(x + w, foot);
  ctx.lineTo(x + w / 2 + half, foot);
  ctx.lineTo(x + w / 2, y + h);
  ctx.lineTo(x + w / 2 - half, foot);
  ctx.lineTo(x, foot);
  ctx.closePath();
}

/** Narrow at the bottom: the flow gathers here. */
function trapezium(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  const slant = w * 0.28;
  ctx.moveTo(x, y);
  ctx.lineTo(x + w, y);
  ctx.lineTo(x + w - slant, y + h);
  ctx.lineTo(x + slant, y + h);
  ctx.closePath();
}

/** Leaning to the right: a slice of a loop. */
function slanted(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  const slant = w * 0.28;
  ctx.moveTo(x + slant, y);
  ctx.lineTo(x + w, y);
  ctx.lineTo(x + w - slant, y + h);
  ctx.lineTo(x, y + h);
  ctx.closePath();
}

/** The second border of closed tasks and sections; nothing when too small to be seen. */
export function traceInner(ctx: CanvasRenderingContext2D, shape: number, x: number, y: number, w: number, h: number): void {
  if (w < 12 || h < 10) return;
  const inset = 2.5;
  if (shape === SHAPE.task || shape === SHAPE.repeat) {
    ctx.roundRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset, Math.max(1, radius(w, h) - inset));
  } else {
    ctx.rect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
  }
}

/** The foot line of an end interval, a little wider than the box. */
export function traceFoot(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number): void {
  ctx.moveTo(x - 2, y + h);
  ctx.lineTo(x + w + 2, y + h);
}

/** Two sheets behind a mark that stands for several alike. */
export function traceSheets(ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number, k: number): void {
  const r = radius(w, h);
  // Not further than the gap that the layout leaves to the next mark.
  const off = 2.5 * Math.min(1, k);
  ctx.roundRect(x + 2 * off, y + 2 * off, w, h, r);
  ctx.roundRect(x + off, y + off, w, h, r);
}
