import { describe, expect, it } from "vitest";
import { begin, change, redo, undo, type History } from "./history";

const same = (a: number, b: number): boolean => Math.floor(a) === Math.floor(b);
const go = (h: History<number>, next: number, kind = "go", continuous = false, now = 0): History<number> =>
  change(h, next, kind, continuous, now, same);

describe("history", () => {
  it("goes back and forth", () => {
    let h = go(go(begin(1), 2), 3);
    h = undo(h, same);
    expect(h.present).toBe(2);
    expect(redo(h, same).present).toBe(3);
    expect(undo(undo(h, same), same).present).toBe(1);
    expect(go(h, 9).future).toEqual([]);
  });
  it("makes no step of what changes nothing", () => {
    const h = go(begin(1), 2);
    expect(go(h, 2)).toBe(h);
    expect(go(h, 2.5)).toBe(h);
  });
  it("passes over steps that show the same", () => {
    // A change without a step made the present equal to what was before it.
    const h = go(go(begin(1), 2), 1, "");
    expect(h.past).toEqual([1]);
    expect(undo(h, same)).toBe(h);
    const further = go(go(go(begin(7), 1), 2), 1, "");
    expect(undo(further, same).present).toBe(7);
  });
  it("joins continuous changes of one kind", () => {
    let h = go(begin(1), 2, "pan", true, 0);
    h = go(h, 3, "pan", true, 100);
    h = go(h, 4, "pan", true, 5000);
    expect(h.past).toEqual([1, 3]);
    expect(undo(h, same).present).toBe(3);
  });
  it("stays at its ends", () => {
    const h = begin(1);
    expect([undo(h, same), redo(h, same)]).toEqual([h, h]);
  });
});
