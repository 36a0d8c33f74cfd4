import { describe, expect, it } from "vitest";
import { step } from "./axis";

describe("axis", () => {
  it("steps by 1, 2, 5", () => {
    expect(step(0, 100, 10)).toBe(10);
    expect(step(0, 100, 8)).toBe(20);
    expect(step(0, 100, 3)).toBe(50);
    expect(step(0, 0.9, 10)).toBeCloseTo(0.1);
    expect(step(5, 5, 10)).toBe(1);
  });
});
