export type Failure = { 
/** In words, with what to do. */
error: string, };
