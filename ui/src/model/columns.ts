// Columns of a table: how wide each is, and in which order a click on a head puts the rows. Pure.

import type { Column } from "../protocol/Column";
import type { Unit } from "../protocol/Unit";

interface Sort {
  sort: string;
  descending: boolean;
}

/** Room for a head: its longest word, since heads are broken between words. */
const headRoom = (title: string): number =>
  14 + 7.3 * Math.max(0, ...title.split(" ").map((word) => word.length));

/** Room for values: of words, and of numbers with the longest unit that they have. */
const WORDS = 84;
const LEAST: Partial<Record<Unit, number>> = { ns: 72, ticks: 98, bytes: 80, cores: 84 };

/** Share of the width and the least in pixels, by what the column holds and where it stands. */
function widthOf(column: Column, first: boolean): [number, number] {
  if (first) return [3, 180];
  const least = column.unit === null ? WORDS : (LEAST[column.unit] ?? 60);
  return [column.unit === null ? 1.4 : 1, Math.max(least, headRoom(column.title))];
}

/** The columns as a grid. */
export function gridOf(columns: readonly Column[]): { "grid-template-columns": string; "min-width": string } {
  const widths = columns.map((column, i) => widthOf(column, i === 0));
  return {
    "grid-template-columns": widths
      .map(([share, least]) => `minmax(${Math.round(least)}px, ${share}fr)`)
      .join(" "),
    "min-width": `${Math.round(widths.reduce((sum, [, least]) => sum + least, 0))}px`,
  };
}

/**
 * Largest first for numbers, the alphabet for words; then the other way round; then the order of the tree.
 */
export function nextOrder(now: Sort, column: Column): Sort {
  const usual = column.unit !== null;
  if (now.sort !== column.name) return { sort: column.name, descending: usual };
  return now.descending === usual
    ? { sort: column.name, descending: !usual }
    : { sort: "", descending: true };
}
