// How a plot's scene units land on the pixels of the pane: screen = a · scene + b, for each direction. A camera or a
// window of an axis goes in, a mapping comes out; pure arithmetic.

import type { Axis } from "../protocol/Axis";
import type { Plot } from "../protocol/Plot";
import type { Stop } from "../protocol/Stop";
import type { Camera, Size } from "./camera";

export interface Mapping {
  ax: number;
  bx: number;
  ay: number;
  by: number;
}

/** A plot as the scene has it. */
export const STILL: Mapping = { ax: 1, bx: 0, ay: 1, by: 0 };

/** A graph through its camera. */
export const ofCamera = (c: Camera, size: Size): Mapping => ({
  ax: c.k,
  bx: size.w / 2 - c.x * c.k,
  ay: c.k,
  by: size.h / 2 - c.y * c.k,
});

/** A plot with more rows than there is room for. */
export const scrolled = (by: number): Mapping => ({ ...STILL, by: -by });

/** The values from…to of the x axis fill the plot's rectangle; a scene for another window is stretched to its place. */
export function ofWindow(plot: Plot, window: [number, number], scroll = 0): Mapping {
  if (!plot.x) return scrolled(scroll);
  const [from, to] = [pixelOf(plot.x, window[0]), pixelOf(plot.x, window[1])];
  if (!(to - from > 0)) return scrolled(scroll);
  const ax = plot.rect.w / (to - from);
  return { ax, bx: plot.rect.x - from * ax, ay: 1, by: -scroll };
}

export const toScreen = (m: Mapping, x: number, y: number): { x: number; y: number } => ({
  x: m.ax * x + m.bx,
  y: m.ay * y + m.by,
});

export const toScene = (m: Mapping, x: number, y: number): { x: number; y: number } => ({
  x: (x - m.bx) / m.ax,
  y: (y - m.by) / m.ay,
});

/** How far a mapping zooms, for what depends on it: the size of texts, small marks. */
export const zoomOf = (plot: Plot | null, m: Mapping): number => (plot?.camera === "xy" ? Math.abs(m.ax) : 1);

const scaled = (axis: Axis, value: number): number =>
  axis.log ? Math.log10(Math.max(value, Number.MIN_VALUE)) : value;

/** The first pair of stops of which `inside` is true, else the last. */
function stretch(axis: Axis, inside: (to: Stop) => boolean): [Stop, Stop] | null {
  const { stops } = axis;
  if (stops.length < 2) return null;
  for (let i = 1; i < stops.length; i++) if (inside(stops[i]!)) return [stops[i - 1]!, stops[i]!];
  return [stops[stops.length - 2]!, stops[stops.length - 1]!];
}

/** Scene pixel of a value; beyond the ends the outer stretches go on. */
export function pixelOf(axis: Axis, value: number): number {
  const falls = axis.stops[axis.stops.length - 1]!.value < axis.stops[0]!.value;
  const pair = stretch(axis, (to) => (falls ? value >= to.value : value <= to.value));
  if (!pair) return axis.stops[0]?.at ?? 0;
  const [a, b] = [scaled(axis, pair[0].value), scaled(axis, pair[1].value)];
  return a === b
    ? pair[0].at
    : pair[0].at + ((scaled(axis, value) - a) / (b - a)) * (pair[1].at - pair[0].at);
}

/** Value at a scene pixel. */
export function valueOf(axis: Axis, pixel: number): number {
  const pair = stretch(axis, (to) => pixel <= to.at);
  if (!pair || pair[0].at === pair[1].at) return axis.stops[0]?.value ?? 0;
  const [a, b] = [scaled(axis, pair[0].value), scaled(axis, pair[1].value)];
  const value = a + ((pixel - pair[0].at) / (pair[1].at - pair[0].at)) * (b - a);
  return axis.log ? 10 ** value : value;
}

/** Values on a plot's axes at a point of the pane; null where it has no axis. */
export function valuesAt(
  plot: Plot,
  mapping: Mapping | null,
  x: number,
  y: number,
): { x: number | null; y: number | null } {
  const at = toScene(mapping ?? STILL, x, y);
  return { x: plot.x ? valueOf(plot.x, at.x) : null, y: plot.y ? valueOf(plot.y, at.y) : null };
}

/** Pixels of the pane where values lie; null for those that are not asked for. */
export function screenOf(
  plot: Plot,
  mapping: Mapping | null,
  at: { x?: number; y?: number },
): { x: number | null; y: number | null } {
  const m = mapping ?? STILL;
  return {
    x: plot.x && at.x !== undefined ? m.ax * pixelOf(plot.x, at.x) + m.bx : null,
    y: plot.y && at.y !== undefined ? m.ay * pixelOf(plot.y, at.y) + m.by : null,
  };
}

/** The stretch of an axis that a rectangle shows, in pixels of the pane: what ticks are made for. */
export function shownAxis(axis: Axis, a: number, b: number, from: number, to: number): Axis {
  const inside = axis.stops
    .map((stop) => ({ ...stop, at: stop.at * a + b }))
    .filter((stop) => stop.at > from + 0.01 && stop.at < to - 0.01);
  const end = (at: number, folded: boolean): Stop => ({ at, folded, value: valueOf(axis, (at - b) / a) });
  const before = axis.stops.filter((stop) => stop.at * a + b <= from + 0.01);
  const folded = before.length > 0 && before.length < axis.stops.length && before[before.length - 1]!.folded;
  return { ...axis, stops: [end(from, folded), ...inside, end(to, false)] };
}
