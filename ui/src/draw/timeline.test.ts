import { describe, expect, it } from "vitest";
import { NONE, type Area, type Grid, type Scene } from "../scene";
import { graph, plot } from "./made";
import { layersAt, upright } from "./profile";
import { across, hitRows } from "./timeline";

const axis = (from: number, to: number, start: number, length: number) => ({
  stops: [{ value: from, at: start, folded: false }, { value: to, at: start + length, folded: false }], log: false,
  unit: "ns" as const, title: "time", side: "end" as const, grid: true,
});
const base = (): Scene => ({ ...graph([]), plots: [plot({ x: axis(1000, 2000, 72, 500) })] });

describe("time pictures", () => {
  it("puts a moment at the same pixel whatever window the picture covers", () => {
    const map = across(base(), [1400, 1600], 100, 800);
    // t = 1500 lies at scene x 72 + 250 and in the middle of the shown window.
    expect(map.a * (72 + 250) + map.b).toBeCloseTo(500);
    expect(map.a * 72 + map.b).toBeCloseTo(100 - (400 / 200) * 800);
  });
  it("finds the interval, else the longest of the cell, else nothing", () => {
    const cells = {
      x: 72, y: 28, w: 20, h: 22, nx: 2, ny: 1, gap_x: 0, gap_y: 2, level: Uint8Array.of(51, 0), slots: Uint8Array.of(0, 0),
      nodes: Uint32Array.of(9, NONE), rows: null, columns: null,
    } as unknown as Grid;
    const p: Scene = { ...base(), boxes: graph([[100, 0, 50, 20, 7, "leaf"]]).boxes, grids: [cells] };
    const map = { a: 1, b: 0 };
    const down = { s: 2, o: 10 };
    expect(hitRows(p, map, down, 120, 20)).toEqual({ node: 7, box: 0, full: 1 });
    expect(hitRows(p, map, down, 75, 10 + 2 * 30)).toEqual({ node: 9, box: -1, full: 0.2 });
    expect(hitRows(p, map, down, 85, 10 + 2 * 30)).toBeNull();
  });
  it("reads the profile's layers back in their own unit and fills the plot with the axis", () => {
    const area = { name: "running", fill: 30, x: 72, cell: 5, n: 1, y0: Float32Array.of(86), y1: Float32Array.of(56) };
    const p: Scene = { ...base(), plots: [plot({ y: axis(8, 0, 6, 80) })], areas: [area as unknown as Area] };
    expect(layersAt(p, 74)).toEqual([{ name: "running", value: 3 }]);
    expect(layersAt(p, 90)).toEqual([]);
    const up = upright(p, { left: 0, top: 10, width: 100, height: 160 });
    expect(up.b).toBeCloseTo(170);
    expect(8 * up.a + up.b).toBeCloseTo(10);
    expect(86 * up.sy + up.oy).toBeCloseTo(170);
  });
});
