import type { Crumb } from "./Crumb";
import type { Fact } from "./Fact";
import type { MixPart } from "./MixPart";

export type NodeAnswer = { 
/** The node. */
node: number, 
/** "create", "wait", "other", "end", "section", "task". */
kind: string, 
/** One line that names it. */
title: string, 
/** Its ancestors from the root, for the breadcrumbs. */
path: Array<Crumb>, 
/** Metrics in the order to show them. */
facts: Array<Fact>, 
/** First start and last end. */
time: [number, number], 
/** Source position where it began and ended ("file:line"). */
source: [string | null, string | null], 
/** Workers that ran it with their share of its work, largest first (palette slot, name, time). */
mix: Array<MixPart>, 
/** Number of children. */
children: number, 
/** The recorder collapsed its inside. */
collapsed: boolean, 
/** On the critical path of the run. */
critical: boolean, 
/** Previous and next sibling. */
siblings: [number | null, number | null], };
