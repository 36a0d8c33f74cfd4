import type { AreaHead } from "./AreaHead";
import type { Axis } from "./Axis";
import type { Label } from "./Label";
import type { LegendItem } from "./LegendItem";
import type { StripHead } from "./StripHead";

export type SceneHead = { 
/** Extent to the right. */
width: number, 
/** Extent down. */
height: number, 
/** Number of boxes. */
boxes: number, 
/** Number of links. */
links: number, 
/** Texts. */
labels: Array<Label>, 
/** Dense rows. */
strips: Array<StripHead>, 
/** Filled curves. */
areas: Array<AreaHead>, 
/** Horizontal axis. */
x_axis: Axis | null, 
/** Vertical axis. */
y_axis: Axis | null, 
/** What the colours say. */
legend: Array<LegendItem>, 
/** What was left out or merged, in words. */
note: string | null, };
