// Outlines of boxes and points: a mark's shape says what it is as well as its colour does. A rectangle in screen
// pixels goes in, a subpath of the current path comes out.

import type { Shape } from "../protocol/Shape";

/** Below this many pixels a mark is a plain rectangle: its shape could not be seen. */
export const SHAPE_FROM = 6;

type Draw = (ctx: CanvasRenderingContext2D, x: number, y: number, w: number, h: number) => void;

/** Shapes that are drawn as rectangles, which is much faster than a path. */
export const isRect = (shape: Shape): boolean =>
  shape === "rect" || shape === "soft" || shape === "minus" || shape === "line";

/** Adds the outline of a shape to the current path. */
export function trace(
  ctx: CanvasRenderingContext2D,
  shape: Shape,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  const draw = w < SHAPE_FROM || h < SHAPE_FROM ? undefined : OUTLINES[shape];
  if (draw) draw(ctx, x, y, w, h);
  else ctx.rect(x, y, w, h);
}

export const radius = (w: number, h: number): number => Math.min(8, w / 3, h / 3);

function through(ctx: CanvasRenderingContext2D, points: [number, number][]): void {
  points.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
  ctx.closePath();
}

const disc: Draw = (ctx, x, y, w, h) => {
  ctx.moveTo(x + w, y + h / 2);
  ctx.ellipse(x + w / 2, y + h / 2, w / 2, h / 2, 0, 0, 2 * Math.PI);
};

const OUTLINES: Partial<Record<Shape, Draw>> = {
  round: (ctx, x, y, w, h) => ctx.roundRect(x, y, w, h, radius(w, h)),
  envelope: (ctx, x, y, w, h) => ctx.roundRect(x, y, w, h, 4),
  notch: (ctx, x, y, w, h) => {
    const tip = Math.min(h / 4, w / 3, 8);
    const half = Math.min(tip, w / 4);
    const [middle, foot] = [x + w / 2, y + h - tip];
    through(ctx, [
      [x, y],
      [x + w, y],
      [x + w, foot],
      [middle + half, foot],
      [middle, y + h],
      [middle - half, foot],
      [x, foot],
    ]);
  },
  funnel: (ctx, x, y, w, h) =>
    through(ctx, [
      [x, y],
      [x + w, y],
      [x + 0.72 * w, y + h],
      [x + 0.28 * w, y + h],
    ]),
  slant: (ctx, x, y, w, h) =>
    through(ctx, [
      [x + 0.28 * w, y],
      [x + w, y],
      [x + 0.72 * w, y + h],
      [x, y + h],
    ]),
  "triangle-down": (ctx, x, y, w, h) =>
    through(ctx, [
      [x, y],
      [x + w, y],
      [x + w / 2, y + h],
    ]),
  "triangle-up": (ctx, x, y, w, h) =>
    through(ctx, [
      [x + w / 2, y],
      [x + w, y + h],
      [x, y + h],
    ]),
  "triangle-right": (ctx, x, y, w, h) =>
    through(ctx, [
      [x, y],
      [x + w, y + h / 2],
      [x, y + h],
    ]),
  diamond: (ctx, x, y, w, h) =>
    through(ctx, [
      [x + w / 2, y],
      [x + w, y + h / 2],
      [x + w / 2, y + h],
      [x, y + h / 2],
    ]),
  dot: disc,
  alert: disc,
  check: disc,
};

/** Lines on top of a shape, in shares of its half side around its middle. */
const SIGNS: Partial<Record<Shape, [number, number][][]>> = {
  alert: [
    [
      [0, -0.6],
      [0, 0.12],
    ],
    [
      [0, 0.42],
      [0, 0.62],
    ],
  ],
  check: [
    [
      [-0.45, 0],
      [-0.1, 0.4],
      [0.5, -0.4],
    ],
  ],
  minus: [
    [
      [-0.5, 0],
      [0.5, 0],
    ],
  ],
};

/** Adds the sign of a shape to the current path; false when it has none. */
export function traceSign(
  ctx: CanvasRenderingContext2D,
  shape: Shape,
  x: number,
  y: number,
  w: number,
  h: number,
): boolean {
  const lines = SIGNS[shape];
  if (!lines) return false;
  const [cx, cy, r] = [x + w / 2, y + h / 2, Math.min(w, h) / 2];
  for (const line of lines) {
    line.forEach(([dx, dy], i) =>
      i === 0 ? ctx.moveTo(cx + dx * r, cy + dy * r) : ctx.lineTo(cx + dx * r, cy + dy * r),
    );
  }
  return true;
}

/** A second border; nothing when too small to be seen. */
export function traceInner(
  ctx: CanvasRenderingContext2D,
  shape: Shape,
  inset: number,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  if (shape === "round") {
    ctx.roundRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset, Math.max(1, radius(w, h) - inset));
  } else ctx.rect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
}

/** The foot line, a little wider than the box. */
export const traceFoot: Draw = (ctx, x, y, w, h) => {
  ctx.moveTo(x - 2, y + h);
  ctx.lineTo(x + w + 2, y + h);
};

/** Sheets behind a mark that stands for several. */
export function traceSheets(
  ctx: CanvasRenderingContext2D,
  sheets: number,
  x: number,
  y: number,
  w: number,
  h: number,
  k: number,
): void {
  const r = radius(w, h);
  // Not further than the gap that the layout leaves to the next mark.
  const off = 2.5 * Math.min(1, k);
  for (let i = Math.min(3, sheets); i >= 1; i--) ctx.roundRect(x + i * off, y + i * off, w, h, r);
}
