// Numbers with their units as crates/scene/src/format.rs writes them, for what the page itself must write: axes, sliders,
// what is under the pointer. A value and its unit go in, text comes out; tested on the cases of Rust.

import type { Unit } from "../protocol/Unit";

const THIN = "\u2009";

/** Three significant digits without an exponent: 1.23, 12.3, 123, 1 230. */
export function three(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 999.5) return count(Math.round(value));
  const decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return value.toFixed(decimals);
}

/** A whole number with thin separators. */
export function count(value: number): string {
  const digits = Math.abs(value).toFixed(0).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return value < 0 ? `−${digits}` : digits;
}

const whole = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 9.007e15;

const plain = (value: number): string => (Number.isFinite(value) ? String(value).replace("-", "−") : "?");

/** The largest unit that leaves at least one digit before the point, half a digit below the border. */
function scaled(value: number, units: [string, number, number][]): [number, string] {
  const [name, scale] = units.find(([, , from]) => Math.abs(value) >= from) ?? units[units.length - 1]!;
  return [value / scale, name];
}

const TIMES: [string, number, number][] = [["s", 1e9, 0.9995e9], ["ms", 1e6, 0.9995e6], ["µs", 1e3, 999.5], ["ns", 1, 0]];
const PREFIXES: [string, number, number][] = [
  ["T", 1e12, 0.9995e12], ["G", 1e9, 0.9995e9], ["M", 1e6, 0.9995e6], ["k", 1e3, 999.5], ["", 1, 0],
];
const BYTES: [string, number, number][] = [5, 4, 3, 2, 1, 0].map((power) => [
  ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]!, 1024 ** power, power === 0 ? 0 : 1023.5 * 1024 ** (power - 1),
]);

/** A value in its unit with three digits: 1.23 ms, 45.6 KiB, 1 234. Counts are exact. */
export function quantity(value: number, unit: Unit): string {
  switch (unit) {
    case "ns": {
      const [v, name] = scaled(value, TIMES);
      return `${three(v)} ${name}`;
    }
    case "ticks": {
      const [v, prefix] = scaled(value, PREFIXES);
      return `${three(v)}${prefix === "" ? "" : " "}${prefix} ticks`;
    }
    case "bytes": {
      const [v, name] = scaled(value, BYTES);
      return `${name === "B" && whole(value) ? count(value) : three(v)} ${name}`;
    }
    case "count": return whole(value) ? count(value) : three(value);
    case "ratio": return three(value);
    case "percent": return `${three(value)}${THIN}%`;
    case "cores": return `${three(value)} cores`;
    case "number": return plain(value);
  }
}

const WORDS: Partial<Record<Unit, string>> = { ns: "ns", ticks: "ticks", bytes: "bytes", percent: "%", cores: "cores" };

/** The same value in full, for the hover text. */
export function exact(value: number, unit: Unit): string {
  const text = unit !== "number" && whole(value) ? count(value) : plain(value);
  const word = WORDS[unit];
  return word ? `${text} ${word}` : text;
}
