export type StripHead = { 
/** Left edge of the first cell. */
x: number, 
/** Top edge. */
y: number, 
/** Width of a cell. */
cell: number, 
/** Height. */
h: number, 
/** Row number. */
row: number, 
/** Number of cells. */
n: number, };
