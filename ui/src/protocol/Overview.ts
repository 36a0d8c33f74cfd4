import type { Accounting } from "./Accounting";
import type { Fact } from "./Fact";
import type { Finding } from "./Finding";
import type { GapBin } from "./GapBin";
import type { Migration } from "./Migration";
import type { SpeedupPoint } from "./SpeedupPoint";
import type { WorkerRow } from "./WorkerRow";

export type Overview = { 
/** Where P × elapsed went. */
accounting: Accounting, 
/** Counted things, in the order to show them. */
facts: Array<Fact>, 
/** Busy, delayed and idle time per worker. */
workers: Array<WorkerRow>, 
/** Predicted speed-up by number of workers: bounds from work and span. */
speedup: Array<SpeedupPoint>, 
/** The speed-up that was seen: work / elapsed. */
observed: number, 
/** Transfers of control between workers by edge kind; `count[from][to]` flattened, workers × workers. */
migrations: Array<Migration>, 
/** Distribution of the gap between consecutive intervals of a spine. */
gaps: Array<GapBin>, 
/** Worst first. */
findings: Array<Finding>, };
