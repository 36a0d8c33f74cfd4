export type LegendItem = { 
/** Palette slot. */
fill: number, 
/** What it says. */
text: string, };
