// The first screen's numbers of each run and the walk through its findings. Asks once per run; a finding goes in,
// the view state that shows it comes out.

import { createSignal } from "solid-js";
import { dagOf } from "./dag";
import { around } from "./time";
import { currentRun, socket, update, wholeRun } from "../page";
import { showing, withRun, type ViewId } from "../state";
import type { Finding } from "../protocol/Finding";
import type { Overview } from "../protocol/Overview";

export type Loaded = { state: "loading"; since: number } | { state: "ready"; value: Overview } | { state: "failed"; error: string };

const signals = new Map<number, () => Loaded>();

export function overviewOf(run: number): Loaded {
  let read = signals.get(run);
  if (!read) {
    const [get, set] = createSignal<Loaded>({ state: "loading", since: performance.now() });
    signals.set(run, (read = get));
    socket.overview(run).then(
      (value) => set({ state: "ready", value }),
      (e: Error) => set({ state: "failed", error: e.message }),
    );
  }
  return read();
}

export function findingsOf(run: number): Finding[] {
  const o = overviewOf(run);
  return o.state === "ready" ? o.value.findings : [];
}

const [at, setAt] = createSignal<{ run: number; index: number } | null>(null);
/** The finding that was last gone to. */
export const currentFinding = at;

/** Opens the view that shows a finding, with its node selected and its window set, as one step of the history. */
export function goTo(run: number, index: number): void {
  const finding = findingsOf(run)[index];
  if (!finding) return;
  setAt({ run, index });
  const view: ViewId = finding.view === "dag" ? "dag" : "timeline";
  const { node, window } = finding;
  update((s) => {
    const shown = showing(s, view, run);
    return withRun(shown, run, { selected: node ?? s.runs[run]!.selected, window: window ? around(window, wholeRun(run)) : s.runs[run]!.window });
  }, "finding");
  if (view === "dag" && node !== null) void dagOf(run).act({ do: "reveal", node }, node);
}

export function step(by: 1 | -1): void {
  const run = currentRun();
  const count = findingsOf(run).length;
  if (count === 0) return;
  const last = at();
  const from = last && last.run === run ? last.index : by > 0 ? -1 : 0;
  goTo(run, (from + by + count) % count);
}
