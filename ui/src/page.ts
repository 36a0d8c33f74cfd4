// The page's one store: the view state with its history and its address, the connection, what the server said about
// the runs. Views read signals from here and change the state through `update`; nothing else holds view state.

import { createMemo, createRoot, createSignal } from "solid-js";
import { readInk, type Ink } from "./draw/ink";
import { begin, change, redo, undo, type History } from "./history";
import { carriedOver, settled } from "./model/time";
import { Socket, type Link } from "./socket";
import { activeRun, firstState, withRun, type Span, type ViewState } from "./state";
import { decode, encode } from "./url";
import type { GrainAnswer } from "./protocol/GrainAnswer";
import type { Hello } from "./protocol/Hello";
import type { LensRequest } from "./protocol/LensRequest";
import type { NodeAnswer } from "./protocol/NodeAnswer";
import type { RunInfo } from "./protocol/RunInfo";
import type { WhatIfAnswer } from "./protocol/WhatIfAnswer";

const socketUrl = (): string => `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/api/socket`;

export interface Notice {
  text: string;
  /** Problems stay until dismissed. */
  problem: boolean;
  action?: { title: string; run: () => void };
}

const [link, setLink] = createSignal<Link>({ state: "connecting" });
const [hello, setHello] = createSignal<Hello | null>(null);
const [failure, setFailure] = createSignal<string | null>(null);
const [history, setHistory] = createSignal<History<ViewState>>(begin(firstState(1)));
const [notice, setNotice] = createSignal<Notice | null>(null);
const [systemDark, setSystemDark] = createSignal(matchMedia("(prefers-color-scheme: dark)").matches);

export { failure, hello, history, link, notice };
export const socket = new Socket(socketUrl(), setLink);

const derived = createRoot(() => {
  const state = createMemo(() => history().present);
  const theme = createMemo<"light" | "dark">(() => state().theme ?? (systemDark() ? "dark" : "light"));
  const palette = createMemo(() => {
    const h = hello();
    return h ? h.palette[theme()] : [];
  });
  const ink = createMemo<Ink>(() => {
    document.documentElement.dataset.theme = theme();
    return readInk(palette());
  });
  const run = createMemo(() => activeRun(state()));
  return { state, theme, palette, ink, run };
});
export const { state, theme, palette, ink } = derived;
/** The run that the active pane shows. */
export const currentRun = derived.run;

export const runInfo = (run: number): RunInfo | undefined => hello()?.runs[run];
export const wholeRun = (run: number): Span => runInfo(run)?.time ?? [0, 1];
export const clockOf = (run: number): string => runInfo(run)?.clock ?? "ns";
export const ready = (): boolean => hello() !== null;

let noticeTimer: ReturnType<typeof setTimeout> | undefined;
export function tell(next: Notice | null): void {
  clearTimeout(noticeTimer);
  setNotice(next);
  if (next && !next.problem) noticeTimer = setTimeout(() => setNotice(null), 6000);
}
export const complain = (error: unknown): void => tell({ text: error instanceof Error ? error.message : String(error), problem: true });

/** Kinds of changes that lead to another place, which the browser's Back leaves again: views, lenses, cuts. */
const PLACES = new Set([
  "view", "lens", "finding", "compare", "split", "close-pane", "run", "timeline", "table", "cut",
  "open", "close", "below", "depth", "reveal", "revealtask", "worst", "critical", "path", "alike", "spread", "gather",
]);

let addressTimer: ReturnType<typeof setTimeout> | undefined;
/** The address that is on its way is that of another place. */
let another = false;
function putAddress(): void {
  clearTimeout(addressTimer);
  addressTimer = undefined;
  const fragment = encode(state());
  const put = another && fragment !== location.hash.replace(/^#/, "") ? "pushState" : "replaceState";
  window.history[put](null, "", fragment ? "#" + fragment : location.pathname + location.search);
  another = false;
}
/** Browsers refuse more than a hundred address changes in a few seconds, so the address follows with a delay. */
function writeAddress(): void {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(putAddress, 150);
}

/** Changes the view state. `kind` names the step for undo; "" makes no step; continuous kinds join into one step. */
export function update(to: (s: ViewState) => ViewState, kind: string, continuous = false): void {
  const next = to(state());
  if (next !== state() && PLACES.has(kind)) {
    // What was there before keeps its own address.
    if (addressTimer !== undefined && !another) putAddress();
    another = true;
  }
  setHistory((h) => change(h, next, kind, continuous, performance.now()));
  writeAddress();
}
export function undoStep(): void {
  setHistory(undo);
  writeAddress();
}
export function redoStep(): void {
  setHistory(redo);
  writeAddress();
}

/** Selects a node of the task tree; the grain it belongs to is looked up when someone looks at grains. */
export const select = (run: number, node: number | null): void =>
  update((s) => (s.runs[run]?.selected === node && (node !== null || s.runs[run]?.grain === null) ? s : withRun(s, run, { selected: node, grain: null })), "select");

/** Two runs that are looked at together and whose zoom is linked: the other one. */
export function linkedRun(run: number): number | null {
  const s = state();
  if (!s.linked || s.panes.length < 2 || s.panes[0]!.run === s.panes[1]!.run) return null;
  return s.panes.find((p) => p.run !== run)?.run ?? null;
}

export function setWindow(run: number, window: Span | null, continuous = true): void {
  const other = linkedRun(run);
  const set = window ? settled(window, wholeRun(run)) : null;
  update((s) => {
    const next = withRun(s, run, { window: set });
    if (other === null) return next;
    return withRun(next, other, { window: set ? carriedOver(set, wholeRun(run), wholeRun(other)) : null });
  }, "window", continuous);
}

/** Answers that do not change, kept by key; a question that is on its way is not asked twice. */
class Memory<A> {
  private known = new Map<string, A>();
  private asking = new Map<string, Promise<A>>();
  get = (key: string): A | undefined => this.known.get(key);
  fetch(key: string, ask: () => Promise<A>): Promise<A> {
    const known = this.known.get(key);
    if (known) return Promise.resolve(known);
    let promise = this.asking.get(key);
    if (!promise) {
      promise = ask().then((answer) => {
        if (this.known.size > 5000) this.known.clear();
        this.known.set(key, answer);
        return answer;
      });
      promise.finally(() => this.asking.delete(key)).catch(() => {});
      this.asking.set(key, promise);
    }
    return promise;
  }
}

const nodes = new Memory<NodeAnswer>();
/** What is known about a node without asking. */
export const knownNode = (run: number, node: number): NodeAnswer | undefined => nodes.get(`${run}:${node}`);
export const fetchNode = (run: number, node: number): Promise<NodeAnswer> => nodes.fetch(`${run}:${node}`, () => socket.node(run, node));

/** The problem that is looked through, with its threshold when one was chosen. */
export function lensRequest(): LensRequest | null {
  const { lens, thresholds } = state();
  return lens === "" ? null : { problem: lens, threshold: thresholds[lens] ?? null };
}

const grains = new Memory<GrainAnswer>();
const grainKey = (run: number, node: number): string => JSON.stringify([run, node, lensRequest()]);
export const knownGrain = (run: number, node: number): GrainAnswer | undefined => grains.get(grainKey(run, node));
export const fetchGrain = (run: number, node: number): Promise<GrainAnswer> =>
  grains.fetch(grainKey(run, node), () => socket.grain(run, node, lensRequest(), false));
/** The grain or group that a node of the task tree belongs to. */
export const fetchGrainOf = (run: number, task: number): Promise<GrainAnswer> => grains.fetch(`of ${run}:${task}`, () => socket.grain(run, task, null, true));

const predictions = new Memory<WhatIfAnswer>();
/** How the run would do if a node of the task tree were so many times as fast. */
export const fetchWhatIf = (run: number, task: number, faster: number): Promise<WhatIfAnswer> =>
  predictions.fetch(`${run}:${task}:${faster}`, () => socket.whatif(run, task, faster));

/** Connects and reads the first answer and the address. */
export function start(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setSystemDark(e.matches));
  window.addEventListener("hashchange", () => {
    const h = hello();
    another = false;
    if (h && location.hash.replace(/^#/, "") !== encode(state())) update(() => decode(location.hash, h.runs.length), "address");
  });
  socket.connect();
  socket.hello().then(
    (answer) => {
      setHistory(begin(decode(location.hash, answer.runs.length)));
      setHello(answer);
      document.title = answer.runs.map((r) => r.name).join(" · ") + " – Crosscut";
    },
    (error: Error) => setFailure(error.message),
  );
}
