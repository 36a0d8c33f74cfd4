// The problems of each run's grains: what they cost under the thresholds in use, and the slider that moves one.
// Asked once per run and set of thresholds, the newest wins; the numbers of the last answer stay until then.

import { createEffect, createMemo, createRoot, createSignal, untrack } from "solid-js";
import { separated, time } from "../format";
import { clockOf, currentRun, hello, runInfo, socket, state, tell, update } from "../page";
import { latest } from "../socket";
import type { Picture } from "../scene";
import { styleOf } from "../draw/marks";
import { showing, withLens, withThreshold } from "../state";
import type { ProblemRow } from "../protocol/ProblemRow";
import type { ProblemsAnswer } from "../protocol/ProblemsAnswer";

export type Asked = { state: "loading"; since: number } | { state: "ready"; value: ProblemsAnswer } | { state: "failed"; error: string };

/** "low-parallel-benefit" in words. */
export const inWords = (problem: string): string => problem.replace(/-/g, " ");

interface Model {
  /** Under the thresholds in use. */
  now: () => Asked;
  /** Under the server's own: what findings are made of, so that a slider does not reorder them. */
  usual: () => Asked;
}
const models = new Map<number, Model>();

function create(run: number): Model {
  const [now, setNow] = createSignal<Asked>({ state: "loading", since: performance.now() });
  const [usual, setUsual] = createSignal<Asked>({ state: "loading", since: performance.now() });
  const ask = latest(
    (thresholds: Readonly<Record<string, number>>) => socket.problems(run, Object.entries(thresholds).map(([problem, value]) => ({ problem, value }))),
    (value, thresholds) => {
      setNow({ state: "ready", value });
      if (Object.keys(thresholds).length === 0) setUsual({ state: "ready", value });
    },
    (e) => setNow({ state: "failed", error: e.message }),
  );
  const chosen = createMemo(() => state().thresholds);
  createEffect(() => {
    if (!hello()) return;
    const thresholds = chosen();
    if (Object.keys(thresholds).length > 0 && untrack(usual).state === "loading") ask({});
    ask(thresholds);
  });
  return { now, usual };
}

function modelOf(run: number): Model {
  let model = models.get(run);
  if (!model) models.set(run, (model = createRoot(() => create(run))));
  return model;
}

export const problemsOf = (run: number): Asked => modelOf(run).now();
export const usualProblemsOf = (run: number): Asked => modelOf(run).usual();

export function problemRows(run: number): ProblemRow[] {
  const p = problemsOf(run);
  return p.state === "ready" ? p.value.problems : [];
}
export const problemRow = (run: number, problem: string): ProblemRow | undefined => problemRows(run).find((r) => r.problem === problem);

export function usualRow(run: number, problem: string): ProblemRow | undefined {
  const p = usualProblemsOf(run);
  return p.state === "ready" ? p.value.problems.find((r) => r.problem === problem) : undefined;
}

/** How many grains have a box of their own, and how many boxes stand for the others. */
function grainsIn(p: Picture): { grains: number; closed: number } {
  let [grains, closed] = [0, 0];
  for (let i = 0; i < p.boxes.n; i++) {
    const { moves, press } = styleOf(p, p.boxes.style[i]!);
    if (moves || press === "close") continue;
    if (press === "none") grains++;
    else closed++;
  }
  return { grains, closed };
}

/** "12 of 1 480 grains shown · 37 closed": those that stand for the others. */
export function shownOf(run: number, p: Picture): string {
  const { grains, closed } = grainsIn(p);
  const a = problemsOf(run);
  const all = a.state === "ready" ? ` of ${separated(a.value.grains)}` : "";
  return `${separated(grains)}${all} grains shown${closed > 0 ? ` · ${separated(closed)} closed` : ""}`;
}

/** Problems whose worst grains are those with most work: what such a grain costs by itself cannot be told. */
const BY_WORK = ["sibling-imbalance", "chunk-imbalance", "sibling-scatter"];
/** What the amounts of the worst grains of a problem are. */
export const amountOf = (problem: string): string => (BY_WORK.includes(problem) ? "work" : "time lost");

/** "12.3 µs time lost", "12.3 µs of work". */
export const costOf = (run: number, problem: string, cost: number): string =>
  BY_WORK.includes(problem) ? `${time(cost, clockOf(run))} of work` : `${time(cost, clockOf(run))} lost`;

/** A message about a run: it names the run where several are open. */
export const about = (run: number, text: string): string => ((hello()?.runs.length ?? 1) > 1 ? `${runInfo(run)?.name}: ${text}` : text.charAt(0).toUpperCase() + text.slice(1));

/** Without a lens, that of the problem that costs most. Says whether there is one now. */
export function needLens(): boolean {
  if (state().lens === "") stepLens(1);
  return state().lens !== "";
}

// A lens that no run on the screen can look through, as from an address: dropped, with the reason.
createRoot(() =>
  createEffect(() => {
    const { lens, panes } = state();
    if (!hello() || lens === "") return;
    const runs = [...new Set(panes.map((p) => p.run))];
    const asked = runs.map(problemsOf);
    if (asked.some((a) => a.state !== "ready")) return;
    const rows = runs.map((run) => problemRow(run, lens));
    if (rows.some((r) => r?.available)) return;
    untrack(() => {
      update((s) => withLens(s, ""), "");
      tell({ text: rows[0] ? about(runs[0]!, `no lens for ${inWords(lens)}: ${rows[0].why ?? "it cannot be told for this run"}`) : `There is no lens “${lens}”.`, problem: false });
    });
  }),
);

/** Looks through a problem; where no grains are on the screen, the grain view opens for it. */
export function chooseLens(problem: string): void {
  update((s) => withLens(s.panes.some((p) => p.view === "grain") || problem === "" ? s : showing(s, "grain", currentRun()), problem), "lens");
}

/** The next lens of those that can be told, "none" among them. */
export function stepLens(by: 1 | -1): void {
  const all = ["", ...problemRows(currentRun()).filter((r) => r.available).map((r) => r.problem)];
  const at = Math.max(0, all.indexOf(state().lens));
  chooseLens(all[(at + by + all.length) % all.length]!);
}

export const setThreshold = (problem: string, value: number | null): void => update((s) => withThreshold(s, problem, value), "threshold", value !== null);

/** Positions of a slider. */
export const STEPS = 200;

/** Ends above zero that lie more than a factor of 20 apart are walked by factors, others by differences. */
const byFactors = ([low, high]: readonly [number, number]): boolean => low > 0 && high / low > 20;

/** Where a threshold lies on the slider, 0…STEPS. */
export function positionOf(value: number, range: readonly [number, number]): number {
  const [low, high] = range;
  if (!(high > low)) return 0;
  const share = byFactors(range) ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

/** The threshold at a position, with three digits. */
export function thresholdAt(position: number, range: readonly [number, number]): number {
  const [low, high] = range;
  const share = position / STEPS;
  const value = byFactors(range) ? low * (high / low) ** share : low + (high - low) * share;
  return Number(value.toPrecision(3));
}
