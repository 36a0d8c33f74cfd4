// The task DAG of a run: which parts of the view state are its own.

import { graphs } from "./graph";
import { separated } from "../format";
import { runInfo, state } from "../page";

export const dagOf = graphs({
  view: "dag",
  cut: (r) => r.cut,
  camera: (r) => r.camera,
  selected: (r) => r.selected,
  change: (part) => part,
  look: () => ({ colour: state().colour, scale: state().scale, critical: state().critical }),
  shown: (run, p) => `${separated(p.visible)} of ${separated(runInfo(run)?.nodes ?? p.visible)} nodes shown`,
  goOn: "Open single nodes to go on.",
});
