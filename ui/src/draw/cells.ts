// Areas (filled step curves) and grids (rows and columns of equal cells). A grid in colours is drawn once into an image
// and stretched; bars are drawn one run of equal cells after the other.

import { HATCH_FROM } from "../protocol/constants";
import type { Area, Grid } from "../scene";
import type { Ink } from "./ink";
import type { Look, View } from "./paint";

export function drawArea(ctx: CanvasRenderingContext2D, { m, seen }: View, look: Look, area: Area): void {
  const first = Math.max(0, Math.floor(((seen.x - m.bx) / m.ax - area.x) / area.cell));
  const last = Math.min(area.n, Math.ceil(((seen.x + seen.w - m.bx) / m.ax - area.x) / area.cell));
  if (!(last > first)) return;
  const x = (i: number): number => m.ax * (area.x + i * area.cell) + m.bx;
  let high = 0;
  ctx.beginPath();
  ctx.moveTo(x(first), area.y1[first]! * m.ay + m.by);
  for (let i = first; i < last; i++) {
    const y = area.y1[i]! * m.ay + m.by;
    high = Math.max(high, Math.abs(area.y0[i]! - area.y1[i]!) * m.ay);
    ctx.lineTo(x(i), y);
    ctx.lineTo(x(i + 1), y);
  }
  for (let i = last - 1; i >= first; i--) {
    const y = area.y0[i]! * m.ay + m.by;
    ctx.lineTo(x(i + 1), y);
    ctx.lineTo(x(i), y);
  }
  ctx.closePath();
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * look.style.opacity;
  const paint = high < HATCH_FROM ? look.flat : look.fill;
  if (paint !== null) {
    ctx.fillStyle = paint;
    ctx.fill();
  }
  if (look.border !== null) {
    ctx.strokeStyle = look.border;
    ctx.lineWidth = look.style.width;
    ctx.stroke();
  }
  ctx.globalAlpha = base;
}

/** Slot of a cell; −1 when it is empty. */
export function cellSlot(g: Grid, cell: number): number {
  const level = g.level[cell]!;
  if (level === 0) return -1;
  // The step of a ramp: `step` in crates/scene/src/palette.rs.
  if (g.show === "ramp") return g.fill + Math.floor(((level - 1) * Math.max(1, g.steps)) / 255);
  return g.slots ? g.slots[cell]! : g.fill;
}

export function drawGrid(ctx: CanvasRenderingContext2D, view: View, look: Look, grid: Grid): void {
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * look.style.opacity;
  const whole = grid.show !== "height" && grid.gap_x === 0 && grid.gap_y === 0;
  if (whole && grid.nx * grid.ny > 64 && typeof document !== "undefined") drawImage(ctx, view, grid);
  else drawCells(ctx, view, grid);
  ctx.globalAlpha = base;
}

const images = new WeakMap<Grid, { ink: Ink; image: HTMLCanvasElement }>();

function drawImage(ctx: CanvasRenderingContext2D, { m, ink }: View, g: Grid): void {
  let known = images.get(g);
  if (!known || known.ink !== ink) images.set(g, (known = { ink, image: imageOf(g, ink) }));
  const smooth = ctx.imageSmoothingEnabled;
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(known.image, g.x * m.ax + m.bx, g.y * m.ay + m.by, g.w * m.ax, g.h * m.ay);
  ctx.imageSmoothingEnabled = smooth;
}

function imageOf(g: Grid, ink: Ink): HTMLCanvasElement {
  const image = document.createElement("canvas");
  image.width = g.nx;
  image.height = g.ny;
  const on = image.getContext("2d")!;
  const pixels = on.createImageData(g.nx, g.ny);
  const rgb = ink.slots.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  for (let cell = 0; cell < g.nx * g.ny; cell++) {
    const slot = cellSlot(g, cell);
    if (slot >= 0) pixels.data.set([...(rgb[slot] ?? [128, 128, 128]), 255], cell * 4);
  }
  on.putImageData(pixels, 0, 0);
  return image;
}

/** Cells of one colour and height that follow each other are one rectangle. */
function drawCells(ctx: CanvasRenderingContext2D, { m, seen, ink }: View, g: Grid): void {
  const bySlot = new Map<number, number[]>();
  const ratio = ctx.getTransform().a || 1;
  const [w, h] = [(g.w / g.nx) * m.ax, (g.h / g.ny) * m.ay];
  const [left, top] = [g.x * m.ax + m.bx, g.y * m.ay + m.by];
  const first = Math.max(0, Math.floor((seen.x - left) / w));
  const last = Math.min(g.nx, Math.ceil((seen.x + seen.w - left) / w));
  const [gapX, gapY] = [g.gap_x * m.ax, g.gap_y * m.ay];
  const bars = g.show === "height";
  // On whole device pixels neighbours meet without a seam.
  const snap = (x: number): number => (gapX > 0 ? x : Math.round(x * ratio) / ratio);
  for (let row = 0; row < g.ny; row++) {
    const y = top + row * h;
    const high = h - gapY;
    if (y > seen.y + seen.h || y + high < seen.y) continue;
    for (let i = first; i < last;) {
      const cell = row * g.nx + i;
      const [slot, level] = [cellSlot(g, cell), g.level[cell]!];
      let j = i + 1;
      if (gapX === 0) {
        while (
          j < last &&
          cellSlot(g, row * g.nx + j) === slot &&
          (!bars || g.level[row * g.nx + j] === level)
        )
          j++;
      }
      if (slot >= 0) {
        const tall = bars ? Math.max(Math.min(1, high), (high * level) / 255) : high;
        const [x0, x1] = [snap(left + i * w), snap(left + j * w)];
        const list = bySlot.get(slot);
        const rect = [x0, y + high - tall, x1 - x0 - gapX, tall] as const;
        if (list) list.push(...rect);
        else bySlot.set(slot, [...rect]);
      }
      i = j;
    }
  }
  for (const [slot, list] of bySlot) {
    ctx.fillStyle = ink.slots[slot] ?? ink.muted;
    for (let i = 0; i < list.length; i += 4) ctx.fillRect(list[i]!, list[i + 1]!, list[i + 2]!, list[i + 3]!);
  }
}
