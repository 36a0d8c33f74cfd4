import type { Palettes } from "./Palettes";
import type { RunInfo } from "./RunInfo";

export type Hello = { 
/** Version of the program. */
crosscut: string, 
/** The runs, in the order of the command line. */
runs: Array<RunInfo>, 
/** Colours of the palette slots, as "#rrggbb". */
palette: Palettes, };
