import type { Hit } from "./Hit";

export type SearchAnswer = { 
/** What was found, in tree order. */
hits: Array<Hit>, 
/** How many there are in all (a lower bound when `more`). */
total: number, 
/** There are more than were counted. */
more: boolean, };
