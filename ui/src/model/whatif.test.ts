import { describe, expect, it, vi } from "vitest";
import type { WhatIfAnswer } from "../protocol/WhatIfAnswer";
import type { WhatIfPoint } from "../protocol/WhatIfPoint";

// The module reads the page's store when it is loaded; only its pure functions are tested here.
vi.mock("../page", () => ({ socket: {}, update: () => {} }));
const { difference, factor, limit, outcome, readFactor, rows, sentence, SLIDER, speed, tellRow, withAllBelow } = await import("./whatif");

const THIN = "\u2009";
const point = (workers: number, elapsed: number, exact = true): WhatIfPoint => ({ workers, elapsed, low: elapsed * 0.9, high: elapsed * 1.25, exact });
const answer = (before: WhatIfPoint[], after: WhatIfPoint[] | null): WhatIfAnswer => ({
  workers: 8, observed: 16e6, overhead: { create: 100, sync: 50 }, before, limits: { work: 100, span: 10 }, after, after_limits: after && { work: 60, span: 5 },
});

describe("a factor", () => {
  it("is read with a point or a comma, within what can be asked", () => {
    expect(readFactor(" 2.5 ")).toBe(2.5);
    expect(readFactor("2,5")).toBe(2.5);
    expect(readFactor("1e6")).toBe(1e6);
    expect(readFactor("0.001")).toBe(0.001);
    for (const text of ["", " ", "x", "0", "-2", "0.0001", "1000001", "Infinity", "NaN", "1,2,3"]) expect(readFactor(text)).toBeNull();
  });
  it("has at most three digits", () => expect([2, 1.1, 12.34, 100].map(factor)).toEqual(["2", "1.1", "12.3", "100"]));
  it("is said as people say it", () => expect([2, 1.5, 1, 0.5, 0.25].map(speed)).toEqual(["2× faster", "1.5× faster", "as fast as it is", "half as fast", "0.25× as fast"]));
  it("is about everything below", () => {
    expect(withAllBelow(1, "task")).toBe("");
    expect(withAllBelow(2, "group")).toBe("This group with all tasks below it: 2 tasks, lanes and chunks.");
    expect(withAllBelow(1480, "task")).toBe(`This task with all tasks below it: 1${THIN}480 tasks, lanes and chunks.`);
  });
  it("slides from 1.1 to 100", () => expect(SLIDER).toEqual([1.1, 100]));
});

describe("the outcome", () => {
  it("compares predictions for the run's own workers", () => {
    const o = outcome(answer([point(1, 90e6), point(8, 15e6)], [point(8, 12.3e6)]))!;
    expect(o).toEqual({ workers: 8, before: 15e6, after: 12.3e6, change: `−18${THIN}%`, exact: true });
    expect(sentence(o, "ns").join("")).toBe(`The run would take 12.3${THIN}ms instead of 15.0${THIN}ms (−18${THIN}%) on 8 workers.`);
  });
  it("says so when nothing changes, or too little for three digits, or when it gets longer", () => {
    const say = (after: number) => sentence(outcome(answer([point(8, 15e6)], [point(8, after)]))!, "ns").join("");
    expect(say(15e6)).toBe(`The run would still take 15.0${THIN}ms on 8 workers.`);
    expect(say(15.001e6)).toBe(`The run would still take 15.0${THIN}ms on 8 workers.`);
    expect(say(14.97e6)).toBe(`The run would take 30.0${THIN}µs less than 15.0${THIN}ms (−0.2${THIN}%) on 8 workers.`);
    expect(say(15.04e6)).toBe(`The run would take 40.0${THIN}µs more than 15.0${THIN}ms (+0.3${THIN}%) on 8 workers.`);
    expect(say(30e6)).toContain(`(+100${THIN}%)`);
  });
  it("is an estimate if either side is", () => {
    expect(outcome(answer([point(8, 2, false)], [point(8, 1)]))!.exact).toBe(false);
    expect(outcome(answer([point(8, 2)], [point(8, 1, false)]))!.exact).toBe(false);
  });
  it("is none without both sides", () => {
    expect(outcome(answer([point(8, 2)], null))).toBeNull();
    expect(outcome(answer([point(4, 2)], [point(8, 1)]))).toBeNull();
  });
  it("has no difference of nothing", () => expect(difference(0, 0)).toBe(""));
  it("has a limit", () => expect([limit({ work: 100, span: 10 }), limit({ work: 5, span: 0 })]).toEqual([10, 0]));
});

describe("rows of the chart", () => {
  const bounds = [{ workers: 1, low: 0.9, high: 1 }, { workers: 8, low: 5, high: 8 }];
  it("has bounds before there is a prediction", () => {
    const [, own] = rows(bounds, null, 100);
    expect(own).toEqual({ workers: 8, low: 5, high: 8, predicted: null });
    expect(tellRow(own!, "ns")).toEqual(["at least 5.00×, at most 8.00×"]);
  });
  it("takes what greedy schedules reach from the prediction, which has the overhead in it", () => {
    const [, own] = rows(bounds, answer([point(1, 100), point(8, 20)], null), 100);
    expect(own).toEqual({ workers: 8, low: 4, high: 8, predicted: { speedup: 5, elapsed: 20, exact: true } });
    expect(tellRow(own!, "ns")).toEqual([`5.00× in 20${THIN}ns`, `efficiency 63${THIN}% (speed-up / P)`, "at least 4.00×, at most 8.00×"]);
  });
  it("says about which numbers it is not sure", () => {
    const [, own] = rows(bounds, answer([point(1, 100), point(8, 20, false)], null), 100);
    expect(tellRow(own!, "ns")[0]).toMatch(/^about /);
  });
  it("leaves out what has no bounds", () => expect(rows([{ workers: 0, low: 0, high: 0 }], null, 1)).toEqual([]));
});
