import type { Align } from "./Align";

export type Label = { 
/** Anchor. */
x: number, 
/** Baseline. */
y: number, 
/** Room for it, in the scene's units. */
w: number, 
/** The text. */
text: string, 
/** Where the anchor is. */
align: Align, 
/** Node it belongs to, if any. */
node: number | null, };
