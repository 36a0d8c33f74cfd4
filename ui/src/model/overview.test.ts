import { describe, expect, it, vi } from "vitest";
import type { ProblemRow } from "../protocol/ProblemRow";

vi.mock("../page", () => ({ currentRun: () => 0, hello: () => null, socket: {}, state: () => ({ runs: [], panes: [] }), update: () => {}, tell: () => {}, wholeRun: () => [0, 1], history: () => ({ last: {} }) }));
vi.mock("./grain", () => ({ goToGrain: () => {} }));
vi.mock("./dag", () => ({ dagOf: () => ({}) }));
const { asFinding, merged } = await import("./overview");

const row = (change: Partial<ProblemRow>): ProblemRow => ({
  problem: "sibling-imbalance", metric: "sibling work balance", below: false, threshold: 2, default: 2, range: [1, 16], available: true, why: null,
  grains: 12, work: 0.5, time_lost: 300, theta: 5, savings: 0.9, advice: "divide the work", worst: [{ node: 7, title: "task", place: "a.c:1", cost: 30 }], ...change,
});

describe("problems as findings", () => {
  it("name the lens, the worst grain and how severe it is", () => {
    const f = asFinding(row({}), 1000)!;
    expect(f).toMatchObject({ view: "grain", lens: "sibling-imbalance", grain: 7, severity: "high", cost: 300, place: "a.c:1" });
    expect(f.what).toBe("sibling imbalance in 12 grains");
    expect(asFinding(row({ threshold: 1.5, grains: 30 }), 1000)!.what).toBe("sibling imbalance in 30 grains at threshold 1.50");
    expect(asFinding(row({ time_lost: 60 }), 1000)!.severity).toBe("medium");
    expect(asFinding(row({ time_lost: 20 }), 1000)!.severity).toBe("low");
  });
  it("are left out when they cost nothing or cannot be told", () => {
    expect(asFinding(row({ time_lost: 1 }), 1000)).toBeNull();
    expect(asFinding(row({ grains: 0 }), 1000)).toBeNull();
    expect(asFinding(row({ available: false }), 1000)).toBeNull();
    expect(asFinding(row({ worst: [] }), 1000)).toBeNull();
  });
  it("stand between the others by what they cost", () => {
    const other = (cost: number) => ({ ...asFinding(row({}), 1000)!, id: "other", cost });
    expect(merged([other(500), other(100)], [asFinding(row({}), 1000)!]).map((f) => f.cost)).toEqual([500, 300, 100]);
  });
});
