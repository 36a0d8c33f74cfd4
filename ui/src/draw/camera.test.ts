import { describe, expect, it } from "vitest";
import {
  alike,
  fitted,
  home,
  kept,
  panned,
  revealing,
  toSceneX,
  toSceneY,
  toScreenX,
  toScreenY,
  zoomedAt,
} from "./camera";

const view = { w: 800, h: 600 };

describe("camera", () => {
  it("keeps the point under the pointer when zooming", () => {
    const before = { x: 100, y: 50, k: 0.7 };
    const after = zoomedAt(before, view, 650, 120, 1.8);
    expect(toSceneX(after, view, 650)).toBeCloseTo(toSceneX(before, view, 650));
    expect(toSceneY(after, view, 120)).toBeCloseTo(toSceneY(before, view, 120));
    expect(after.k).toBeCloseTo(1.26);
  });
  it("stops at the ends of the zoom", () => {
    expect(zoomedAt({ x: 0, y: 0, k: 10 }, view, 0, 0, 100).k).toBe(12);
  });
  it("moves the picture with the hand", () => {
    const c = { x: 0, y: 0, k: 2 };
    expect(toScreenX(panned(c, 30, 0), view, 5) - toScreenX(c, view, 5)).toBeCloseTo(30);
  });
  it("fits the whole scene inside the margin", () => {
    const c = fitted({ w: 4000, h: 1000 }, view);
    expect(toScreenX(c, view, 0)).toBeCloseTo(24);
    expect(toScreenX(c, view, 4000)).toBeCloseTo(776);
  });
  it("opens a tall scene at its top at a readable size", () => {
    const c = home({ w: 500, h: 100_000 }, view, 250);
    expect(c.k).toBeGreaterThan(0.5);
    expect(toScreenY(c, view, 0)).toBeCloseTo(24);
  });
  it("does not move when the node is already on the screen", () => {
    const c = { x: 400, y: 300, k: 1 };
    expect(revealing(c, view, { x: 380, y: 280, w: 60, h: 30 })).toBe(c);
    const moved = revealing(c, view, { x: 5000, y: 280, w: 60, h: 30 });
    expect(toScreenX(moved, view, 5030)).toBeCloseTo(400);
  });
  it("never loses the scene", () => {
    const scene = { w: 1000, h: 500 };
    const c = kept({ x: 1e6, y: -1e6, k: 2 }, scene, view);
    expect(toScreenX(c, view, 1000)).toBeCloseTo(80);
    expect(toScreenY(c, view, 0)).toBeCloseTo(600 - 80);
    const fine = { x: 10, y: 10, k: 1 };
    expect(kept(fine, scene, view)).toBe(fine);
  });
  it("links two scenes by relative place", () => {
    expect(alike({ x: 50, y: 20, k: 1 }, { w: 100, h: 100 }, { w: 400, h: 50 })).toEqual({
      k: 1,
      x: 200,
      y: 10,
    });
  });
});
