// Numbers as people read them, for axes and sliders; all other numbers come from the server as text. Written
// as crates/scene/src/format.rs writes them, and tested on its cases. Thin spaces (U+2009) part thousands.

import type { Unit } from "./protocol/Unit";

const THIN = "\u2009";

/** Three significant digits without an exponent: 3.51, 35.1, 351, 3 510. */
export function three(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 999.5) return separated(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

/** A whole number with thin separators: 20 000 000. */
export function separated(value: number): string {
  const groups = Math.round(Math.abs(value))
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return value < 0 ? "−" + groups : groups;
}

/** A number in little room: exact up to 9 999, then 12.3 k, 4.56 M. */
export function short(value: number): string {
  if (Math.abs(value) < 10_000) return Number.isInteger(value) ? separated(value) : three(value);
  const [scaled, prefix] = scaledUp(value);
  return three(scaled) + THIN + prefix;
}

/** A value in its unit, with three significant digits; counts are exact. */
export function quantity(value: number, unit: Unit): string {
  switch (unit) {
    case "ns": {
      const [scaled, word] = scaledTime(value);
      return `${three(scaled)} ${word}`;
    }
    case "ticks": {
      const [scaled, prefix] = scaledUp(value);
      return `${three(scaled)}${prefix === "" ? "" : " "}${prefix} ticks`;
    }
    case "bytes": {
      const [scaled, word] = scaledBytes(value);
      return `${word === "B" && isWhole(value) ? separated(value) : three(scaled)} ${word}`;
    }
    case "count":
      return isWhole(value) ? separated(value) : three(value);
    case "percent":
      return three(value) + THIN + "%";
    case "cores":
      return `${three(value)} cores`;
    case "number":
      return plain(value);
    default:
      return three(value);
  }
}

const WORDS: Partial<Record<Unit, string>> = {
  ns: "ns",
  ticks: "ticks",
  bytes: "bytes",
  percent: "%",
  cores: "cores",
};

/** The same value in full, for hover. */
export function exact(value: number, unit: Unit): string {
  const text = unit !== "number" && isWhole(value) ? separated(value) : plain(value);
  const word = WORDS[unit];
  return word ? `${text} ${word}` : text;
}

/** Whether it has no fraction and is exact. */
const isWhole = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 9.007e15;
const plain = (value: number): string => (Number.isFinite(value) ? String(value).replace("-", "−") : "?");

/** The unit in which a number of nanoseconds has one to three digits before the point. */
function scaledTime(value: number): [number, string] {
  const size = Math.abs(value);
  if (size >= 0.9995e9) return [value / 1e9, "s"];
  if (size >= 0.9995e6) return [value / 1e6, "ms"];
  return size >= 999.5 ? [value / 1e3, "µs"] : [value, "ns"];
}

function scaledBytes(value: number): [number, string] {
  const words = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let [scaled, at] = [value, 0];
  while (Math.abs(scaled) >= 1023.5 && at + 1 < words.length) {
    scaled /= 1024;
    at += 1;
  }
  return [scaled, words[at]!];
}

function scaledUp(value: number): [number, string] {
  const size = Math.abs(value);
  if (size >= 0.9995e12) return [value / 1e12, "T"];
  if (size >= 0.9995e9) return [value / 1e9, "G"];
  if (size >= 0.9995e6) return [value / 1e6, "M"];
  return size >= 999.5 ? [value / 1e3, "k"] : [value, ""];
}

const STEPS: Partial<Record<Unit, [number, string][]>> = {
  ns: [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ],
  ticks: [
    [1e12, "Tticks"],
    [1e9, "Gticks"],
    [1e6, "Mticks"],
    [1e3, "kticks"],
    [1, "ticks"],
  ],
};

/** A value of an axis with the digits that one pixel can tell. */
export function reading(value: number, perPixel: number, unit: Unit): string {
  const steps = STEPS[unit];
  if (!steps) return quantity(value, unit);
  const [factor, word] = steps.find(([f]) => Math.abs(value) >= f) ?? steps.at(-1)!;
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(Math.max(perPixel, 1e-3) / factor))));
  return `${(value / factor).toFixed(factor === 1 ? 0 : digits)} ${word}`;
}
