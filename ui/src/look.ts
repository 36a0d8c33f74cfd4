// From the page's state to the Look of a pane: everything that decides its picture, as the one value that is
// asked for, kept and exported. Pure.

import { keysOf } from "./views";
import type { Options, Page, Pane, TreeState } from "./state";
import type { Against } from "./protocol/Against";
import type { Look } from "./protocol/Look";
import type { RunInfo } from "./protocol/RunInfo";
import type { Size } from "./protocol/Size";
import type { View } from "./protocol/View";

export function lookOf(s: Page, info: RunInfo, view: View, pane: Pane, size: Size): Look {
  const trees: Record<string, TreeState> = {};
  for (const key of keysOf(s, pane.run, view, info)) {
    const tree = s.runs[pane.run]?.trees[key];
    if (tree) trees[key] = tree;
  }
  const against = againstOf(s, view, pane);
  return {
    v: 1,
    view: view.name,
    run: pane.run,
    ...(against ? { against } : {}),
    trees,
    options: optionsOf(s, view),
    scope: s.runs[pane.run]?.scope ?? {},
    ...(view.follows && s.selected?.run === pane.run ? { selected: s.selected } : {}),
    size,
  };
}

/** Those that the view declares: an address may have others. */
function optionsOf(s: Page, view: View): Record<string, string> {
  const own: Options = s.options[view.name] ?? {};
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => view.options.some((opt) => opt.name === name)),
  );
}

/** A sheet about two runs says nothing of one: it compares with the next one unless another was chosen. */
export const isPaired = (view: View): boolean => view.pane === "sheet" && view.compares === "two";

/** What a pane is compared with, chosen or not. */
export function comparedWith(s: Page, view: View, { against, run }: Pane): Pane["against"] {
  if (against !== null) return against;
  return isPaired(view) && s.runs.length > 1 ? [run === 0 ? 1 : 0] : null;
}

function againstOf(s: Page, view: View, pane: Pane): Against | null {
  const against = comparedWith(s, view, pane);
  if (against === null) return null;
  return against === "rest" ? "rest" : { runs: [...against] };
}

/** What a picture is kept by: everything; the selection is part of it where the view is about it. */
export const keyOf = (look: Look): string => JSON.stringify(look);

/** With what is selected, to ask what it means there. */
export const withSelected = (look: Look, selected: Page["selected"]): Look =>
  selected ? { ...look, selected } : look;

/** Graphs are laid out for a size in steps: a pixel more changes nothing. */
export const inSteps = (w: number, h: number, step = 64): Size => ({
  w: Math.max(step, Math.round(w / step) * step),
  h: Math.max(step, Math.round(h / step) * step),
});
