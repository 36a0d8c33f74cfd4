import type { Op } from "./Op";

export type Request = { 
/** Echoed in the answer. */
id: number, } & Op;
