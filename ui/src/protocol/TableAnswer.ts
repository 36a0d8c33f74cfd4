import type { TableRow } from "./TableRow";

export type TableAnswer = { 
/** Rows after the filter. */
total: number, 
/** The rows asked for. */
rows: Array<TableRow>, };
