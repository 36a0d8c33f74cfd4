export type TableRow = { 
/** The node. */
node: number, 
/** Depth in the tree. */
depth: number, 
/** Kind. */
kind: string, 
/** Source position. */
source: string, 
/** Worker, or "several". */
worker: string, 
/** First start. */
start: number, 
/** last end − first start. */
elapsed: number, 
/** Work. */
work: number, 
/** Critical path. */
span: number, 
/** Tasks inside. */
tasks: number, 
/** On the critical path of the run. */
critical: boolean, };
