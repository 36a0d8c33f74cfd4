import { describe, expect, it, vi } from "vitest";

// The module reads the page's store when it is loaded; only its pure functions are tested here.
vi.mock("../page", () => ({ currentRun: () => 0, hello: () => null, socket: {}, state: () => ({}), update: () => {} }));
const { inWords, positionOf, STEPS, thresholdAt } = await import("./problems");

describe("the slider of a threshold", () => {
  it("goes through both ends and back", () => {
    for (const range of [[1, 16], [0.05, 0.95], [0.01, 1000], [0, 64]] as [number, number][]) {
      expect(positionOf(range[0], range)).toBe(0);
      expect(positionOf(range[1], range)).toBe(STEPS);
      expect(thresholdAt(0, range)).toBeCloseTo(range[0], 6);
      expect(thresholdAt(STEPS, range)).toBeCloseTo(range[1], 6);
      for (const at of [0, 17, 100, 163, STEPS]) expect(positionOf(thresholdAt(at, range), range)).toBe(at);
    }
  });
  it("walks wide ranges by factors: the middle of 0.01…100 is 1", () => {
    expect(thresholdAt(STEPS / 2, [0.01, 100])).toBe(1);
    expect(thresholdAt(STEPS / 2, [1, 9])).toBe(5);
  });
  it("stays inside for values and ranges that make no sense", () => {
    expect(positionOf(1e9, [1, 100])).toBe(STEPS);
    expect(positionOf(-1, [0.01, 100])).toBe(0);
    expect(positionOf(5, [3, 3])).toBe(0);
  });
  it("has values of three digits", () => expect(String(thresholdAt(123, [0.013, 977]))).toMatch(/^\d+(\.\d+)?$/));
});

it("problems are told in words", () => expect(inWords("low-parallel-benefit")).toBe("low parallel benefit"));
