// Every command of the page: name, keys, what it does. The palette, the help and the keyboard read this one list, so
// that everything the mouse does has a name and a key.

import {
  activeGraph, canBegin, closeParent, exportPicture, fit, hasSelection, openAlike, openBelowSelected, openCritical, openPath, openWorst, panActive, parent, sibling, spreadSelected, toDag,
  toDepth, toggleAlike, toggleSelected, toGrains, toTimeline, zoomActive,
} from "./model/actions";
import { overlay, setOverlay } from "./model/overlay";
import { step } from "./model/overview";
import { chooseLens, inWords, problemRows, problemsOf, setThreshold, stepLens } from "./model/problems";
import { nextHit, setSearchOpen } from "./model/search";
import { currentRun, redoStep, runInfo, select, setWindow, state, tell, theme, undoStep, update } from "./page";
import { aboutGrains, activePane, closed, comparing, splitted, swapped, VIEW_TITLES, VIEWS, withView } from "./state";
import type { ColourBy } from "./protocol/ColourBy";
import type { Scale } from "./protocol/Scale";

export interface Command {
  id: string;
  title: string;
  group: "Views" | "Cut" | "Move" | "Find" | "Look" | "Page";
  keys: string[];
  run: () => void;
  when?: () => boolean;
}

export const COLOUR_TITLES: Record<ColourBy, string> = { worker: "Worker", kind: "Kind", source: "Source", core: "Core" };
export const SCALE_TITLES: Record<Scale, string> = { even: "Even", log: "Log time", linear: "Linear time" };

const inGraph = (): boolean => activeGraph() !== null;
const inGrains = (): boolean => aboutGrains(state());
const twoPanes = (): boolean => state().panes.length === 2;

export function focusSearch(): void {
  setSearchOpen(true);
  document.querySelector<HTMLInputElement>("#search")?.select();
}

/** Opens the menu of lenses in the top bar. */
export const openLensMenu = (): void => document.querySelector<HTMLButtonElement>("#lens")?.click();

/** Colours of the view that is looked at. */
export const setColour = (colour: ColourBy): void => update((s) => (aboutGrains(s) ? { ...s, grainColour: colour } : { ...s, colour }), "colour");

export function toggleTheme(): void {
  update((s) => ({ ...s, theme: theme() === "dark" ? "light" : "dark" }), "theme");
}

const fixed: Command[] = [
  ...VIEWS.map((view, i): Command => ({
    id: `view-${view}`, title: `Show ${VIEW_TITLES[view]}`, group: "Views", keys: [String(i + 1)], run: () => update((s) => withView(s, view), "view"),
  })),
  { id: "split-row", title: "Split: second pane beside", group: "Views", keys: ["\\"], run: () => update((s) => splitted(s, "row"), "split") },
  { id: "split-column", title: "Split: second pane below", group: "Views", keys: ["|"], run: () => update((s) => splitted(s, "column"), "split") },
  { id: "swap", title: "Swap panes", group: "Views", keys: ["X"], run: () => update(swapped, "swap"), when: twoPanes },
  { id: "maximise", title: "Maximise or restore the active pane", group: "Views", keys: ["M"], run: () => update((s) => ({ ...s, maximised: !s.maximised }), "maximise"), when: twoPanes },
  { id: "close-pane", title: "Close the active pane", group: "Views", keys: ["Q"], run: () => update((s) => closed(s, s.active), "close-pane"), when: twoPanes },
  { id: "other-pane", title: "Go to the other pane", group: "Views", keys: ["O"], run: () => update((s) => ({ ...s, active: 1 - s.active }), ""), when: twoPanes },
  { id: "compare", title: "Compare two runs side by side", group: "Views", keys: ["V"], run: compare },
  { id: "link", title: "Link zoom of both runs", group: "Views", keys: ["L"], run: () => update((s) => ({ ...s, linked: !s.linked }), "link"), when: () => state().runs.length > 1 },

  { id: "toggle", title: "Open or close the selected node", group: "Cut", keys: ["Enter"], run: toggleSelected, when: canBegin },
  { id: "below", title: "Open everything below the selected node", group: "Cut", keys: ["Shift+Enter"], run: openBelowSelected, when: canBegin },
  { id: "close-parent", title: "Close the parent of the selected node", group: "Cut", keys: ["Backspace"], run: () => void closeParent(), when: canBegin },
  { id: "open-critical", title: "Open along the critical path", group: "Cut", keys: ["Shift+C"], run: openCritical },
  { id: "close-all", title: "Close all", group: "Cut", keys: ["0"], run: () => toDepth(0) },
  { id: "worst", title: "Grains: open to the worst problem", group: "Cut", keys: ["Shift+W"], run: () => void openWorst() },
  { id: "path", title: "Grains: open along the selected group's own critical path", group: "Cut", keys: ["Shift+L"], run: () => openPath(), when: inGrains },
  { id: "open-alike", title: "Grains: open everything alike to the selected group", group: "Cut", keys: ["E"], run: () => openAlike(), when: inGrains },
  { id: "alike", title: "Grains: fold alike siblings, or not", group: "Cut", keys: ["Shift+E"], run: toggleAlike, when: inGrains },
  { id: "spread", title: "Grains: unfold the selected fold, or fold it again", group: "Cut", keys: ["R"], run: spreadSelected, when: inGrains },

  { id: "previous-sibling", title: "Select the previous sibling", group: "Move", keys: ["["], run: () => void sibling(0), when: canBegin },
  { id: "next-sibling", title: "Select the next sibling", group: "Move", keys: ["]"], run: () => void sibling(1), when: canBegin },
  { id: "parent", title: "Select the parent", group: "Move", keys: ["U"], run: () => void parent(), when: canBegin },
  { id: "left", title: "Move left", group: "Move", keys: ["A", "Left"], run: () => panActive(-0.12, 0) },
  { id: "right", title: "Move right", group: "Move", keys: ["D", "Right"], run: () => panActive(0.12, 0) },
  { id: "up", title: "Move up (timeline: zoom in)", group: "Move", keys: ["W", "Up"], run: () => (inGraph() ? panActive(0, -0.12) : zoomActive(1.4)) },
  { id: "down", title: "Move down (timeline: zoom out)", group: "Move", keys: ["S", "Down"], run: () => (inGraph() ? panActive(0, 0.12) : zoomActive(1 / 1.4)) },
  { id: "zoom-in", title: "Zoom in", group: "Move", keys: ["+", "="], run: () => zoomActive(1.4) },
  { id: "zoom-out", title: "Zoom out", group: "Move", keys: ["-"], run: () => zoomActive(1 / 1.4) },
  { id: "fit", title: "Fit everything", group: "Move", keys: ["F"], run: fit },
  { id: "whole", title: "Show the whole run in time", group: "Move", keys: ["Home"], run: () => setWindow(currentRun(), null, false) },
  { id: "grain-at", title: "Grains at the selection", group: "Move", keys: ["G"], run: toGrains },
  { id: "dag-at", title: "DAG at the selection", group: "Move", keys: ["Shift+G"], run: toDag },
  { id: "timeline-at", title: "Timeline at the selection", group: "Move", keys: ["T"], run: () => void toTimeline() },

  { id: "search", title: "Search for a function, source position, kind or #node", group: "Find", keys: ["/"], run: focusSearch },
  { id: "next-hit", title: "Next search hit", group: "Find", keys: ["N"], run: () => nextHit(1) },
  { id: "previous-hit", title: "Previous search hit", group: "Find", keys: ["Shift+N"], run: () => nextHit(-1) },
  { id: "next-finding", title: "Next problem", group: "Find", keys: ["P"], run: () => step(1) },
  { id: "previous-finding", title: "Previous problem", group: "Find", keys: ["Shift+P"], run: () => step(-1) },
  { id: "next-lens", title: "Next lens", group: "Find", keys: ["."], run: () => stepLens(1) },
  { id: "previous-lens", title: "Previous lens", group: "Find", keys: [","], run: () => stepLens(-1) },
  { id: "lens", title: "Choose a lens", group: "Find", keys: ["K"], run: openLensMenu },
  { id: "deselect", title: "Clear the selection, close what is open", group: "Find", keys: ["Esc"], run: escape },

  { id: "critical", title: "Mark the critical path", group: "Look", keys: ["C"], run: () => update((s) => ({ ...s, critical: !s.critical }), "critical") },
  ...(Object.keys(COLOUR_TITLES) as ColourBy[]).map((colour): Command => ({
    id: `colour-${colour}`, title: `Colour by ${COLOUR_TITLES[colour].toLowerCase()}`, group: "Look", keys: [], run: () => setColour(colour),
  })),
  ...(Object.keys(SCALE_TITLES) as Scale[]).map((scale): Command => ({
    id: `scale-${scale}`, title: `Box height: ${SCALE_TITLES[scale].toLowerCase()}`, group: "Look", keys: [], run: () => update((s) => ({ ...s, scale }), "scale"),
  })),
  { id: "inspector", title: "Show or hide the inspector", group: "Look", keys: ["I"], run: () => update((s) => ({ ...s, inspector: !s.inspector }), "") },
  { id: "theme", title: "Light or dark", group: "Look", keys: ["Shift+D"], run: toggleTheme },

  { id: "palette", title: "All commands", group: "Page", keys: ["Ctrl+K"], run: () => setOverlay(overlay() === "palette" ? null : "palette") },
  { id: "help", title: "Help: keys and hands", group: "Page", keys: ["?"], run: () => setOverlay(overlay() === "help" ? null : "help") },
  { id: "undo", title: "Undo", group: "Page", keys: ["Ctrl+Z"], run: undoStep },
  { id: "redo", title: "Redo", group: "Page", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], run: redoStep },
  { id: "export-svg", title: "Export the picture as SVG", group: "Page", keys: [], run: () => exportPicture("svg") },
  { id: "export-png", title: "Export the picture as PNG", group: "Page", keys: [], run: () => exportPicture("png") },
  { id: "copy", title: "Copy the address of this view", group: "Page", keys: ["Y"], run: copyAddress },
];

/** Depth of the graph that is looked at. */
export function graphDepth(run: number): number {
  const problems = aboutGrains(state()) ? problemsOf(run) : null;
  return problems?.state === "ready" ? problems.value.depth : (runInfo(run)?.depth ?? 0);
}

/** The fixed commands, one per depth of the graph that is looked at, one per lens. */
export function commands(): Command[] {
  const depth = Math.min(12, graphDepth(currentRun()));
  const depths = Array.from({ length: depth + 1 }, (_, d): Command => ({
    id: `depth-${d}`, title: `Open to depth ${d}`, group: "Cut", keys: [], run: () => toDepth(d),
  }));
  const lenses = problemRows(currentRun()).filter((r) => r.available).map((r): Command => ({
    id: `lens-${r.problem}`, title: `Lens: ${inWords(r.problem)}`, group: "Find", keys: [], run: () => chooseLens(r.problem),
  }));
  const none: Command = { id: "lens-none", title: "Lens: none", group: "Find", keys: [], run: () => chooseLens(""), when: () => state().lens !== "" };
  const usual: Command = { id: "threshold", title: "Lens: threshold back to its default", group: "Find", keys: [], run: () => setThreshold(state().lens, null), when: () => state().lens in state().thresholds };
  return [...fixed, ...depths, ...lenses, none, usual];
}

export function commandFor(key: string): Command | undefined {
  return fixed.find((c) => c.keys.includes(key) && (!c.when || c.when()));
}

/** Keys of a command by its id, for tooltips. */
export const keysOf = (id: string): string => fixed.find((c) => c.id === id)?.keys[0] ?? "";

function compare(): void {
  if (state().runs.length < 2) return tell({ text: "Only one run is open. Compare with: crosscut view RUN_A RUN_B", problem: false });
  update((s) => comparing(s, activePane(s).view), "compare");
}

function escape(): void {
  if (overlay()) setOverlay(null);
  else if (hasSelection()) select(currentRun(), null);
  else tell(null);
}

function copyAddress(): void {
  // The address is written with a delay; the copy must not be older than the view.
  setTimeout(() => {
    navigator.clipboard?.writeText(location.href).then(
      () => tell({ text: "Address copied. It holds the view state, not your access: others need the server's launch link too.", problem: false }),
      () => tell({ text: "The browser did not allow copying; take the address from its address bar.", problem: false }),
    );
  }, 200);
}
