export type Migration = { 
/** "create", "create-cont", "wait-cont", "end", "other-cont". */
edge: string, 
/** workers × workers, row = from. */
count: Array<number>, };
