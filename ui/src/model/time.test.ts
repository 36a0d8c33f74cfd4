import { describe, expect, it } from "vitest";
import type { Span } from "../protocol/Span";
import { around, inside, settled, slid, zoomed } from "./time";

const whole: Span = [1000, 2000];

describe("windows of time", () => {
  it("zooms at the pointer", () => {
    const w = zoomed([1200, 1600], whole, 1300, 2);
    expect(w).toEqual([1250, 1450]);
    expect((1300 - w[0]) / (w[1] - w[0])).toBeCloseTo(0.25);
  });
  it("stays inside the run and not below the narrowest", () => {
    expect(zoomed([1000, 1100], whole, 1000, 0.01)).toEqual([1000, 2000]);
    expect(zoomed([1000, 1030], whole, 1010, 1e9)[1] - zoomed([1000, 1030], whole, 1010, 1e9)[0]).toBe(20);
    expect(slid([1900, 2000], whole, 50)).toEqual([1900, 2000]);
    expect(inside([0, 5000], whole)).toEqual([1000, 2000]);
  });
  it("says whole run when it is", () => {
    expect(settled([1000, 2000], whole)).toBeNull();
    expect(settled([1000, 1999], whole)).toEqual([1000, 1999]);
  });
  it("leaves some air around something", () => {
    expect(around([1500, 1600], whole)).toEqual([1485, 1615]);
  });
});
