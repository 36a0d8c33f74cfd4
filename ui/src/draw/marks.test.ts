import { describe, expect, it } from "vitest";
import { FLAG, SHAPE, type Picture } from "../scene";
import { anchored, snug } from "./camera";
import { around, boxOf, hit, marks, nearest, severities } from "./marks";
import { between, carried, ease, resting, room, tween } from "./tween";

type Row = [x: number, y: number, w: number, h: number, node: number, shape: number, flags?: number];
type Edge = [x0: number, y0: number, x1: number, y1: number, from: number, to: number];

/** A picture from rows of boxes and edges. */
export function picture(rows: Row[], edges: Edge[] = [], labels: Picture["head"]["labels"] = []): Picture {
  const f = (i: number) => Float32Array.from(rows, (r) => r[i] as number);
  const e = (i: number) => Float32Array.from(edges, (r) => r[i] as number);
  return {
    head: { width: 100, height: 100, boxes: rows.length, links: edges.length, labels, strips: [], areas: [], x_axis: null, y_axis: null, legend: [], note: null } as Picture["head"],
    boxes: {
      n: rows.length, x: f(0), y: f(1), w: f(2), h: f(3), node: Uint32Array.from(rows, (r) => r[4]), fill: new Uint16Array(rows.length),
      shape: Uint8Array.from(rows, (r) => r[5]), flags: Uint8Array.from(rows, (r) => r[6] ?? 0),
    },
    links: {
      n: edges.length, x0: e(0), y0: e(1), x1: e(2), y1: e(3), from: Uint32Array.from(edges, (r) => r[4]), to: Uint32Array.from(edges, (r) => r[5]),
      kind: new Uint8Array(edges.length), flags: new Uint8Array(edges.length),
    },
    strips: [], areas: [], cut: "", visible: rows.length, serverMs: 0, select: null, stopped: false,
  };
}

// Root 0 is open; task 1 is open inside of it and holds leaf 2; 3 is closed with a mix bar; 0 also has a repeat mark.
const scene = picture([
  [0, 0, 100, 100, 0, SHAPE.envelope],
  [10, 10, 40, 40, 1, SHAPE.envelope],
  [20, 20, 10, 10, 2, SHAPE.create],
  [60, 10, 30, 20, 3, SHAPE.task, FLAG.closed | FLAG.mixed],
  [62, 26, 20, 3, 3, SHAPE.plain, FLAG.part],
  [60, 60, 30, 20, 0, SHAPE.repeat, FLAG.merged],
], [], [
  { x: 62, y: 70, w: 20, text: "× 40 alike", align: "start", node: 0 },
  { x: 2, y: 8, w: 90, text: "task", align: "start", node: 0 },
]);

describe("marks", () => {
  it("finds boxes before envelopes and inner envelopes before outer", () => {
    expect(hit(scene, 25, 25)).toBe(2);
    expect(hit(scene, 45, 45)).toBe(1);
    expect(hit(scene, 5, 95)).toBe(0);
    expect(hit(scene, 150, 5)).toBe(-1);
    expect(hit(scene, 18.5, 25, 2)).toBe(2);
  });
  it("does not hit the bars of a mix but the mark they belong to", () => {
    expect(hit(scene, 70, 27)).toBe(3);
    expect(marks(scene).owner[4]).toBe(3);
  });
  it("tells a repeat mark from the node whose id it carries", () => {
    expect(boxOf(scene, 0)).toBe(0);
    expect([...marks(scene).labelOwner]).toEqual([5, 0]);
    expect(hit(scene, 70, 70)).toBe(5);
    expect(boxOf(scene, 99)).toBe(-1);
  });
});

describe("a grain graph", () => {
  // An open fork-join (1) in the open root (0), with its joints, a grain (2) with two marks, a closed group (3).
  const scene = picture([
    [0, 0, 100, 90, 0, SHAPE.envelope], [10, 10, 60, 70, 1, SHAPE.envelope],
    [12, 30, 20, 20, 2, SHAPE.grain, FLAG.problem], [28, 32, 3, 3, 2, SHAPE.plain, FLAG.part], [40, 30, 20, 20, 3, SHAPE.group, FLAG.closed],
    [38, 20, 4, 4, 1, SHAPE.forkNode, FLAG.part], [38, 60, 4, 4, 1, SHAPE.joinNode, FLAG.part],
  ]);
  it("tells joints apart from their group, and a click on one is one on the group", () => {
    const m = marks(scene);
    expect(new Set([...m.key]).size).toBe(6);
    expect(m.owner[5]).toBe(5);
    expect(boxOf(scene, 1)).toBe(1);
    expect(scene.boxes.node[hit(scene, 40, 22)]).toBe(1);
    expect(hit(scene, 40, 22)).toBe(5);
  });
  it("knows what holds a mark, innermost first, and what is nearest", () => {
    expect(around(scene, 2).map((i) => scene.boxes.node[i])).toEqual([2, 1, 0]);
    expect(around(scene, 4).map((i) => scene.boxes.node[i])).toEqual([3, 1, 0]);
    expect(nearest(scene, 90, 40)).toBe(4);
    expect(nearest(scene, 5, 5)).toBe(2);
  });
  it("reads how bad a grain is from its marks", () => {
    const bad = picture([[0, 0, 10, 10, 2, SHAPE.grain, FLAG.problem], [1, 1, 2, 2, 2, SHAPE.plain, FLAG.part]]);
    bad.boxes.fill[1] = 44;
    expect([...severities(bad.boxes)]).toEqual([2, 0]);
    expect([...severities(scene.boxes)]).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
  it("stays where it was when the layout changes: the mark, or what holds it", () => {
    const camera = { x: 50, y: 50, k: 2 };
    const moved = picture([[100, 0, 100, 90, 0, SHAPE.envelope], [150, 40, 20, 20, 2, SHAPE.grain]]);
    expect(anchored(scene, moved, [2, 1, 0], camera)).toEqual({ x: 50 + 160 - 22, y: 60, k: 2 });
    expect(anchored(scene, moved, [3, 1, 0], camera)).toEqual({ x: 150, y: 50, k: 2 });
    expect(anchored(scene, moved, [9], camera)).toBeNull();
  });
  it("does not show more than a margin of nothing beside a large scene", () => {
    const view = { w: 400, h: 300 };
    expect(snug({ x: 0, y: 0, k: 1 }, { w: 1000, h: 1000 }, view)).toEqual({ x: 176, y: 126, k: 1 });
    expect(snug({ x: 900, y: 500, k: 1 }, { w: 1000, h: 1000 }, view)).toEqual({ x: 824, y: 500, k: 1 });
    expect(snug({ x: 0, y: 0, k: 1 }, { w: 100, h: 100 }, view)).toEqual({ x: 0, y: 0, k: 1 });
  });
});

describe("tween", () => {
  const closed = picture([[0, 0, 20, 10, 7, SHAPE.task, FLAG.closed], [0, 20, 10, 10, 9, SHAPE.end]], [[5, 10, 5, 20, 7, 9]]);
  const opened = picture(
    [[0, 0, 40, 40, 7, SHAPE.envelope], [10, 10, 10, 10, 8, SHAPE.create], [0, 50, 10, 10, 9, SHAPE.end]],
    [[5, 40, 5, 50, 7, 9], [15, 20, 15, 40, 8, 7]],
  );
  it("grows new boxes out of the opened node's rectangle", () => {
    const t = tween(closed, resting(closed.boxes), opened, 7, { x: 0, y: 0 }, 0);
    expect([t.from.x[1], t.from.y[1], t.from.w[1], t.from.h[1]]).toEqual([5, 2.5, 5, 2.5]);
    expect([t.from.x[2], t.from.y[2]]).toEqual([0, 20]);
    expect(t.gone.length).toBe(0);
    expect([t.strung.y0[0], Number.isNaN(t.strung.x0[1]!)]).toEqual([10, true]);
  });
  it("shrinks vanished boxes into the closed node's rectangle", () => {
    const t = tween(opened, resting(opened.boxes), closed, 7, { x: 0, y: 0 }, 0);
    expect([...t.gone]).toEqual([1]);
    expect([t.goneTo.x[0], t.goneTo.w[0]]).toEqual([5, 5]);
    expect([...t.faded]).toEqual([1]);
  });
  it("shifts the old picture so that the node acted on stays on the screen", () => {
    const t = tween(closed, resting(closed.boxes), opened, 7, { x: 100, y: -5 }, 0);
    expect([t.from.x[2], t.from.y[2]]).toEqual([100, 15]);
  });
  it("begins at the start and ends at the end", () => {
    const [from, to] = [room(1), room(1)];
    to.x[0] = 10;
    expect(between(from, to, 0, room(1)).x[0]).toBe(0);
    expect(between(from, to, 1, room(1)).x[0]).toBe(10);
    expect(ease(0.5)).toBeGreaterThan(0.5);
    expect(carried({ x: 5, y: 5, w: 1, h: 1 }, { x: 0, y: 0, w: 10, h: 10 }, { x: 100, y: 0, w: 20, h: 10 })).toEqual({ x: 110, y: 5, w: 2, h: 1 });
  });
});
