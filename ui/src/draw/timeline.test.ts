import { describe, expect, it } from "vitest";
import { NO_NODE, type Picture } from "../scene";
import { layersAt, upright } from "./profile";
import { across, hitRows } from "./timeline";

const axis = { from: 1000, to: 2000, start: 72, length: 500, unit: "ns", title: "time" };
const none = new Float32Array(0);
function base(): Picture {
  return {
    head: { width: 600, height: 100, boxes: 0, links: 0, labels: [], strips: [], areas: [], x_axis: axis, y_axis: null, legend: [], note: null } as Picture["head"],
    boxes: { n: 0, x: none, y: none, w: none, h: none, node: new Uint32Array(0), fill: new Uint16Array(0), shape: new Uint8Array(0), flags: new Uint8Array(0) },
    links: { n: 0, x0: none, y0: none, x1: none, y1: none, from: new Uint32Array(0), to: new Uint32Array(0), kind: new Uint8Array(0), flags: new Uint8Array(0) },
    strips: [], areas: [], cut: "", visible: 0, serverMs: 0, select: null, stopped: false,
  };
}

describe("time pictures", () => {
  it("puts a moment at the same pixel whatever window the picture covers", () => {
    const map = across(base(), [1400, 1600], 100, 800);
    // t = 1500 lies at scene x 72 + 250 and in the middle of the shown window.
    expect(map.a * (72 + 250) + map.b).toBeCloseTo(500);
    expect(map.a * 72 + map.b).toBeCloseTo(100 - (400 / 200) * 800);
  });
  it("finds the interval, else the longest of the cell, else nothing", () => {
    const p = base();
    p.boxes = { ...p.boxes, n: 1, x: Float32Array.of(100), y: Float32Array.of(0), w: Float32Array.of(50), h: Float32Array.of(20), node: Uint32Array.of(7), fill: Uint16Array.of(0) };
    p.strips = [{ x: 72, y: 28, cell: 10, h: 20, row: 1, n: 2, node: Uint32Array.of(9, NO_NODE), full: Uint8Array.of(51, 0), fill: Uint8Array.of(0, 0) }];
    const map = { a: 1, b: 0 };
    const down = { s: 2, o: 10 };
    expect(hitRows(p, map, down, 120, 20)).toEqual({ node: 7, box: 0, full: 1 });
    expect(hitRows(p, map, down, 75, 10 + 2 * 30)).toEqual({ node: 9, box: -1, full: 0.2 });
    expect(hitRows(p, map, down, 85, 10 + 2 * 30)).toBeNull();
  });
  it("reads the profile's layers back in their own unit and fills the plot with the axis", () => {
    const p = base();
    p.head = { ...p.head, y_axis: { from: 8, to: 0, start: 6, length: 80, unit: "", title: "" } };
    p.areas = [{ name: "running", fill: 30, x: 72, cell: 5, n: 1, y0: Float32Array.of(86), y1: Float32Array.of(56) }];
    expect(layersAt(p, 74)).toEqual([{ name: "running", value: 3 }]);
    expect(layersAt(p, 90)).toEqual([]);
    const up = upright(p, { left: 0, top: 10, width: 100, height: 160 });
    expect(up.b).toBeCloseTo(170);
    expect(8 * up.a + up.b).toBeCloseTo(10);
    expect(86 * up.sy + up.oy).toBeCloseTo(170);
  });
});
