// Axes of scenes: which ticks to draw and how to write them. An axis in pixels goes in, positions and texts come out; tested on
// the cases of crates/scene/src/ticks.rs.

import type { Axis } from "../protocol/Axis";
import type { Stop } from "../protocol/Stop";
import type { Unit } from "../protocol/Unit";

/** Steps of 1, 2 and 5 times a power of ten so that at most `most` ticks lie in the range. */
export function step(from: number, to: number, most: number): number {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** A tick of a scene's axis. */
export interface AxisTick {
  at: number;
  text: string;
}

const THIN = "\u2009";
const KIB = 1024;

/** Units of values by size, largest first: those of crates/scene/src/ticks.rs, on whose cases this is tested. */
const SCALES: Partial<Record<Unit, [string, number][]>> = {
  ns: [
    ["s", 1e9],
    ["ms", 1e6],
    ["µs", 1e3],
    ["ns", 1],
  ],
  ticks: [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
    ["", 1],
  ],
  bytes: [
    ["TiB", KIB ** 4],
    ["GiB", KIB ** 3],
    ["MiB", KIB ** 2],
    ["KiB", KIB],
    ["B", 1],
  ],
  percent: [["%", 1]],
};

function scaleOf(unit: Unit, size: number): [string, number] {
  const all = SCALES[unit] ?? [["", 1]];
  return all.find(([, scale]) => size >= scale * (1 - 1e-12)) ?? all[all.length - 1]!;
}

/** Ticks at least `room` pixels apart; none where the axis is folded. All of a linear axis have one unit. */
export function ticks(axis: Axis, room: number): AxisTick[] {
  const { stops } = axis;
  const ends = stops.length > 0 ? [stops[0]!.value, stops[stops.length - 1]!.value] : [0, 0];
  const scale = scaleOf(axis.unit, Math.max(...ends.map(Math.abs)));
  const all: AxisTick[] = [];
  for (let i = 1; i < stops.length; i++) {
    if (stops[i - 1]!.folded) continue;
    const here = axis.log
      ? powers(axis.unit, stops[i - 1]!, stops[i]!, room)
      : linear(axis, stops[i - 1]!, stops[i]!, room, scale);
    // Where two stretches meet, or are near because of a fold, the ticks of the second give way.
    const last = all[all.length - 1]?.at ?? -Infinity;
    all.push(...here.filter((tick) => tick.at - last >= room * 0.6 || last - tick.at > room));
  }
  return all;
}

const WHOLE: Unit[] = ["count", "ticks", "number", "bytes"];

function linear(axis: Axis, a: Stop, b: Stop, room: number, [unit, scale]: [string, number]): AxisTick[] {
  const [from, to] = [Math.min(a.value, b.value), Math.max(a.value, b.value)];
  const [span, length] = [to - from, b.at - a.at];
  if (!(Number.isFinite(span) && span > 0)) return [];
  const most = Math.max(1, Math.floor(length / Math.max(1, room)));
  let gap = step(0, span / scale, most) * scale;
  if (WHOLE.includes(axis.unit) || (axis.unit === "ns" && Math.abs(to) < 1e3)) gap = Math.max(1, gap);
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(gap / scale) + 1e-9)));
  const all: AxisTick[] = [];
  const last = Math.floor((to / gap) * (1 + 1e-12));
  for (let k = Math.ceil(from / gap); k <= last && all.length < 1000; k++) {
    const value = k * gap;
    all.push({
      at: a.at + ((value - a.value) / (b.value - a.value)) * length,
      text: written(value / scale, decimals, unit),
    });
  }
  return all;
}

/** Powers of ten (of two for bytes), each in its own unit. */
function powers(of: Unit, a: Stop, b: Stop, room: number): AxisTick[] {
  const base = of === "bytes" ? Math.log(2) : Math.log(10);
  const [from, to] = [Math.log(a.value) / base, Math.log(b.value) / base];
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (!(Number.isFinite(low) && Number.isFinite(high) && high > low)) return [];
  const length = b.at - a.at;
  let every = Math.max(1, Math.ceil(room / (length / (high - low))));
  if (of === "bytes") every = step(0, every, 1);
  const all: AxisTick[] = [];
  for (let p = Math.ceil((low - 1e-9) / every) * every; p <= high + 1e-9 && all.length < 1000; p += every) {
    const value = of === "bytes" ? 2 ** p : 10 ** p;
    const [unit, scale] = scaleOf(of, value);
    const decimals = value < scale ? Math.min(9, Math.ceil(-Math.log10(value / scale))) : 0;
    all.push({
      at: a.at + ((p - from) / (to - from)) * length,
      text: written(value / scale, decimals, unit),
    });
  }
  return all;
}

function written(value: number, decimals: number, unit: string): string {
  if (value === 0) return "0";
  const digits = Math.abs(value).toFixed(decimals);
  const grouped = decimals === 0 ? digits.replace(/\B(?=(\d{3})+(?!\d))/g, THIN) : digits;
  return (value < 0 ? "−" : "") + grouped + (unit === "" ? "" : THIN + unit);
}
