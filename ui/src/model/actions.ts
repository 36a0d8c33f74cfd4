// What hands can do to the selection and to the active pane, for keys, palette and pointer alike. Each function
// reads the view state, changes it or asks the server for a new cut, and returns nothing.

import { fitted, panned, zoomedAt } from "../draw/camera";
import { boxOf } from "../draw/marks";
import { ASK_AT, dagOf } from "./dag";
import { around, shown, slid, zoomed } from "./time";
import { complain, currentRun, fetchNode, select, setWindow, state, tell, theme, update, wholeRun } from "../page";
import { FLAG, SHAPE } from "../scene";
import { activePane, showing, withRun, type ViewId } from "../state";

const selected = (): number | null => state().runs[currentRun()]?.selected ?? null;

/** Opens a closed node, closes an open one; a folded row of alike siblings shows some of its members. */
export function toggle(run: number, node: number, box = -1): void {
  const dag = dagOf(run);
  const p = dag.picture();
  const i = p ? (box >= 0 ? box : boxOf(p, node)) : -1;
  if (!p || i < 0) return void dag.act({ do: "reveal", node }, node);
  const shape = p.boxes.shape[i];
  if (shape === SHAPE.repeat) return showMembers(run, node, i);
  if (shape === SHAPE.envelope) return void dag.act({ do: "close", node }, node);
  if (p.boxes.flags[i]! & FLAG.closed) return void dag.act({ do: "open", node }, node);
  if (p.boxes.flags[i]! & FLAG.collapsed) tell({ text: "The recorder collapsed the inside of this node: its totals are exact, its parts were not kept.", problem: false });
}

/** How many folded siblings are shown at once. */
const PAGE = 64;
/** First sibling shown so far, by run and node: the mark before the shown ones pages back, the one after them on. */
const pages = new Map<string, number>();

function showMembers(run: number, node: number, box: number): void {
  const key = `${run}:${node}`;
  const boxes = dagOf(run).picture()!.boxes;
  const alike = Array.from({ length: boxes.n }, (_, i) => i).filter((i) => boxes.shape[i] === SHAPE.repeat && boxes.node[i] === node);
  const last = pages.get(key);
  const back = alike.length > 1 && box === alike[0];
  const first = last === undefined ? 0 : Math.max(0, last + (back ? -PAGE : PAGE));
  pages.set(key, first);
  void dagOf(run).act({ do: "window", node, first, count: PAGE }, node);
}

export const toggleSelected = (): void => {
  const node = selected();
  if (node !== null) toggle(currentRun(), node);
};

export const openBelow = (run: number, node: number): void => void dagOf(run).act({ do: "below", node, limit: ASK_AT }, node);
export const openBelowSelected = (): void => {
  const node = selected();
  if (node !== null) openBelow(currentRun(), node);
};

/** Closes the node that holds the selection and selects it. */
export async function closeParent(): Promise<void> {
  const run = currentRun();
  const node = selected();
  if (node === null) return;
  try {
    const info = await fetchNode(run, node);
    const parent = info.path.filter((c) => c.node !== node).at(-1);
    if (!parent) return;
    select(run, parent.node);
    await dagOf(run).act({ do: "close", node: parent.node }, parent.node);
  } catch (e) {
    complain(e);
  }
}

/** Selects a node and makes sure that it can be seen in the DAG. */
export function goToNode(run: number, node: number): void {
  select(run, node);
  const dag = dagOf(run);
  if (state().panes.some((p) => p.view === "dag" && p.run === run)) void dag.act({ do: "reveal", node }, node);
}

export async function sibling(which: 0 | 1): Promise<void> {
  const run = currentRun();
  const node = selected();
  if (node === null) return;
  try {
    const next = (await fetchNode(run, node)).siblings[which];
    if (next === null) tell({ text: which === 0 ? "This is the first of its siblings." : "This is the last of its siblings.", problem: false });
    else goToNode(run, next);
  } catch (e) {
    complain(e);
  }
}

export async function parent(): Promise<void> {
  const run = currentRun();
  const node = selected();
  if (node === null) return;
  const up = (await fetchNode(run, node)).path.filter((c) => c.node !== node).at(-1);
  if (up) goToNode(run, up.node);
}

export function toDepth(depth: number): void {
  const run = currentRun();
  update((s) => showing(s, "dag", run), "view");
  void dagOf(run).act({ do: "depth", depth }, null);
}

export function openCritical(): void {
  const run = currentRun();
  update((s) => ({ ...showing(s, "dag", run), critical: true }), "critical");
  void dagOf(run).act({ do: "critical" }, null);
}

/** Shows the selection's stretch of time in the timeline: in an open timeline pane, else in this one. */
export async function toTimeline(): Promise<void> {
  const run = currentRun();
  const node = selected();
  if (node === null) return void update((s) => showing(s, "timeline", run), "view");
  try {
    const info = await fetchNode(run, node);
    update((s) => withRun(showing(s, "timeline", run), run, { window: around(info.time, wholeRun(run)) }), "timeline");
  } catch (e) {
    complain(e);
  }
}

export function zoomActive(factor: number): void {
  const { view, run } = activePane(state());
  if (view === "dag") {
    const dag = dagOf(run);
    dag.move(zoomedAt(dag.camera(), dag.size, dag.size.w / 2, dag.size.h / 2, factor));
  } else {
    const w = shown(state().runs[run]!.window, wholeRun(run));
    setWindow(run, zoomed(w, wholeRun(run), (w[0] + w[1]) / 2, factor));
  }
}

/** Moves the view by a share of the pane. */
export function panActive(dx: number, dy: number): void {
  const { view, run } = activePane(state());
  if (view === "dag") {
    const dag = dagOf(run);
    dag.move(panned(dag.camera(), -dx * dag.size.w, -dy * dag.size.h));
  } else if (view === "timeline" && dx !== 0) {
    const w = shown(state().runs[run]!.window, wholeRun(run));
    setWindow(run, slid(w, wholeRun(run), dx * (w[1] - w[0])));
  }
}

export function fit(): void {
  const { view, run } = activePane(state());
  if (view === "dag") {
    const dag = dagOf(run);
    const p = dag.picture();
    if (p) dag.move(fitted({ w: p.head.width, h: p.head.height }, dag.size));
  } else setWindow(run, null, false);
}

/** The address of the picture that the server draws from the same scene. */
export function pictureAddress(format: "svg" | "png"): string | null {
  const { view, run } = activePane(state());
  const name = pictureView(view);
  if (!name) return null;
  const s = state();
  const r = s.runs[run]!;
  const query = new URLSearchParams({
    run: String(run), view: name, format, cut: r.cut, colour: s.colour, scale: s.scale, critical: String(s.critical), theme: theme(),
    ...paneSize(),
  });
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
const pictureView = (view: ViewId): string | null => (view === "dag" ? "dag" : view === "timeline" ? "timeline" : null);

export function exportPicture(format: "svg" | "png"): void {
  const address = pictureAddress(format);
  if (!address) return tell({ text: "Only the DAG and the timeline can be exported as a picture: make one of them the active pane.", problem: false });
  const a = document.createElement("a");
  a.href = address;
  a.download = `crosscut-${activePane(state()).view}.${format}`;
  a.click();
}
