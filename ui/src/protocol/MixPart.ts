export type MixPart = { 
/** Palette slot. */
fill: number, 
/** Name of the place. */
name: string, 
/** Time. */
time: number, };
