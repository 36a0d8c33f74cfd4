// Colours and patterns of a style in the colour of a slot: what goes into fillStyle and strokeStyle. A style, a slot and
// the inks go in.

import { HATCH_TILE, STROKE } from "../protocol/constants";
import type { Fill } from "../protocol/Fill";
import type { Style } from "../protocol/Style";
import type { Rect } from "./marks";
import type { Ink } from "./ink";
import type { Mapping } from "./mapping";

/** What is drawn into: where scene units land, how far it is zoomed, and what part of the canvas can be seen. */
export interface View {
  m: Mapping;
  k: number;
  /** Pixels of the pane that show something of it. */
  seen: Rect;
  ink: Ink;
}

export interface Look {
  style: Style;
  /** Null: not filled. */
  fill: string | CanvasPattern | null;
  /** The same where a pattern would be too small. */
  flat: string | null;
  /** Null: no border. */
  border: string | null;
  /** Colour of the second border. */
  inner: string;
  /** Colour of signs on it. */
  on: string;
}

export function lookOf(ctx: CanvasRenderingContext2D, { ink, m }: View, style: Style, slot: number): Look {
  const solid = ink.slots[slot] ?? ink.muted;
  const border =
    style.stroke === STROKE.none
      ? null
      : style.stroke !== STROKE.own
        ? (ink.slots[style.stroke] ?? ink.edge)
        : style.fill === "none"
          ? solid
          : (ink.borders[slot] ?? ink.edge);
  const plain = plainFill(ink, style.fill, slot, solid);
  return {
    style,
    border,
    flat: plain,
    fill: isHatch(style.fill) ? (pattern(ctx, ink, style.fill, slot, m) ?? plain) : plain,
    inner:
      style.inner === "light"
        ? ink.surface
        : style.inner === "dots"
          ? ink.edge
          : (ink.borders[slot] ?? ink.edge),
    on: style.fill === "solid" ? (ink.onSlot[slot] ?? ink.text) : (border ?? ink.text),
  };
}

function plainFill(ink: Ink, fill: Fill, slot: number, solid: string): string | null {
  switch (fill) {
    case "solid":
      return solid;
    case "tint":
      return ink.tints[slot] ?? ink.raised;
    case "faint":
      return ink.dims[slot] ?? ink.raised;
    case "surface":
      return ink.surface;
    case "none":
      return null;
    default:
      return ink.flats[slot] ?? ink.raised;
  }
}

const PLAIN_FILLS: Fill[] = ["solid", "tint", "faint", "surface", "none"];
export const isHatch = (fill: Fill): boolean => !PLAIN_FILLS.includes(fill);

type Draw = (ctx: CanvasRenderingContext2D) => void;

const lines =
  (...stretches: [number, number, number, number][]): Draw =>
  (ctx) => {
    ctx.beginPath();
    for (const [x0, y0, x1, y1] of stretches) {
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
    }
    ctx.stroke();
  };

const disc = (ctx: CanvasRenderingContext2D, x: number, y: number, r: number, fill: boolean): void => {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  if (fill) ctx.fill();
  else ctx.stroke();
};

/** The hatches on a tile of 6 × 6; those of the SVG writer are the same. */
const TILES: Partial<Record<Fill, Draw>> = {
  dots: (ctx) => {
    disc(ctx, 1.5, 1.5, 0.9, true);
    disc(ctx, 4.5, 4.5, 0.9, true);
  },
  level: lines([0, 1.5, 6, 1.5], [0, 4.5, 6, 4.5]),
  upright: lines([1.5, 0, 1.5, 6], [4.5, 0, 4.5, 6]),
  chevrons: lines([0, 4.5, 3, 1.5], [3, 1.5, 6, 4.5]),
  cross: lines([0, 0, 6, 6], [6, 0, 0, 6]),
  rising: lines([-1, 1, 1, -1], [0, 6, 6, 0], [5, 7, 7, 5]),
  falling: lines([-1, 5, 1, 7], [0, 0, 6, 6], [5, -1, 7, 1]),
  rings: (ctx) => disc(ctx, 3, 3, 1.7, false),
};

/** A pattern that moves with the plot; null where there is no canvas to make it on. */
function pattern(
  ctx: CanvasRenderingContext2D,
  ink: Ink,
  fill: Fill,
  slot: number,
  m: Mapping,
): CanvasPattern | null {
  const ratio = Math.max(1, Math.round(ctx.getTransform().a || 1));
  const key = `${fill}.${slot}.${ratio}`;
  let made = ink.patterns.get(key);
  if (made === undefined) ink.patterns.set(key, (made = makePattern(ctx, ink, fill, slot, ratio)));
  const at = (b: number): number => b - Math.floor(b / HATCH_TILE) * HATCH_TILE;
  made?.setTransform(new DOMMatrix().translate(at(m.bx), at(m.by)).scale(1 / ratio));
  return made;
}

function makePattern(
  ctx: CanvasRenderingContext2D,
  ink: Ink,
  fill: Fill,
  slot: number,
  ratio: number,
): CanvasPattern | null {
  if (typeof document === "undefined") return null;
  const tile = document.createElement("canvas");
  tile.width = tile.height = HATCH_TILE * ratio;
  const on = tile.getContext("2d");
  if (!on) return null;
  on.scale(ratio, ratio);
  on.fillStyle = ink.dims[slot] ?? ink.raised;
  on.fillRect(0, 0, HATCH_TILE, HATCH_TILE);
  on.strokeStyle = on.fillStyle = ink.hatches[slot] ?? ink.edge;
  on.lineWidth = 1;
  TILES[fill]?.(on);
  return ctx.createPattern(tile, "repeat");
}
