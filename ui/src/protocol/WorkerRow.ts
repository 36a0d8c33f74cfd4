export type WorkerRow = { 
/** Name of the place. */
name: string, 
/** Palette slot. */
fill: number, 
/** Time in intervals. */
busy: number, 
/** Number of intervals. */
intervals: number, };
