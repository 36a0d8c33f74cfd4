import type { ViewName } from "./ViewName";

export type Finding = { 
/** Stable word, such as "no-work". */
id: string, 
/** "high", "medium" or "low". */
severity: string, 
/** Time lost, summed over workers, in the clock's unit. */
cost: number, 
/** What was seen. */
what: string, 
/** What to try. */
advice: string, 
/** Source position, if any. */
place: string | null, 
/** The view that shows it. */
view: ViewName, 
/** The node to select, if any. */
node: number | null, 
/** The time window to show, if any. */
window: [number, number] | null, };
