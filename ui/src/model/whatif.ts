// What-if in numbers and words: the predicted curve of each run, the factor that is being tried, and what its answer
// says. Predictions are compared with predictions, never with the recording: a greedy schedule is not the one that ran.

import { percent, separated, three, time } from "../format";
import { socket, update } from "../page";
import { withFaster } from "../state";
import type { SpeedupPoint } from "../protocol/SpeedupPoint";
import type { WhatIfAnswer } from "../protocol/WhatIfAnswer";
import type { WhatIfPoint } from "../protocol/WhatIfPoint";
import { oncePerRun } from "./loaded";

/** How the run would do on other numbers of workers. */
export const curveOf = oncePerRun((run) => socket.whatif(run, null, 1));

export const setFaster = (faster: number): void => update((s) => withFaster(s, faster), "faster", true);

/** Ends of the slider; the field beside it takes more. */
export const SLIDER: readonly [number, number] = [1.1, 100];
const FACTORS: readonly [number, number] = [0.001, 1e6];
/** As good as nothing left of it. */
export const GONE = 1e6;

/** A factor as it is typed, with a point or a comma; null for what cannot be asked. */
export function readFactor(text: string): number | null {
  const plain = text.trim().replace(",", ".");
  const value = plain === "" ? NaN : Number(plain);
  return value >= FACTORS[0] && value <= FACTORS[1] ? value : null;
}

export const pointOn = (points: readonly WhatIfPoint[] | null, workers: number): WhatIfPoint | undefined => points?.find((p) => p.workers === workers);

/** "−18 %", "+0.3 %"; empty where the difference is too small to mean anything. */
export function difference(before: number, after: number): string {
  const share = before > 0 ? (after - before) / before : 0;
  if (Math.abs(share) < 0.0005) return "";
  return (share < 0 ? "−" : "+") + percent(Math.abs(share));
}

/** The prediction for the run's own workers, in parts that a sentence is made of. */
export interface Outcome {
  workers: number;
  before: number;
  after: number;
  /** "" if nothing changes. */
  change: string;
  exact: boolean;
}

export function outcome(answer: WhatIfAnswer): Outcome | null {
  const before = pointOn(answer.before, answer.workers);
  const after = pointOn(answer.after, answer.workers);
  if (!before || !after) return null;
  return { workers: answer.workers, before: before.elapsed, after: after.elapsed, change: difference(before.elapsed, after.elapsed), exact: before.exact && after.exact };
}

export const onWorkers = (n: number): string => `on ${n} ${n === 1 ? "worker" : "workers"}`;

/** A factor with at most three digits: 2, 1.1, 12.5. */
export const factor = (k: number): string => String(Number(k.toPrecision(3)));

/** "2× faster", "half as fast", "0.3× as fast". */
export const speed = (k: number): string => (k > 1 ? `${factor(k)}× faster` : k === 1 ? "as fast as it is" : k === 0.5 ? "half as fast" : `${factor(k)}× as fast`);

/** What a prediction is about when tasks lie below: all of them. */
export const withAllBelow = (includes: number, what: "task" | "group"): string => (includes > 1 ? `This ${what} with all tasks below it: ${separated(includes)} tasks, lanes and chunks.` : "");

/**
 * What the run would take, as a sentence in parts of which every second one matters most. Times that look the same in
 * three digits are told by their difference.
 */
export function sentence(o: Outcome, clock: string): string[] {
  const [before, after, on] = [time(o.before, clock), time(o.after, clock), onWorkers(o.workers)];
  if (o.change === "") return ["The run would still take ", before, ` ${on}.`];
  if (before !== after) return ["The run would take ", after, ` instead of ${before} (`, o.change, `) ${on}.`];
  const apart = o.after - o.before;
  return ["The run would take ", `${time(Math.abs(apart), clock)} ${apart < 0 ? "less" : "more"}`, ` than ${before} (`, o.change, `) ${on}.`];
}

/** The largest speed-up: work / critical path. */
export const limit = (l: { work: number; span: number }): number => (l.span > 0 ? l.work / l.span : 0);

/** One number of workers in the chart: bounds always, the prediction once it is there. Speed-ups are of the recorded work. */
export interface Row {
  workers: number;
  low: number;
  high: number;
  predicted: { speedup: number; elapsed: number; exact: boolean } | null;
}

/** Every greedy schedule reaches `low` with the overhead that was measured; without a measurement, without any. */
export function rows(bounds: readonly SpeedupPoint[], answer: WhatIfAnswer | null, work: number): Row[] {
  return bounds.filter((b) => b.workers > 0 && b.high > 0).map((b) => {
    const p = pointOn(answer?.before ?? null, b.workers);
    if (!p || !(p.elapsed > 0) || !(work > 0)) return { workers: b.workers, low: b.low, high: b.high, predicted: null };
    return { workers: b.workers, low: work / p.high, high: b.high, predicted: { speedup: work / p.elapsed, elapsed: p.elapsed, exact: p.exact } };
  });
}

/** What the chart tells about one number of workers. */
export function tellRow(row: Row, clock: string): string[] {
  const p = row.predicted;
  const bounds = `at least ${three(row.low)}×, at most ${three(row.high)}×`;
  if (!p) return [bounds];
  return [`${p.exact ? "" : "about "}${three(p.speedup)}× in ${time(p.elapsed, clock)}`, `efficiency ${percent(p.speedup / row.workers)} (speed-up / P)`, bounds];
}
