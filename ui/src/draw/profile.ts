// The parallelism profile: stacked areas under a count axis, with the line of P workers and a readout of the layers
// at a moment. A profile picture and a plot go in, pixels or numbers come out.

import type { Scene } from "../scene";
import { countTicks } from "./axis";
import type { Ink } from "./ink";
import { drawAreas, type Across, type Plot } from "./timeline";

type Picture = Scene;

/** An axis as its two ends. */
function ends(picture: Picture): { from: number; to: number; start: number; length: number } | null {
  const [a, b] = picture.plots[0]?.y?.stops ?? [];
  return a && b ? { from: a.value, to: b.value, start: a.at, length: b.at - a.at } : null;
}

/** Maps counts to the plot's pixels: screen = count · a + b; and scene y to screen: y · sy + oy. */
export interface Upright {
  a: number;
  b: number;
  sy: number;
  oy: number;
  to: number;
}

export function upright(picture: Picture, plot: Plot): Upright {
  const axis = ends(picture);
  // The axis fills the plot: the margins that a picture of its own needs are cut off.
  const sy = plot.height / Math.max(1, axis?.length ?? picture.height);
  const oy = plot.top - (axis?.start ?? 0) * sy;
  if (!axis || axis.to === axis.from) return { a: -1, b: plot.top + plot.height, sy, oy, to: 0 };
  const a = (axis.length / (axis.to - axis.from)) * sy;
  const b = axis.start * sy + oy - axis.from * a;
  return { a, b, sy, oy, to: Math.max(axis.from, axis.to) };
}

export function drawProfile(ctx: CanvasRenderingContext2D, picture: Picture, map: Across, plot: Plot, workers: number, ink: Ink): void {
  const up = upright(picture, plot);
  drawAreas(ctx, picture, map, plot, up.sy, up.oy, ink);
  if (workers > 0 && up.to > 0) {
    const y = Math.round(workers * up.a + up.b) + 0.5;
    if (y > plot.top + 2) {
      ctx.beginPath();
      ctx.moveTo(plot.left, y);
      ctx.lineTo(plot.left + plot.width, y);
      ctx.strokeStyle = ink.text;
      ctx.globalAlpha = 0.55;
      ctx.lineWidth = 1;
      ctx.setLineDash([4, 3]);
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
    }
  }
}

/** Counts in the gutter; the line of P is named there. */
export function drawCounts(ctx: CanvasRenderingContext2D, picture: Picture, plot: Plot, right: number, workers: number, ink: Ink): void {
  const up = upright(picture, plot);
  ctx.font = `11px ${ink.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  const line = workers * up.a + up.b;
  const named = workers > 0 && up.to > 0 && line > plot.top + 2;
  ctx.fillStyle = ink.muted;
  for (const v of countTicks(up.to, plot.height)) {
    const y = v * up.a + up.b;
    if (y < plot.top + 6 || y > plot.top + plot.height - 2 || (named && Math.abs(y - line) < 13)) continue;
    ctx.fillText(String(v), right, y);
  }
  if (named) {
    ctx.fillStyle = ink.text;
    ctx.fillText(`P = ${workers}`, right, Math.max(plot.top + 6, line));
  }
  ctx.textAlign = "left";
}

/** Height of each layer at a scene x. */
export function layersAt(picture: Picture, x: number): { name: string; value: number }[] {
  const axis = ends(picture);
  if (!axis || axis.length === 0) return [];
  const perPixel = Math.abs((axis.to - axis.from) / axis.length);
  return picture.areas.flatMap((area) => {
    const i = Math.floor((x - area.x) / area.cell);
    return i >= 0 && i < area.n ? [{ name: area.name, value: Math.abs(area.y1[i]! - area.y0[i]!) * perPixel }] : [];
  });
}
