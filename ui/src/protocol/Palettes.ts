export type Palettes = { 
/** On a light surface. */
light: Array<string>, 
/** On a dark surface. */
dark: Array<string>, };
