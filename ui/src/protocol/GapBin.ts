export type GapBin = { 
/** Lower border, in the clock's unit. */
from: number, 
/** Upper border. */
to: number, 
/** Gaps where the same worker went on. */
same: number, 
/** Gaps where another worker went on. */
moved: number, };
