// Draws time scenes: rows by worker (strips of cells, single intervals) and the parallelism profile (areas), under
// one time axis. A picture that covers some window goes in together with the window that is shown: a picture that is
// on its way late is drawn stretched to its true place until the right one is there.

import { NONE, type Scene } from "../scene";
import { timeTicks } from "./axis";
import type { Ink } from "./ink";
import { measurer, place, type Wish } from "./labels";

type Span = readonly [number, number];
type Picture = Scene;

/** Scene x to screen x: screen = a · x + b. */
export interface Across {
  a: number;
  b: number;
}

/** How a scene's x lands on `left … left + width` when `window` is shown. */
export function across(picture: Picture, window: Span, left: number, width: number): Across {
  const [from, to] = picture.plots[0]?.x?.stops ?? [];
  const range = window[1] - window[0];
  if (!from || !to || !(to.at > from.at) || !(range > 0)) return { a: 1, b: left };
  const perPixel = (to.value - from.value) / (to.at - from.at);
  const a = (perPixel / range) * width;
  return { a, b: left + ((from.value - window[0]) / range) * width - from.at * a };
}

/** Scene y to screen y: screen = s · y + o. Few rows are stretched to use the height. */
export interface Down {
  s: number;
  o: number;
}

export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Vertical grid lines; the texts too when `texts` says where their line is. */
export function drawTimeGrid(ctx: CanvasRenderingContext2D, plot: Plot, window: Span, origin: number, clock: string, ink: Ink, texts: number | null): void {
  const ticks = timeTicks(window[0], window[1], origin, plot.width, clock);
  const range = window[1] - window[0];
  ctx.beginPath();
  for (const tick of ticks) {
    const x = Math.round(plot.left + ((tick.value - window[0]) / range) * plot.width) + 0.5;
    ctx.moveTo(x, plot.top);
    ctx.lineTo(x, plot.top + plot.height);
  }
  ctx.strokeStyle = ink.grid;
  ctx.lineWidth = 1;
  ctx.stroke();
  if (texts === null) return;
  ctx.font = `11px ${ink.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillStyle = ink.muted;
  const measure = measurer(ctx, ctx.font);
  for (const tick of ticks) {
    const x = plot.left + ((tick.value - window[0]) / range) * plot.width;
    const w = measure(tick.text);
    if (x + 4 + w <= plot.left + plot.width) ctx.fillText(tick.text, x + 4, texts);
  }
}

interface Row {
  x: number;
  y: number;
  cell: number;
  h: number;
  n: number;
  full: Uint8Array;
  fill: Uint8Array;
  node: Uint32Array;
}

/** The rows of all grids. */
function rowsOf(picture: Picture): Row[] {
  return picture.grids.flatMap((g) =>
    Array.from({ length: g.ny }, (_, row) => {
      const [from, to] = [row * g.nx, (row + 1) * g.nx];
      return {
        x: g.x, y: g.y + (row * g.h) / g.ny, cell: g.w / g.nx, h: g.h / g.ny - g.gap_y, n: g.nx, full: g.level.subarray(from, to),
        fill: g.slots!.subarray(from, to), node: g.nodes!.subarray(from, to),
      };
    }),
  );
}

/** Rows of cells: the height of a bar is the busy share of its cell, its colour what most of it was. */
export function drawStrips(ctx: CanvasRenderingContext2D, picture: Picture, map: Across, plot: Plot, down: Down, ink: Ink): void {
  const byFill = new Map<number, number[]>();
  const ratio = ctx.getTransform().a || 1;
  for (const strip of rowsOf(picture)) {
    const top = strip.y * down.s + down.o;
    const high = strip.h * down.s;
    if (top > plot.top + plot.height || top + high < plot.top) continue;
    const first = Math.max(0, Math.floor(((plot.left - map.b) / map.a - strip.x) / strip.cell));
    const last = Math.min(strip.n, Math.ceil(((plot.left + plot.width - map.b) / map.a - strip.x) / strip.cell));
    for (let i = first; i < last; ) {
      const full = strip.full[i]!;
      const fill = strip.fill[i]!;
      let j = i + 1;
      while (j < last && strip.full[j] === full && strip.fill[j] === fill) j++;
      if (full > 0) {
        // On whole device pixels neighbours meet without a seam, and rectangles are much faster than one long path.
        const x0 = Math.round((map.a * (strip.x + i * strip.cell) + map.b) * ratio) / ratio;
        const x1 = Math.round((map.a * (strip.x + j * strip.cell) + map.b) * ratio) / ratio;
        const h = Math.max(1, (high * full) / 255);
        const list = byFill.get(fill);
        if (list) list.push(x0, top + high - h, x1 - x0, h);
        else byFill.set(fill, [x0, top + high - h, x1 - x0, h]);
      }
      i = j;
    }
  }
  for (const [fill, list] of byFill) {
    ctx.fillStyle = ink.slots[fill] ?? ink.muted;
    for (let i = 0; i < list.length; i += 4) ctx.fillRect(list[i]!, list[i + 1]!, list[i + 2]!, list[i + 3]!);
  }
}

/** Single intervals, with a thin gap between neighbours so that they can be told apart. */
export function drawIntervals(
  ctx: CanvasRenderingContext2D, picture: Picture, map: Across, plot: Plot, down: Down, ink: Ink, selected: number | null, hovered: number,
): void {
  const b = picture.boxes;
  const byFill = new Map<number, number[]>();
  const chosen: number[] = [];
  const [right, bottom] = [plot.left + plot.width, plot.top + plot.height];
  for (let i = 0; i < b.n; i++) {
    const x = map.a * b.x[i]! + map.b;
    const w = Math.max(0.75, map.a * b.w[i]!);
    const y = b.y[i]! * down.s + down.o;
    if (x > right || x + w < plot.left || y > bottom || y + b.h[i]! * down.s < plot.top) continue;
    const list = byFill.get(b.fill[i]!);
    if (list) list.push(i);
    else byFill.set(b.fill[i]!, [i]);
    if (b.node[i] === selected || i === hovered) chosen.push(i);
  }
  // Only the part on the screen is drawn: a zoomed interval may be millions of pixels long.
  const rect = (i: number, inset: number): [number, number, number, number] => {
    const x0 = Math.max(plot.left - 8, map.a * b.x[i]! + map.b);
    const x1 = Math.min(right + 8, map.a * (b.x[i]! + b.w[i]!) + map.b);
    const w = Math.max(0.75, x1 - x0);
    const gap = w > 4 ? 0.5 : 0;
    return [x0 + inset, b.y[i]! * down.s + down.o + inset, w - gap - 2 * inset, b.h[i]! * down.s - 2 * inset];
  };
  for (const [fill, list] of byFill) {
    ctx.fillStyle = ink.slots[fill] ?? ink.muted;
    for (const i of list) ctx.fillRect(...rect(i, 0));
  }
  for (const i of chosen) {
    ctx.strokeStyle = b.node[i] === selected ? ink.accent : ink.text;
    ctx.lineWidth = b.node[i] === selected ? 2 : 1;
    ctx.strokeRect(...rect(i, b.node[i] === selected ? -1 : 0.5));
  }
}

/** Labels of intervals: kept inside the visible part of their box. */
export function drawIntervalLabels(ctx: CanvasRenderingContext2D, picture: Picture, map: Across, plot: Plot, down: Down, ink: Ink, fillOf: (label: number) => number): void {
  const font = `11px ${ink.font}`;
  const wishes: Wish[] = [];
  const [right, bottom] = [plot.left + plot.width, plot.top + plot.height];
  const l = picture.labels;
  l.text.forEach((text, j) => {
    if (l.node[j] === NONE) return;
    const y = (l.y[j]! - 4) * down.s + down.o;
    if (y < plot.top || y > bottom) return;
    const width = l.w[j]! * map.a;
    const begin = map.a * l.x[j]! + map.b;
    const from = Math.max(plot.left + 4, begin);
    const room = Math.min(right - 4, begin + width) - from;
    if (room < 20) return;
    wishes.push({ text, x: from, y, room, align: "start", colour: ink.onSlot[fillOf(j)] ?? ink.text });
  });
  const set = place(wishes, 12, measurer(ctx, font));
  ctx.font = font;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const l of set) {
    ctx.fillStyle = l.colour;
    ctx.fillText(l.text, l.left, l.y + 0.5);
  }
}

/** Stacked step curves. `sy` and `oy` map the scene's y to the screen. */
export function drawAreas(ctx: CanvasRenderingContext2D, picture: Picture, map: Across, plot: Plot, sy: number, oy: number, ink: Ink): void {
  for (const area of picture.areas) {
    const first = Math.max(0, Math.floor(((plot.left - map.b) / map.a - area.x) / area.cell));
    const last = Math.min(area.n, Math.ceil(((plot.left + plot.width - map.b) / map.a - area.x) / area.cell));
    if (last <= first) continue;
    const x = (i: number): number => map.a * (area.x + i * area.cell) + map.b;
    ctx.beginPath();
    ctx.moveTo(x(first), area.y1[first]! * sy + oy);
    for (let i = first; i < last; i++) {
      const y = area.y1[i]! * sy + oy;
      ctx.lineTo(x(i), y);
      ctx.lineTo(x(i + 1), y);
    }
    for (let i = last - 1; i >= first; i--) {
      const y = area.y0[i]! * sy + oy;
      ctx.lineTo(x(i + 1), y);
      ctx.lineTo(x(i), y);
    }
    ctx.closePath();
    ctx.fillStyle = ink.slots[area.fill] ?? ink.muted;
    ctx.fill();
  }
}

/** What lies at a point of the rows: a node, the place of its box if it has one, and how full its cell is. */
export function hitRows(picture: Picture, map: Across, down: Down, x: number, y: number): { node: number; box: number; full: number } | null {
  const b = picture.boxes;
  const sx = (x - map.b) / map.a;
  const sy = (y - down.o) / down.s;
  const slack = 1.5 / map.a;
  for (let i = b.n - 1; i >= 0; i--) {
    if (sx >= b.x[i]! - slack && sx <= b.x[i]! + b.w[i]! + slack && sy >= b.y[i]! && sy <= b.y[i]! + b.h[i]!) return { node: b.node[i]!, box: i, full: 1 };
  }
  for (const strip of rowsOf(picture)) {
    if (sy < strip.y || sy > strip.y + strip.h) continue;
    const i = Math.floor((sx - strip.x) / strip.cell);
    if (i < 0 || i >= strip.n || strip.node[i] === NONE) continue;
    return { node: strip.node[i]!, box: -1, full: strip.full[i]! / 255 };
  }
  return null;
}
