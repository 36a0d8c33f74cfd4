export type RunInfo = { 
/** Name of the directory without its ending. */
name: string, 
/** What is missing, when the run is partial. */
partial: string | null, 
/** Unit of all times: "ns" or "ticks". */
clock: string, 
/** First and last time of the run. */
time: [number, number], 
/** Number of nodes in the task tree. */
nodes: number, 
/** Number of workers. */
workers: number, 
/** The cut that a run opens with, as text. */
cut: string, 
/** Largest depth of the tree. */
depth: number, };
