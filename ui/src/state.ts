// The page's state: everything that decides what it shows, as one immutable value. Changes are plain
// functions from state to state; url.ts writes it into the address, history.ts keeps the past. No signals, no
// I/O.

import { same } from "./selection";
import type { LensSpec } from "./protocol/LensSpec";
import type { Look } from "./protocol/Look";
import type { RunInfo } from "./protocol/RunInfo";
import type { Scope } from "./protocol/Scope";
import type { Selection } from "./protocol/Selection";
import type { Span } from "./protocol/Span";
import type { TreeLook } from "./protocol/TreeLook";

export type Theme = "light" | "dark";
export type Options = Readonly<Record<string, string>>;

/** The part of a graph on the screen: its centre in scene units and pixels per unit. */
export interface Camera {
  x: number;
  y: number;
  k: number;
}

/** Panes in each column, from left to right; panes are numbered down the columns. */
export type Grid = readonly number[];

export interface Pane {
  view: string;
  run: number;
  /** What it is compared with: other runs, or the places that do not count. */
  against: readonly number[] | "rest" | null;
  /** null: where the page puts it by itself. */
  camera: Camera | null;
}

/** The state of one tree: what makes its nodes, what is unfolded, what is folded. */
export interface TreeState {
  with: Options;
  cut: string;
  lens?: LensSpec;
}

/** What is looked at in one run; panes of the same run share it. */
export interface RunState {
  scope: Scope;
  trees: Readonly<Record<string, TreeState>>;
}

/** What somebody wrote about a selection. */
export interface Note {
  of: Selection;
  text: string;
}

export interface Page {
  v: 1;
  panes: readonly Pane[];
  grid: Grid;
  active: number;
  /** Only the active pane is shown. */
  full: boolean;
  runs: readonly RunState[];
  selected: Selection | null;
  notes: readonly Note[];
  /** Options of views, without those that are usual. */
  options: Readonly<Record<string, Options>>;
  /** Zoom and window of several runs go together. */
  link: boolean;
  inspector: boolean;
  /** null: as the system says. */
  theme: Theme | null;
}

export const MOST_PANES = 4;

const emptyRun = (): RunState => ({ scope: {}, trees: {} });
const firstGrid = (panes: number): Grid => (panes === 4 ? [2, 2] : Array.from({ length: panes }, () => 1));

export const paneOf = (view: string, run: number): Pane => ({ view, run, against: null, camera: null });

/** What the page opens with: the first view of each run, beside each other. */
export function firstPage(runs: readonly RunInfo[]): Page {
  const panes = runs.slice(0, MOST_PANES).map((run, i) => paneOf(run.views[0]?.name ?? "", i));
  if (panes.length === 0) panes.push(paneOf("", 0));
  return {
    v: 1,
    panes,
    grid: firstGrid(panes.length),
    active: 0,
    full: false,
    runs: Array.from({ length: Math.max(1, runs.length) }, emptyRun),
    selected: null,
    notes: [],
    options: {},
    link: true,
    inspector: true,
    theme: null,
  };
}

export const activePane = (s: Page): Pane => s.panes[s.active] ?? s.panes[0]!;
export const activeRun = (s: Page): number => activePane(s).run;

export const withPane = (s: Page, at: number, change: Partial<Pane>): Page => ({
  ...s,
  panes: s.panes.map((p, i) => (i === at ? { ...p, ...change } : p)),
});
const withRun = (s: Page, run: number, change: Partial<RunState>): Page => ({
  ...s,
  runs: s.runs.map((r, i) => (i === run ? { ...r, ...change } : r)),
});
export const withScope = (s: Page, run: number, change: Partial<Scope>): Page =>
  withRun(s, run, { scope: defined({ ...s.runs[run]!.scope, ...change }) });
export const activated = (s: Page, at: number): Page => (s.active === at ? s : { ...s, active: at });

/** What is written about a selection; "" where nothing is. */
export const noteOn = (s: Page, of: Selection | null): string =>
  s.notes.find((note) => same(note.of, of))?.text ?? "";

/** Writes a note; an empty one takes it away. */
export function withNote(s: Page, of: Selection, text: string): Page {
  if (text === noteOn(s, of)) return s;
  const others = s.notes.filter((note) => !same(note.of, of));
  return { ...s, notes: text === "" ? others : [...others, { of, text }] };
}

const EMPTY_TREE: TreeState = { with: {}, cut: "" };
export const treeOf = (s: Page, run: number, key: string): TreeState => s.runs[run]?.trees[key] ?? EMPTY_TREE;

/**
 * Changes the state of a tree; one that is usual again is left out, unless its parameter says that it is
 * there.
 */
export function withTree(s: Page, run: number, key: string, change: Partial<TreeState>): Page {
  const next = defined({ ...treeOf(s, run, key), ...change });
  const others = without(s.runs[run]!.trees, key);
  const usual = !key.includes("/") && next.cut === "" && !next.lens && Object.keys(next.with).length === 0;
  return withRun(s, run, { trees: usual ? others : { ...others, [key]: next } });
}

export const withLens = (s: Page, run: number, key: string, lens: LensSpec | null): Page =>
  withTree(s, run, key, { lens: lens ?? undefined });

/** Without the fields that have no value, so that equal states are written alike. */
function defined<T extends object>(of: T): T {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as T;
}

/** All entries but one. */
const without = <V>(of: Readonly<Record<string, V>>, key: string): Record<string, V> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => name !== key));

/** Options with one changed; null goes back to what is usual. */
export function changed(options: Options, name: string, value: string | null): Options {
  const others = without(options, name);
  return value === null ? others : { ...others, [name]: value };
}

export function withOption(s: Page, view: string, name: string, value: string | null): Page {
  const { [view]: own = {}, ...others } = s.options;
  const next = changed(own, name, value);
  return { ...s, options: Object.keys(next).length === 0 ? others : { ...others, [view]: next } };
}

/** Another option makes other nodes: what was unfolded of the old ones says nothing of them. */
export const withTreeOption = (s: Page, run: number, key: string, name: string, value: string | null): Page =>
  withTree(unselected(s, run, key), run, key, {
    with: changed(treeOf(s, run, key).with, name, value),
    cut: "",
  });

/** What of a tree is still there after an option changed: what was unfolded, and perhaps what was selected. */
export const withCarried = (
  s: Page,
  run: number,
  key: string,
  cut: string,
  selected: Selection | null,
): Page => ({
  ...withTree(s, run, key, { cut }),
  selected: selected ?? s.selected,
});

/** Other options make other nodes: those that were selected are gone. */
const unselected = (s: Page, run: number, key: string): Page =>
  s.selected?.run === run && s.selected.tree === key ? { ...s, selected: null } : s;

/** Several runs in the same view: they are compared side by side. */
export const sideBySide = (s: Page): boolean =>
  new Set(s.panes.map((p) => p.run)).size > 1 && new Set(s.panes.map((p) => p.view)).size === 1;

/** Shows a view in the active pane; runs that stand side by side follow, where they have it. */
export function withView(s: Page, view: string, available: (run: number, view: string) => boolean): Page {
  const all = sideBySide(s);
  return {
    ...s,
    panes: s.panes.map((p, i) =>
      p.view !== view && (i === s.active || (all && available(p.run, view))) ? paneOf(view, p.run) : p,
    ),
  };
}

/**
 * Makes sure that a view of a run is on the screen and active: an open pane is used before another is
 * replaced.
 */
export function showing(s: Page, view: string, run: number): Page {
  const open = s.panes.findIndex((p) => p.view === view && p.run === run);
  if (open >= 0) return { ...s, active: open };
  const own = s.panes.findIndex((p) => p.run === run);
  const at = activeRun(s) === run || own < 0 ? s.active : own;
  return { ...withPane(s, at, paneOf(view, run)), active: at };
}

/** The first pane of a column, and the column that holds a pane. */
const columnOf = (grid: Grid, pane: number): { column: number; first: number } => {
  let first = 0;
  for (let column = 0; column < grid.length; column++) {
    if (pane < first + grid[column]!) return { column, first };
    first += grid[column]!;
  }
  return { column: grid.length - 1, first: first - (grid.at(-1) ?? 0) };
};

/** Column and row of each pane, for the frame. */
export function places(grid: Grid): { column: number; row: number; rows: number }[] {
  return grid.flatMap((rows, column) => Array.from({ length: rows }, (_, row) => ({ column, row, rows })));
}

/** A second pane beside or below the active one, which becomes the active one. */
export function split(s: Page, where: "right" | "below", pane: Pane): Page {
  if (s.panes.length >= MOST_PANES) return s;
  const { column, first } = columnOf(s.grid, s.active);
  const at = where === "below" ? s.active + 1 : first + s.grid[column]!;
  const grid =
    where === "below"
      ? s.grid.map((rows, i) => (i === column ? rows + 1 : rows))
      : [...s.grid.slice(0, column + 1), 1, ...s.grid.slice(column + 1)];
  return { ...s, grid, panes: s.panes.toSpliced(at, 0, pane), active: at, full: false };
}

export function closed(s: Page, pane: number): Page {
  if (s.panes.length < 2 || pane >= s.panes.length) return s;
  const { column } = columnOf(s.grid, pane);
  const grid = s.grid.map((rows, i) => (i === column ? rows - 1 : rows)).filter((rows) => rows > 0);
  const active = s.active > pane || s.active === s.panes.length - 1 ? s.active - 1 : s.active;
  return { ...s, grid, panes: s.panes.toSpliced(pane, 1), active: Math.max(0, active), full: false };
}

/** The active pane and the next one change places; what was active stays active. */
export function swapped(s: Page): Page {
  if (s.panes.length < 2) return s;
  const other = (s.active + 1) % s.panes.length;
  const panes = s.panes.map((p, i) =>
    i === s.active ? s.panes[other]! : i === other ? s.panes[s.active]! : p,
  );
  return { ...s, panes, active: other };
}

/** One pane per run, the view of the active one in each that has it. */
export function comparing(s: Page, available: (run: number, view: string) => boolean): Page {
  const { view } = activePane(s);
  const runs = s.runs
    .map((_, run) => run)
    .filter((run) => available(run, view))
    .slice(0, MOST_PANES);
  if (runs.length < 2) return s;
  const panes = runs.map((run) => s.panes.find((p) => p.run === run && p.view === view) ?? paneOf(view, run));
  return {
    ...s,
    panes,
    grid: firstGrid(panes.length),
    active: Math.max(0, runs.indexOf(activeRun(s))),
    full: false,
  };
}

/** Back to the active pane alone. */
export const alone = (s: Page): Page => ({ ...s, panes: [activePane(s)], grid: [1], active: 0, full: false });

/**
 * Takes over what a look says of its trees, options and scope: what an act answered, where a finding leads.
 */
export function applied(s: Page, look: Look): Page {
  if (!s.runs[look.run]) return s;
  let next = s;
  for (const [key, tree] of Object.entries(look.trees ?? {}))
    next = withTree(next, look.run, key, asTree(tree));
  next = withRun(next, look.run, { scope: defined(look.scope) });
  const others = without(next.options, look.view);
  const own: Options = look.options ?? {};
  return { ...next, options: Object.keys(own).length === 0 ? others : { ...others, [look.view]: own } };
}

/** A tree of a look may leave out what is usual. */
const asTree = (tree: TreeLook): TreeState => ({
  with: tree.with ?? {},
  cut: tree.cut ?? "",
  lens: tree.lens,
});

/** The same offset from the start in another run. */
const carriedOver = (window: Span, from: Span, to: Span): Span => [
  window[0] - from[0] + to[0],
  window[1] - from[0] + to[0],
];

/** Sets the window of a run, and where runs are linked that of the others on the screen. */
export function withWindow(
  s: Page,
  run: number,
  window: Span | null,
  whole: (run: number) => Span | null,
): Page {
  const own = whole(run);
  const others = s.link
    ? s.panes.map((p) => p.run).filter((r, i, all) => r !== run && all.indexOf(r) === i)
    : [];
  let next = withScope(s, run, { time: window ?? undefined });
  for (const other of others) {
    const there = whole(other);
    const time = window && own && there ? carriedOver(window, own, there) : undefined;
    next = withScope(next, other, { time });
  }
  return next;
}

/** Panes whose camera follows that of a pane: the same view of other runs, while runs are linked. */
export function mates(s: Page, pane: number): number[] {
  const own = s.panes[pane];
  if (!s.link || !own) return [];
  return s.panes.flatMap((p, i) => (i !== pane && p.view === own.view && p.run !== own.run ? [i] : []));
}
