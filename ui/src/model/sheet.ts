// How a sheet is laid out and how its tables are sorted. Blocks go in, sections come out: what follows a
// heading belongs to it; findings take the whole width, the rest stands in cards. Pure.

import type { Block } from "../protocol/Block";
import type { Cell } from "../protocol/Cell";
import type { Row } from "../protocol/Row";

export interface Section {
  head: string;
  blocks: Block[];
  /** It takes the whole width: what stands before the first heading, and what has findings or wide tables. */
  wide: boolean;
}

/** A table with more columns than this takes the whole width. */
const CARD_COLUMNS = 4;

const isWide = (block: Block): boolean =>
  block.is === "finding" ||
  block.is === "code" ||
  (block.is === "table" && block.table.columns.length > CARD_COLUMNS);

/** Whether a block begins a card of its own: after findings, everything that is looked at by itself. */
function begins(block: Block, section: Section): boolean {
  const last = section.blocks.at(-1);
  if (!last || block.is === "finding" || block.is === "text") return false;
  return last.is === "finding" || (section.head === "" && !section.wide);
}

export function sections(blocks: readonly Block[]): Section[] {
  const out: Section[] = [];
  for (const block of blocks) {
    const section = out.at(-1);
    if (block.is === "head") out.push({ head: block.text, blocks: [], wide: false });
    else if (!section) out.push({ head: "", blocks: [block], wide: true });
    else if (begins(block, section)) out.push({ head: "", blocks: [block], wide: isWide(block) });
    else {
      section.blocks.push(block);
      section.wide ||= isWide(block);
    }
  }
  return out;
}

/** What a cell is sorted by: a number where it has one, else its text; null is always last. */
export function sortValue(cell: Cell | undefined): number | string | null {
  switch (cell?.is) {
    case "number":
      return Number.isFinite(cell.value) ? cell.value : null;
    case "difference":
      return cell.there - cell.here;
    case "text":
    case "line":
    case "bins":
      return cell.text;
    case "shares":
      return cell.parts.reduce((sum, part) => sum + part.share, 0);
    default:
      return null;
  }
}

/** The rows by a column; rows that are equal there keep their order. */
export function sorted(rows: readonly Row[], column: number, descending: boolean): Row[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [sortValue(a.cells[column]), sortValue(b.cells[column])];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * String(x).localeCompare(String(y), "en", { numeric: true });
  });
}

/** What a cell says in plain text, for names and copies. */
export function plain(cell: Cell): string {
  if (cell.is === "none") return "–";
  if (cell.is === "shares") return cell.parts.map((part) => `${part.name} ${part.text}`).join(", ");
  return cell.text;
}

/** A sentence begins with a capital letter. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A title without the kind it begins with, where the kind stands beside it. */
export const withoutKind = (title: string, kind: string): string =>
  kind !== "" && title.startsWith(kind + " ") ? title.slice(kind.length + 1) : title;
