// The grain graph of a run: which parts of the view state are its own, and how its selection and that of the task
// tree follow each other. Grains have ids of their own; the server knows which task each stands for.

import { createEffect, createRoot } from "solid-js";
import { graphs } from "./graph";
import { complain, fetchGrain, fetchGrainOf, hello, lensRequest, state, update } from "../page";
import { shownOf } from "./problems";
import { showing, withRun } from "../state";

export const grainOf = graphs({
  view: "grain",
  cut: (r) => r.grainCut,
  camera: (r) => r.grainCamera,
  selected: (r) => r.grain,
  change: ({ cut, camera, selected }) => ({
    ...(cut === undefined ? {} : { grainCut: cut }),
    ...(camera === undefined ? {} : { grainCamera: camera }),
    ...(selected === undefined ? {} : { grain: selected }),
  }),
  look: (run) => ({
    colour: state().grainColour, scale: state().scale, critical: state().critical, lens: lensRequest(), alike: state().alike,
    path_of: state().critical ? state().runs[run]!.pathOf : null,
  }),
  shown: shownOf,
  goOn: "Open single groups, or look through a lens: what does not have the problem stays closed.",
  led: linkTask,
});

/** The task of a selected grain is selected too, for the DAG and the timeline; no step of the history of its own. */
function linkTask(run: number, grain: number): void {
  fetchGrain(run, grain).then(
    (info) => update((s) => (s.runs[run]!.grain === grain ? withRun(s, run, { selected: info.task }) : s), ""),
    complain,
  );
}

export function selectGrain(run: number, grain: number | null): void {
  if (state().runs[run]?.grain === grain) return;
  update((s) => withRun(s, run, grain === null ? { grain, selected: null } : { grain }), "select");
  if (grain !== null) linkTask(run, grain);
}

/** Whether grains of a run are on the screen. */
const shownGrains = (run: number): boolean => state().panes.some((p) => p.run === run && (p.view === "grain" || (p.view === "table" && state().table === "grain")));

/** Selects a grain and, where a drawing of the grains is on the screen, opens what hides it. */
export function goToGrain(run: number, grain: number): void {
  selectGrain(run, grain);
  if (state().panes.some((p) => p.view === "grain" && p.run === run)) void grainOf(run).act({ do: "reveal", node: grain }, grain);
}

/** Shows a grain in the grain view, whatever is on the screen now. */
export function showGrain(run: number, grain: number): void {
  update((s) => showing(s, "grain", run), "view");
  goToGrain(run, grain);
}

/** Shows in the grain view what a node of the task tree belongs to. */
export function showGrainOf(run: number, task: number): void {
  update((s) => showing(s, "grain", run), "view");
  void grainOf(run).act({ do: "revealtask", node: task }, null);
}

// A node that was selected elsewhere is looked up as soon as grains are on the screen.
createRoot(() =>
  createEffect(() => {
    if (!hello()) return;
    state().runs.forEach((r, run) => {
      if (r.selected === null || r.grain !== null || !shownGrains(run)) return;
      const task = r.selected;
      fetchGrainOf(run, task).then(
        ({ node }) => update((s) => (s.runs[run]!.selected === task && s.runs[run]!.grain === null ? withRun(s, run, { grain: node }) : s), ""),
        () => {},
      );
    });
  }),
);
