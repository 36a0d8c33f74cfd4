// The view state: everything that decides what the page shows, as one immutable value. Changes are plain functions
// from state to state; url.ts writes it into the fragment, history.ts keeps the past. No signals, no I/O here.

import type { ColourBy } from "./protocol/ColourBy";
import type { Scale } from "./protocol/Scale";

export type ViewId = "overview" | "dag" | "grain" | "timeline" | "table";
export const VIEWS: ViewId[] = ["overview", "dag", "grain", "timeline", "table"];
export const VIEW_TITLES: Record<ViewId, string> = { overview: "Overview", dag: "DAG", grain: "Grains", timeline: "Timeline", table: "Table" };

/** The views that draw a graph from a cut. */
export type GraphId = "dag" | "grain";

/** The part of a graph on the screen: its centre in scene units and pixels per unit. */
export interface Camera {
  x: number;
  y: number;
  k: number;
}

/** A stretch of time in the run's clock unit. */
export type Span = readonly [number, number];

export interface Pane {
  view: ViewId;
  run: number;
}

/** What is looked at in one run; panes of the same run share it. */
export interface RunState {
  /** Opaque text from the server; "" is the cut a run opens with. */
  cut: string;
  selected: number | null;
  /** null: the whole run. */
  window: Span | null;
  /** null: where the page puts it by itself. */
  camera: Camera | null;
  /** The same three for the grain graph, whose nodes are numbered on their own. */
  grainCut: string;
  grain: number | null;
  grainCamera: Camera | null;
  /** Group whose own critical path is marked instead of that of the run. */
  pathOf: number | null;
}

export interface ViewState {
  panes: Pane[];
  /** Side by side ("row") or one above the other ("column"). */
  split: "row" | "column";
  active: number;
  maximised: boolean;
  runs: RunState[];
  colour: ColourBy;
  /** Grains are told apart by source unless something else is chosen. */
  grainColour: ColourBy;
  scale: Scale;
  critical: boolean;
  /** Problem that the grain view looks through; "" for none. */
  lens: string;
  /** Chosen thresholds by problem; the others are the server's. */
  thresholds: Readonly<Record<string, number>>;
  /** Siblings that are alike are drawn as one mark. */
  alike: boolean;
  /** What if the selection were so many times as fast. */
  faster: number;
  /** Two runs: zoom and window go together. */
  linked: boolean;
  inspector: boolean;
  /** null: as the system says. */
  theme: "light" | "dark" | null;
  /** Which graph the table lists: the one that was looked at last. */
  table: GraphId;
  /** Grain table: every grain with the lens's problem instead of what is visible. */
  all: boolean;
  sort: string;
  descending: boolean;
  filter: string;
}

export const emptyRun = (): RunState => ({
  cut: "", selected: null, window: null, camera: null, grainCut: "", grain: null, grainCamera: null, pathOf: null,
});

export function firstState(runs: number): ViewState {
  return {
    panes: runs > 1 ? [{ view: "overview", run: 0 }, { view: "overview", run: 1 }] : [{ view: "overview", run: 0 }],
    split: "row",
    active: 0,
    maximised: false,
    runs: Array.from({ length: Math.max(1, runs) }, emptyRun),
    colour: "worker",
    grainColour: "source",
    scale: "log",
    critical: false,
    lens: "",
    thresholds: {},
    alike: false,
    faster: 2,
    linked: true,
    inspector: true,
    theme: null,
    table: "dag",
    all: false,
    sort: "",
    descending: true,
    filter: "",
  };
}

export const activePane = (s: ViewState): Pane => s.panes[s.active] ?? s.panes[0]!;
export const activeRun = (s: ViewState): number => activePane(s).run;

export function withRun(s: ViewState, run: number, change: Partial<RunState>): ViewState {
  return { ...s, runs: s.runs.map((r, i) => (i === run ? { ...r, ...change } : r)) };
}

/** The table follows the graph that was looked at last. */
const tableOf = (s: ViewState, view: ViewId): GraphId => (view === "dag" || view === "grain" ? view : s.table);

/** Shows a view in the active pane; when panes compare two runs of the same view, both follow. */
export function withView(s: ViewState, view: ViewId): ViewState {
  const comparing = s.panes.length === 2 && s.panes[0]!.run !== s.panes[1]!.run && s.panes[0]!.view === s.panes[1]!.view;
  return { ...s, table: tableOf(s, view), panes: s.panes.map((p, i) => (comparing || i === s.active ? { ...p, view } : p)) };
}

/** Whether the active pane is about grains: its selection is a grain, its colours are those of the grain view. */
export function aboutGrains(s: ViewState): boolean {
  const { view } = activePane(s);
  return view === "grain" || (view === "table" && s.table === "grain");
}

/** Looks through a problem, "" for none. Cut, camera and selection stay. */
export const withLens = (s: ViewState, lens: string): ViewState => (s.lens === lens ? s : { ...s, lens });

/** Moves the threshold of a problem; null goes back to the server's. */
export function withThreshold(s: ViewState, problem: string, value: number | null): ViewState {
  const { [problem]: _, ...rest } = s.thresholds;
  return { ...s, thresholds: value === null ? rest : { ...rest, [problem]: value } };
}

export const withFaster = (s: ViewState, faster: number): ViewState => (s.faster === faster ? s : { ...s, faster });

/** Makes sure a view of the run is on the screen and active: an open pane is used before another is replaced. */
export function showing(s: ViewState, view: ViewId, run: number): ViewState {
  const open = s.panes.findIndex((p) => p.view === view && p.run === run);
  if (open >= 0) return { ...s, table: tableOf(s, view), active: open, maximised: s.maximised && s.active === open };
  const pane = s.panes[s.active]?.run === run ? s.active : Math.max(0, s.panes.findIndex((p) => p.run === run));
  return { ...s, table: tableOf(s, view), active: pane, panes: s.panes.map((p, i) => (i === pane ? { view, run } : p)) };
}

export function splitted(s: ViewState, split: "row" | "column"): ViewState {
  if (s.panes.length === 2) return { ...s, split, maximised: false };
  const pane = activePane(s);
  const other: ViewId = pane.view === "timeline" ? (s.table === "grain" ? "grain" : "dag") : "timeline";
  return { ...s, split, maximised: false, panes: [pane, { view: other, run: pane.run }], active: 1 };
}

export function closed(s: ViewState, pane: number): ViewState {
  if (s.panes.length < 2) return s;
  return { ...s, panes: s.panes.filter((_, i) => i !== pane), active: 0, maximised: false };
}

export const swapped = (s: ViewState): ViewState =>
  s.panes.length < 2 ? s : { ...s, panes: [s.panes[1]!, s.panes[0]!], active: 1 - s.active };

/** One pane per run, the same view in both. */
export function comparing(s: ViewState, view: ViewId): ViewState {
  if (s.runs.length < 2) return s;
  const first = activeRun(s);
  const second = first === 0 ? 1 : 0;
  const [a, b] = first < second ? [first, second] : [second, first];
  return { ...s, panes: [{ view, run: a }, { view, run: b }], active: 0, maximised: false, split: "row" };
}
