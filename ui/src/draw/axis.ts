// Linear axes: which ticks to draw, how to write them, and the mapping between values and pixels. A window and a
// width in pixels go in, positions and texts come out. Times are written from the start of the run.

import type { Clock } from "../format";

export interface Tick {
  value: number;
  text: string;
}

/** Steps of 1, 2 and 5 times a power of ten so that at most `most` ticks lie in the range. */
export function step(from: number, to: number, most: number): number {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

const UNITS: Record<string, [number, string][]> = {
  ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
  ticks: [[1e12, "Tticks"], [1e9, "Gticks"], [1e6, "Mticks"], [1e3, "kticks"], [1, "ticks"]],
};

/** Ticks of a time axis; `origin` is the run's start, which is written as 0. All share one unit. */
export function timeTicks(from: number, to: number, origin: number, pixels: number, clock: Clock): Tick[] {
  const a = from - origin;
  const b = to - origin;
  const gap = step(a, b, pixels / 96);
  const units = UNITS[clock] ?? UNITS.ticks!;
  const largest = Math.max(Math.abs(a), Math.abs(b));
  const [factor, unit] = units.find(([f]) => largest >= f) ?? units[units.length - 1]!;
  const digits = Math.max(0, -Math.floor(Math.log10(gap / factor) + 1e-9));
  const ticks: Tick[] = [];
  for (let i = Math.ceil(a / gap - 1e-9); i * gap <= b + gap * 1e-9; i++) {
    const value = i * gap;
    ticks.push({ value: value + origin, text: `${(value / factor).toFixed(digits)}\u2009${unit}`.trimEnd() });
  }
  return ticks;
}

/** A single moment with the digits that one pixel can tell, for the crosshair. */
export function moment(value: number, origin: number, perPixel: number, clock: Clock): string {
  const t = value - origin;
  const units = UNITS[clock] ?? UNITS.ticks!;
  const [factor, unit] = units.find(([f]) => Math.abs(t) >= f) ?? units[units.length - 1]!;
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(Math.max(perPixel, 1e-3) / factor))));
  const whole = factor === 1 ? 0 : digits;
  return `${(t / factor).toFixed(whole)}\u2009${unit}`;
}

/** Ticks of a count axis (0, 1, 2, … or wider steps): whole numbers only. */
export function countTicks(to: number, pixels: number, every = 24): number[] {
  const gap = Math.max(1, step(0, to, Math.max(1, pixels / every)));
  const ticks: number[] = [];
  for (let v = 0; v <= to + 1e-9; v += Math.ceil(gap)) ticks.push(v);
  return ticks;
}
