import { describe, expect, it } from "vitest";
import { positionOf, STEPS, valueAt } from "./slider";

describe("a slider", () => {
  it("walks by differences or by factors", () => {
    expect(valueAt(STEPS / 2, [0, 10])).toBe(5);
    expect(valueAt(STEPS / 2, [1, 100])).toBe(10);
    expect(positionOf(5, [0, 10])).toBe(STEPS / 2);
    expect(positionOf(10, [1, 100])).toBe(STEPS / 2);
  });
  it("keeps to its ends", () => {
    expect(positionOf(-5, [0, 10])).toBe(0);
    expect(positionOf(1e9, [1, 100])).toBe(STEPS);
    expect(positionOf(3, [4, 4])).toBe(0);
  });
  it("comes back to where it was", () => {
    for (const range of [
      [0, 1],
      [0.001, 1000],
      [2, 8],
    ] as const) {
      for (const at of [0, 1, 50, 133, STEPS])
        expect(Math.abs(positionOf(valueAt(at, range), range) - at)).toBeLessThan(2);
    }
  });
});
