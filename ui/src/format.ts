// Numbers as people read them: SI prefixes, three significant digits, units always said, exact values for hover.
// Numbers in the run's unit come in, short text goes out. Thin spaces (U+2009) separate thousands and units.

const THIN = "\u2009";

/** "ns" or "ticks": the unit of every time of a run. */
export type Clock = string;

/** Three significant digits without an exponent: 3.51, 35.1, 351, 3510. */
export function three(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 999.5) return separated(Math.round(value));
  if (size < 0.001) return value.toPrecision(2);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Number(size.toPrecision(3)))));
  return value.toFixed(digits);
}

/** A count with thin separators: 20 000 000. */
export function separated(value: number): string {
  const text = Math.round(Math.abs(value)).toString();
  const groups = text.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return value < 0 ? "−" + groups : groups;
}

/** A count that must be short: 512, 20.0 k, 1.53 M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 9_999.5) return Number.isInteger(value) ? separated(value) : three(value);
  const [scaled, prefix] = prefixed(value, ["", "k", "M", "G", "T"], 1000);
  return three(scaled) + THIN + prefix;
}

/** A time in the run's clock: 1.23 s, 456 ms, 12.3 µs, 45 ns; or 1.23 Mticks. */
export function time(value: number, clock: Clock): string {
  if (clock === "ns") {
    const [scaled, unit] = prefixed(value, ["ns", "µs", "ms", "s"], 1000);
    return (unit === "ns" && Number.isInteger(scaled) ? String(scaled) : three(scaled)) + THIN + unit;
  }
  const [scaled, prefix] = prefixed(value, ["", "k", "M", "G", "T"], 1000);
  return three(scaled) + THIN + prefix + clock;
}

/** Any fact by its unit: "" is a count, "ratio" has none, the rest are times or bytes. */
export function quantity(value: number, unit: string): string {
  if (unit === "ratio") return three(value);
  // A number that names something, such as a core: neither rounded nor grouped.
  if (unit === "number") return String(value);
  if (unit === "%") return three(value) + THIN + "%";
  if (unit === "") return Number.isInteger(value) ? separated(value) : three(value);
  if (unit === "bytes") {
    const [scaled, prefix] = prefixed(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
    return three(scaled) + THIN + prefix;
  }
  return time(value, unit);
}

/** The same value in full, for the hover text. */
export function exact(value: number, unit: string): string {
  const whole = Number.isInteger(value) ? separated(value) : String(value);
  if (unit === "number") return String(value);
  if (unit === "" || unit === "ratio") return whole;
  return whole + THIN + unit;
}

/** A share as a percentage; the caller says of what. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.1) return "< 0.1" + THIN + "%";
  return (Math.abs(value) >= 9.95 ? value.toFixed(0) : value.toFixed(1)) + THIN + "%";
}

/** Last two parts of a source position, so that it fits: ".../src/fib.c:12" becomes "fib.c:12". */
export function place(source: string): string {
  const slash = Math.max(source.lastIndexOf("/"), source.lastIndexOf("\\"));
  return slash >= 0 ? source.slice(slash + 1) : source;
}

/** A title without the kind it begins with, where the kind stands beside it. */
export const withoutKind = (title: string, kind: string): string => (title.startsWith(kind + " ") ? title.slice(kind.length + 1) : title);

/** "fork-join group" in little room: "fork-join". */
export const shortKind = (kind: string): string => kind.replace(/ (group|tasks)$/, "");

/** A title as its kind, in little room, and what tells it from others: "fork-join group lu.c:97" is "fork-join" and "lu.c:97". */
export function titleParts(title: string): { kind: string; name: string } {
  const [, kind, name] = /^((?:fork-join|linear) group|folded tasks|\S+) (.+)$/.exec(title) ?? [];
  return kind && name ? { kind: shortKind(kind), name } : { kind: "", name: title };
}

/** Scales a value into the largest prefix that keeps it at 1 or more, after rounding to three digits. */
function prefixed(value: number, names: string[], step: number): [number, string] {
  let scaled = value;
  let index = 0;
  while (index + 1 < names.length && Math.abs(Number(scaled.toPrecision(3))) >= step) {
    scaled /= step;
    index += 1;
  }
  return [scaled, names[index]!];
}
