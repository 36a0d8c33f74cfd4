// An entry of the legend on a small canvas: a swatch, a mark in its style, or a ramp. What it is goes in, pixels come out.

import type { Bar } from "../protocol/Bar";
import type { LegendItem } from "../protocol/LegendItem";
import type { Links, Scene } from "../scene";
import { drawBoxes } from "./boxes";
import type { Ink } from "./ink";
import { drawLinks } from "./lines";
import { PLAIN, styleOf } from "./marks";
import { lookOf, type Look, type View } from "./paint";
import type { Rect } from "./marks";

export function drawSwatch(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  item: LegendItem,
  ink: Ink,
  at: Rect,
): void {
  if (item.steps > 1) {
    const step = at.w / item.steps;
    for (let i = 0; i < item.steps; i++) {
      ctx.fillStyle = ink.slots[item.fill + i] ?? ink.muted;
      ctx.fillRect(at.x + i * step, at.y, step, at.h);
    }
    return;
  }
  if (item.style === null) {
    ctx.fillStyle = ink.slots[item.fill] ?? ink.muted;
    ctx.beginPath();
    ctx.roundRect(at.x, at.y, at.w, at.h, 2);
    ctx.fill();
    return;
  }
  const view = still(ink, at);
  const style = styleOf(scene, item.style);
  const look = lookOf(ctx, view, style, item.fill);
  if (style.fill === "none" && style.shape === "rect" && look.border !== null) {
    const f = (v: number): Float32Array => Float32Array.of(v);
    const middle = at.y + at.h / 2;
    const line = { x0: f(at.x), y0: f(middle), x1: f(at.x + at.w), y1: f(middle) } as unknown as Links;
    drawLinks(ctx, view, look, line, [0]);
    return;
  }
  drawBox(ctx, view, look, at);
}

/** A bar beside a source line: solid for work, hatched for lost time. */
export function drawBar(ctx: CanvasRenderingContext2D, bar: Bar, ink: Ink, at: Rect): void {
  const view = still(ink, at);
  drawBox(ctx, view, lookOf(ctx, view, { ...PLAIN, fill: bar.fill }, bar.slot), at);
}

const still = (ink: Ink, seen: Rect): View => ({ m: { ax: 1, bx: 0, ay: 1, by: 0 }, k: 1, seen, ink });

function drawBox(ctx: CanvasRenderingContext2D, view: View, look: Look, at: Rect): void {
  const f = (v: number): Float32Array => Float32Array.of(v);
  drawBoxes(ctx, view, look, { x: f(at.x), y: f(at.y), w: f(at.w), h: f(at.h) }, [0]);
}
