// The first screen's numbers of each run and the walk through its findings: what the server found in the task tree
// and the problems of the grains, worst first. Asks once per run; a finding goes in, the view state that shows it
// comes out.

import { createSignal } from "solid-js";
import { dagOf } from "./dag";
import { goToGrain } from "./grain";
import { oncePerRun } from "./loaded";
import { about, costOf, inWords, needLens, problemRow, problemsOf } from "./problems";
import { around } from "./time";
import { currentRun, socket, state, tell, update, wholeRun } from "../page";
import { aboutGrains, showing, withLens, withRun, type ViewId } from "../state";
import { separated, three } from "../format";
import type { Finding } from "../protocol/Finding";
import type { ProblemRow } from "../protocol/ProblemRow";

export const overviewOf = oncePerRun((run) => socket.overview(run));

/** A finding; those of grains name the problem to look through and the grain that costs most. */
export interface Listed extends Omit<Finding, "view"> {
  view: ViewId;
  lens?: string;
  grain?: number;
}

/** Shares of P × elapsed from which a finding is said to be severe; those of crates/tasks/src/findings.rs. */
const HIGH = 0.2;
const MEDIUM = 0.05;
const WORTH = 0.01;

/** A problem of the grains as a finding, if it costs anything worth telling. */
export function asFinding(row: ProblemRow, capacity: number): Listed | null {
  const share = row.time_lost / Math.max(1, capacity);
  const worst = row.worst[0];
  if (!row.available || row.grains === 0 || share < WORTH || !worst) return null;
  // Whoever moved the threshold must be able to tell why the numbers are others than before.
  const at = row.threshold === row.default ? "" : ` at threshold ${three(row.threshold)}`;
  return {
    id: row.problem, severity: share > HIGH ? "high" : share > MEDIUM ? "medium" : "low", cost: row.time_lost,
    what: `${inWords(row.problem)} in ${separated(row.grains)} ${row.grains === 1 ? "grain" : "grains"}${at}`, advice: row.advice, place: worst.place,
    view: "grain", node: null, window: null, lens: row.problem, grain: worst.node,
  };
}

/** Both lists as one, worst first. */
export const merged = (found: Listed[], problems: Listed[]): Listed[] => [...found, ...problems].sort((a, b) => b.cost - a.cost);

/** Problems of grains count under the thresholds in use, as everywhere on the screen. */
export function findingsOf(run: number): Listed[] {
  const o = overviewOf(run);
  if (o.state !== "ready") return [];
  const { workers, elapsed } = o.value.accounting;
  const p = problemsOf(run);
  const problems = p.state === "ready" ? p.value.problems.map((row) => asFinding(row, workers * elapsed)).filter((f) => f !== null) : [];
  return merged(o.value.findings.map((f) => ({ ...f, view: f.view === "profile" ? "timeline" : f.view })), problems);
}

/** Findings change their order with the thresholds: each is known by what it is about. */
const keyOf = (f: Listed): string => JSON.stringify([f.id, f.node, f.window]);
const [at, setAt] = createSignal<{ run: number; key: string } | null>(null);
/** Whether a finding is the one that was last gone to. */
export const isCurrent = (run: number, f: Listed): boolean => at()?.run === run && at()?.key === keyOf(f);

/** Opens the view that shows a finding, with its node selected and its window set, as one step of the history. */
export function goTo(run: number, index: number): void {
  const finding = findingsOf(run)[index];
  if (!finding) return;
  setAt({ run, key: keyOf(finding) });
  const { node, window, view } = finding;
  update((s) => {
    const shown = showing(finding.lens ? withLens(s, finding.lens) : s, view, run);
    return withRun(shown, run, { selected: node ?? s.runs[run]!.selected, window: window ? around(window, wholeRun(run)) : s.runs[run]!.window, ...(node === null ? {} : { grain: null }) });
  }, "finding");
  if (view === "dag" && node !== null) void dagOf(run).act({ do: "reveal", node }, node);
  if (finding.grain !== undefined) goToGrain(run, finding.grain);
}

/** The next problem: the worst grains of the lens where grains are looked at, else the findings. */
export function step(by: 1 | -1): void {
  const run = currentRun();
  if (aboutGrains(state())) return stepGrain(run, by);
  const all = findingsOf(run);
  const count = all.length;
  if (count === 0) return;
  const last = all.findIndex((f) => isCurrent(run, f));
  const from = last >= 0 ? last : by > 0 ? -1 : 0;
  goTo(run, (from + by + count) % count);
}

function stepGrain(run: number, by: 1 | -1): void {
  needLens();
  const row = problemRow(run, state().lens);
  if (!row || row.worst.length === 0) return tell({ text: about(run, row ? "no grain has this problem at this threshold." : "no problem can be told for these grains."), problem: false });
  const from = row.worst.findIndex((w) => w.node === state().runs[run]!.grain);
  const next = from < 0 ? (by > 0 ? 0 : row.worst.length - 1) : (from + by + row.worst.length) % row.worst.length;
  goToGrain(run, row.worst[next]!.node);
  tell({
    text: about(run, `${next + 1} of the ${row.worst.length} worst, of ${separated(row.grains)} grains with ${inWords(row.problem)}: ${costOf(run, row.problem, row.worst[next]!.cost)}`), problem: false,
  });
}
