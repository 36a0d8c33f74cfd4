import type { Action } from "./Action";
import type { ColourBy } from "./ColourBy";
import type { Scale } from "./Scale";
import type { ViewName } from "./ViewName";

export type SceneRequest = { 
/** Index of the run. */
run: number, 
/** Which picture. */
view: ViewName, 
/** The cut as text ("" = the cut a run opens with). */
cut: string, 
/** A change of the cut, applied first. */
action: Action | null, 
/** What decides colour. */
colour: ColourBy, 
/** What decides the height of a box in the DAG. */
scale: Scale, 
/** Time window (timeline, profile) in the run's clock unit; the whole run when absent. */
window: [number, number] | null, 
/** Width of the pane in CSS pixels. */
width: number, 
/** Height of the pane in CSS pixels. */
height: number, 
/** Mark the critical path. */
critical: boolean, 
/** Subtree that is highlighted in the timeline: everything outside of it is drawn in the muted slot. */
focus: number | null, };
