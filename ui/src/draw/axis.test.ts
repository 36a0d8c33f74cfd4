import { describe, expect, it } from "vitest";
import { countTicks, moment, step, timeTicks } from "./axis";

describe("axis", () => {
  it("steps by 1, 2, 5", () => {
    expect(step(0, 100, 10)).toBe(10);
    expect(step(0, 100, 8)).toBe(20);
    expect(step(0, 100, 3)).toBe(50);
    expect(step(0, 0.9, 10)).toBeCloseTo(0.1);
    expect(step(5, 5, 10)).toBe(1);
  });
  it("writes times from the run's start in one unit", () => {
    const ticks = timeTicks(1e18, 1e18 + 850e6, 1e18, 960, "ns");
    expect(ticks[0]!.text).toBe("0\u2009ms");
    expect(ticks.at(-1)!.text).toBe("800\u2009ms");
    expect(ticks.length).toBeLessThanOrEqual(10);
  });
  it("gives enough digits to tell neighbours apart", () => {
    const ticks = timeTicks(850_120_000, 850_130_000, 0, 960, "ns");
    expect(new Set(ticks.map((t) => t.text)).size).toBe(ticks.length);
    expect(ticks[1]!.text).toBe("850.121\u2009ms");
  });
  it("uses SI prefixes for ticks", () => {
    expect(timeTicks(0, 5e6, 0, 500, "ticks").at(-1)!.text).toBe("5\u2009Mticks");
  });
  it("tells a moment to the pixel", () => {
    expect(moment(1_234_567, 0, 1000, "ns")).toBe("1.235\u2009ms");
    expect(moment(45, 0, 0.1, "ns")).toBe("45\u2009ns");
  });
  it("counts in whole numbers", () => {
    expect(countTicks(4, 100)).toEqual([0, 1, 2, 3, 4]);
    expect(countTicks(32, 60)).toEqual([0, 20]);
    expect(countTicks(1, 400)).toEqual([0, 1]);
  });
});
