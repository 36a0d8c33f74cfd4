// What hands can do to the selection and to the active pane, for keys, palette and pointer alike. Each function
// reads the view state, changes it or asks the server for a new cut, and returns nothing.

import { fitted, panned, zoomedAt } from "../draw/camera";
import { boxesOf, boxOf, styleOf } from "../draw/marks";
import { dagOf } from "./dag";
import { ASK_AT, type Graph } from "./graph";
import { goToGrain, grainOf, selectGrain, showGrain, showGrainOf } from "./grain";
import { about, costOf, inWords, needLens, problemRow, problemsOf } from "./problems";
import { around, shown, slid, zoomed } from "./time";
import { complain, currentRun, fetchGrain, fetchNode, select, setWindow, state, tell, theme, update, wholeRun } from "../page";
import { aboutGrains, activePane, showing, withRun, type Camera, type GraphId, type Span, type ViewId } from "../state";
import { separated } from "../format";
import type { Crumb } from "../protocol/Crumb";

/** What the answers about a node of either graph have in common. */
interface About {
  path: Crumb[];
  siblings: [number | null, number | null];
  time: Span;
}

/** What keys act on: the selected grain where grains are looked at, else the selected node of the task tree. */
interface Subject {
  run: number;
  graph: Graph;
  node: number | null;
  about: (node: number) => Promise<About>;
  select: (node: number) => void;
  go: (node: number) => void;
}

export const graphOf = (view: GraphId, run: number): Graph => (view === "grain" ? grainOf(run) : dagOf(run));

function subject(): Subject {
  const run = currentRun();
  if (aboutGrains(state())) {
    return { run, graph: grainOf(run), node: state().runs[run]?.grain ?? null, about: (n) => fetchGrain(run, n), select: (n) => selectGrain(run, n), go: (n) => goToGrain(run, n) };
  }
  return { run, graph: dagOf(run), node: state().runs[run]?.selected ?? null, about: (n) => fetchNode(run, n), select: (n) => select(run, n), go: (n) => goToNode(run, n) };
}

export const hasSelection = (): boolean => subject().node !== null;

/** Keys that act on the selection begin with the first node on the screen when there is none. */
export const canBegin = (): boolean => hasSelection() || activeGraph() !== null;

/** Without a selection: selects the root, or what is drawn first, and says that there was none. */
function begun({ graph, node, ...s }: Subject): boolean {
  const p = graph.picture();
  if (node !== null || !p || p.boxes.n === 0 || activeGraph() === null) return false;
  s.select(p.boxes.node[0]!);
  return true;
}

/** Opens a closed node, closes an open one; folded siblings are shown. */
export function toggle(graph: Graph, node: number, box = -1): void {
  const p = graph.picture();
  const i = p ? (box >= 0 ? box : boxOf(p, node)) : -1;
  if (!p || i < 0) return void graph.act({ do: "reveal", node }, node);
  const style = styleOf(p, p.boxes.style[i]!);
  if (style.press === "spread") return graph.view === "grain" ? spread(graph, node) : showMembers(graph, node, i);
  if (style.press !== "none") return void graph.act({ do: style.press, node }, node);
  if (style.meaning.includes("collapsed")) tell({ text: "The recorder collapsed the inside of this node: its totals are exact, its parts were not kept.", problem: false });
}

/** How many folded siblings are shown at once. */
const PAGE = 64;
/** First sibling shown so far, by run and node: the mark before the shown ones pages back, the one after them on. */
const pages = new Map<string, number>();

function showMembers(graph: Graph, node: number, box: number): void {
  const key = `${graph.run}:${node}`;
  const p = graph.picture()!;
  const alike = boxesOf(p, node).filter((i) => styleOf(p, p.boxes.style[i]!).press === "spread");
  const last = pages.get(key);
  const back = alike.length > 1 && box === alike[0];
  const first = last === undefined ? 0 : Math.max(0, last + (back ? -PAGE : PAGE));
  pages.set(key, first);
  void graph.act({ do: "window", node, first, count: PAGE }, node);
}

/** Shows the members of a fold one by one. */
export const spread = (graph: Graph, node: number): void => void graph.act({ do: "spread", node }, node);

/** Unfolds the selected fold; what was unfolded there is folded again. */
export function spreadSelected(): void {
  if (begun(subject())) return;
  const { graph, node } = subject();
  const p = graph.picture();
  if (node === null || !p) return;
  const i = boxOf(p, node);
  const style = i < 0 ? null : styleOf(p, p.boxes.style[i]!);
  const folded = style !== null && (style.sheets > 0 || style.press === "spread");
  void graph.act({ do: folded ? "spread" : "gather", node }, node);
}

export const toggleSelected = (): void => {
  if (begun(subject())) return;
  const { graph, node } = subject();
  if (node !== null) void graph.settled().then(() => toggle(graph, node));
};

export const openBelow = (graph: Graph, node: number): void => void graph.act({ do: "below", node, limit: ASK_AT }, node);
export const openBelowSelected = (): void => {
  if (begun(subject())) return;
  const { graph, node } = subject();
  if (node !== null) openBelow(graph, node);
};

/** Closes the node that holds the selection and selects it. */
export async function closeParent(): Promise<void> {
  if (begun(subject())) return;
  const { graph, node, ...s } = subject();
  if (node === null) return;
  try {
    const parent = (await s.about(node)).path.filter((c) => c.node !== node).at(-1);
    if (!parent) return;
    s.select(parent.node);
    await graph.act({ do: "close", node: parent.node }, parent.node);
  } catch (e) {
    complain(e);
  }
}

/** Selects a node and makes sure that it can be seen in the DAG. */
export function goToNode(run: number, node: number): void {
  select(run, node);
  if (state().panes.some((p) => p.view === "dag" && p.run === run)) void dagOf(run).act({ do: "reveal", node }, node);
}

/** Shows the selection in the DAG, whatever is on the screen now. */
export function toDag(): void {
  const run = currentRun();
  const node = state().runs[run]?.selected ?? null;
  update((s) => showing(s, "dag", run), "view");
  if (node !== null) void dagOf(run).act({ do: "reveal", node }, node);
}

/** Shows the selection in the grain view. */
export function toGrains(): void {
  const run = currentRun();
  const { grain, selected } = state().runs[run]!;
  if (grain !== null) showGrain(run, grain);
  else if (selected !== null) showGrainOf(run, selected);
  else update((s) => showing(s, "grain", run), "view");
}

export async function sibling(which: 0 | 1): Promise<void> {
  if (begun(subject())) return;
  const { node, ...s } = subject();
  if (node === null) return;
  try {
    const next = (await s.about(node)).siblings[which];
    if (next === null) tell({ text: which === 0 ? "This is the first of its siblings." : "This is the last of its siblings.", problem: false });
    else s.go(next);
  } catch (e) {
    complain(e);
  }
}

export async function parent(): Promise<void> {
  if (begun(subject())) return;
  const { node, ...s } = subject();
  if (node === null) return;
  const up = (await s.about(node)).path.filter((c) => c.node !== node).at(-1);
  if (up) s.go(up.node);
}

/** Folds alike siblings, or not, and shows all of what is left. */
export const toggleAlike = (): void =>
  update((s) => ({ ...s, alike: !s.alike, runs: s.runs.map((r) => ({ ...r, grainCamera: null })) }), "alike");

/** The graph that commands about the cut mean: the one that is looked at, the DAG when none is. */
function shownGraph(): Graph {
  const run = currentRun();
  const view = aboutGrains(state()) ? "grain" : "dag";
  update((s) => showing(s, view, run), "view");
  return graphOf(view, run);
}

export const toDepth = (depth: number): void => void shownGraph().act({ do: "depth", depth }, null);

export function openCritical(): void {
  const graph = shownGraph();
  update((s) => withRun({ ...s, critical: true }, graph.run, { pathOf: null }), "critical");
  void graph.act({ do: "critical" }, null);
}

/** Opens along the own critical path of the selected group, and marks it instead of that of the run. */
export function openPath(run = currentRun(), node = state().runs[run]!.grain): void {
  if (node === null) return tell({ text: "Select a group first: its own critical path is opened and marked.", problem: false });
  update((s) => withRun({ ...showing(s, "grain", run), critical: true }, run, { pathOf: node }), "critical");
  void grainOf(run).act({ do: "path", node }, node);
}

/** Opens down to the grain that costs most under the lens, and selects it; without a lens, under that of the costliest problem. */
export async function openWorst(run = currentRun()): Promise<void> {
  const chosen = state().lens !== "";
  update((s) => showing(s, "grain", run), "view");
  if (!needLens()) return tell({ text: about(run, problemsOf(run).state === "loading" ? "the grain graph is being made." : "no problem can be told for these grains."), problem: false });
  const row = problemRow(run, state().lens);
  if (row && row.grains === 0) return tell({ text: about(run, `no grain has ${inWords(row.problem)} at this threshold.`), problem: false });
  await grainOf(run).act({ do: "worst" }, null);
  const worst = row?.worst[0];
  // Who chose the lens knows what is worst.
  if (row && worst && !chosen) tell({ text: about(run, `worst of ${separated(row.grains)} ${row.grains === 1 ? "grain" : "grains"} with ${inWords(row.problem)}: ${costOf(run, row.problem, worst.cost)}`), problem: false });
}

/** Opens every group that is alike to the selected one the way that one is open. */
export function openAlike(run = currentRun(), node = state().runs[run]!.grain): void {
  if (node === null) return tell({ text: "Select a group first: all that are alike to it are opened the same way.", problem: false });
  update((s) => showing(s, "grain", run), "view");
  void grainOf(run).act({ do: "alike", node }, node);
}

/** Shows the selection's stretch of time in the timeline: in an open timeline pane, else in this one. */
export async function toTimeline(): Promise<void> {
  const { run, node, about } = subject();
  if (node === null) return void update((s) => showing(s, "timeline", run), "view");
  try {
    const info = await about(node);
    update((s) => withRun(showing(s, "timeline", run), run, { window: around(info.time, wholeRun(run)) }), "timeline");
  } catch (e) {
    complain(e);
  }
}

/** The graph that the active pane draws, if it draws one. */
export function activeGraph(): Graph | null {
  const { view, run } = activePane(state());
  return view === "dag" || view === "grain" ? graphOf(view, run) : null;
}

export function zoomActive(factor: number): void {
  const { run } = activePane(state());
  const graph = activeGraph();
  if (graph) {
    graph.move(zoomedAt(graph.camera(), graph.size, graph.size.w / 2, graph.size.h / 2, factor));
  } else {
    const w = shown(state().runs[run]!.window, wholeRun(run));
    setWindow(run, zoomed(w, wholeRun(run), (w[0] + w[1]) / 2, factor));
  }
}

/** Moves the view by a share of the pane. */
export function panActive(dx: number, dy: number): void {
  const { view, run } = activePane(state());
  const graph = activeGraph();
  if (graph) {
    const p = graph.picture();
    const all = p !== null && onScreenWhole(p, graph.camera(), graph.size);
    // Nothing to move to: the arrows begin with a selection instead.
    if (!(all && begun(subject()))) graph.move(panned(graph.camera(), -dx * graph.size.w, -dy * graph.size.h));
  } else if (view === "timeline" && dx !== 0) {
    const w = shown(state().runs[run]!.window, wholeRun(run));
    setWindow(run, slid(w, wholeRun(run), dx * (w[1] - w[0])));
  }
}

const onScreenWhole = (head: { width: number; height: number }, c: Camera, v: { w: number; h: number }): boolean =>
  (v.w / 2) / c.k >= c.x && (v.h / 2) / c.k >= c.y && (v.w / 2) / c.k >= head.width - c.x && (v.h / 2) / c.k >= head.height - c.y;

export function fit(): void {
  const { run } = activePane(state());
  const graph = activeGraph();
  const p = graph?.picture();
  if (graph && p) graph.move(fitted({ w: p.width, h: p.height }, graph.size));
  else if (!graph) setWindow(run, null, false);
}

/** The address of the picture that the server draws from the same scene. */
export function pictureAddress(format: "svg" | "png"): string | null {
  const { view, run } = activePane(state());
  const name = pictureView(view);
  if (!name) return null;
  const s = state();
  const r = s.runs[run]!;
  const grain = view === "grain";
  const query = new URLSearchParams({
    run: String(run), view: name, format, cut: grain ? r.grainCut : r.cut, colour: grain ? s.grainColour : s.colour, scale: s.scale, critical: String(s.critical), theme: theme(),
    ...paneSize(),
  });
  if (grain) {
    query.set("alike", String(s.alike));
    if (s.lens !== "") query.set("lens", s.lens);
    if (s.thresholds[s.lens] !== undefined) query.set("threshold", String(s.thresholds[s.lens]));
    if (r.pathOf !== null) query.set("path_of", String(r.pathOf));
  }
  if (view === "timeline" && r.window) {
    query.set("from", String(r.window[0]));
    query.set("to", String(r.window[1]));
  }
  return "/api/picture?" + query.toString();
}
/** Size of the active pane's canvas, which the picture takes over. */
function paneSize(): { width: string; height: string } {
  const canvas = document.querySelector(".pane.active canvas.fill") ?? document.querySelector(".pane canvas.fill");
  return { width: String(canvas?.clientWidth ?? 1280), height: String(canvas?.clientHeight ?? 800) };
}
const pictureView = (view: ViewId): string | null => (view === "overview" || view === "table" ? null : view);

export function exportPicture(format: "svg" | "png"): void {
  const address = pictureAddress(format);
  if (!address) return tell({ text: "Only graphs and the timeline can be exported as a picture: make one of them the active pane.", problem: false });
  const a = document.createElement("a");
  a.href = address;
  a.download = `crosscut-${activePane(state()).view}.${format}`;
  a.click();
}
