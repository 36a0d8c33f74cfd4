export type AreaHead = { 
/** Name of the layer. */
name: string, 
/** Palette slot. */
fill: number, 
/** Left edge of the first cell. */
x: number, 
/** Width of a cell. */
cell: number, 
/** Number of cells. */
n: number, };
