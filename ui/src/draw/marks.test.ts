import { describe, expect, it } from "vitest";
import { anchored, snug } from "./camera";
import { hit } from "./hit";
import { LOOKS, graph } from "./made";
import { STILL } from "./mapping";
import { around, boxesOf, boxOf, labelsOf, marks, nearest, rectOf, refsOf } from "./marks";
import { between, carried, ease, resting, room, tween } from "./tween";
import type { Scene } from "../scene";

// Root 0 is open; task 1 is open inside of it and holds leaf 2; 3 is closed with a mix bar; 0 also has two folds.
const scene = graph(
  [
    [0, 0, 100, 100, 0, "envelope"],
    [10, 10, 40, 40, 1, "envelope"],
    [20, 20, 10, 10, 2, "leaf"],
    [60, 10, 30, 20, 3, "closed"],
    [62, 26, 20, 3, 3, "part", 8],
    [60, 60, 30, 20, 0, "fold", 1],
    [10, 60, 30, 20, 0, "fold", 1],
  ],
  [],
  [
    [62, 70, 20, "× 40 alike", 0, 1],
    [2, 8, 90, "task", 0],
    [12, 70, 20, "× 7 alike", 0, 1],
  ],
);
const size = { w: 400, h: 300 };
const at = (s: Scene, x: number, y: number, slack = 0) => hit(s, [STILL], size, x, y, slack);
const under = (s: Scene, x: number, y: number, slack = 0): number => at(s, x, y, slack)?.index ?? -1;

describe("marks", () => {
  it("finds boxes before envelopes and inner envelopes before outer", () => {
    expect(under(scene, 25, 25)).toBe(2);
    expect(under(scene, 45, 45)).toBe(1);
    expect(under(scene, 5, 95)).toBe(0);
    expect(under(scene, 150, 5)).toBe(-1);
    expect(under(scene, 18.5, 25, 2)).toBe(2);
  });
  it("does not hit a part but the mark that it belongs to", () => {
    expect(under(scene, 70, 27)).toBe(3);
    expect(marks(scene).owner[4]).toBe(3);
  });
  it("tells folds from the node whose number they carry, and one fold from another", () => {
    expect(boxOf(scene, 0)).toBe(0);
    expect(boxesOf(scene, 0)).toEqual([0, 5, 6]);
    expect([...marks(scene).labelOwner]).toEqual([5, 0, 6]);
    expect(labelsOf(scene, 6)).toEqual(["× 7 alike"]);
    expect(under(scene, 70, 70)).toBe(5);
    expect(boxOf(scene, 99)).toBe(-1);
    expect(boxOf(scene, 0, 1)).toBe(-1);
  });
  it("finds all marks of a set of nodes", () => {
    expect(refsOf(scene, 0, (node) => node === 0 || node === 3).map((r) => r.index)).toEqual([0, 3, 5, 6]);
    expect(rectOf(scene, { kind: "boxes", index: 3 })).toEqual({ x: 60, y: 10, w: 30, h: 20 });
  });
});

describe("a graph with forks", () => {
  // An open group (1) in the open root (0), with its joints, a grain (2) with a part, a closed group (3), a closing sign.
  const forks = graph([
    [0, 0, 100, 90, 0, "envelope"],
    [10, 10, 60, 70, 1, "envelope"],
    [12, 30, 20, 20, 2, "leaf"],
    [28, 32, 3, 3, 2, "part", 8],
    [40, 30, 20, 20, 3, "closed"],
    [38, 20, 4, 4, 1, "joint", 2],
    [38, 60, 4, 4, 1, "joint", 3],
    [62, 12, 6, 6, 1, "shut", 4],
  ]);
  it("tells joints apart from their group; a press on one or on the sign is one on the group", () => {
    expect(boxOf(forks, 1)).toBe(1);
    expect(at(forks, 40, 22)).toMatchObject({ index: 5, node: 1, role: 2 });
    const sign = at(forks, 65, 15)!;
    expect(sign).toMatchObject({ node: 1, role: 4 });
    expect(forks.styles[sign.style]!.press).toBe("close");
  });
  it("knows what holds a mark, innermost first, and what is nearest", () => {
    expect(around(forks, 2).map((i) => forks.boxes.node[i])).toEqual([2, 1, 0]);
    expect(around(forks, 4).map((i) => forks.boxes.node[i])).toEqual([3, 1, 0]);
    expect(nearest(forks, 90, 40)).toBe(4);
    expect(nearest(forks, 5, 5)).toBe(2);
  });
  it("stays where it was when the layout changes: the mark, or what holds it", () => {
    const camera = { x: 50, y: 50, k: 2 };
    const moved = graph([
      [100, 0, 100, 90, 0, "envelope"],
      [150, 40, 20, 20, 2, "leaf"],
    ]);
    expect(anchored(forks, moved, [2, 1, 0], camera)).toEqual({ x: 50 + 160 - 22, y: 60, k: 2 });
    expect(anchored(forks, moved, [3, 1, 0], camera)).toEqual({ x: 150, y: 50, k: 2 });
    expect(anchored(forks, moved, [9], camera)).toBeNull();
  });
  it("does not show more than a margin of nothing beside a large scene", () => {
    const view = { w: 400, h: 300 };
    expect(snug({ x: 0, y: 0, k: 1 }, { w: 1000, h: 1000 }, view)).toEqual({ x: 176, y: 126, k: 1 });
    expect(snug({ x: 900, y: 500, k: 1 }, { w: 1000, h: 1000 }, view)).toEqual({ x: 824, y: 500, k: 1 });
    expect(snug({ x: 0, y: 0, k: 1 }, { w: 100, h: 100 }, view)).toEqual({ x: 0, y: 0, k: 1 });
  });
});

describe("tween", () => {
  const closed = graph(
    [
      [0, 0, 20, 10, 7, "closed"],
      [0, 20, 10, 10, 9, "leaf"],
      [2, 8, 10, 2, 7, "part", 8],
    ],
    [[5, 10, 5, 20, 7, 9]],
  );
  const opened = graph(
    [
      [0, 0, 40, 40, 7, "envelope"],
      [10, 10, 10, 10, 8, "leaf"],
      [0, 50, 10, 10, 9, "leaf"],
    ],
    [
      [5, 40, 5, 50, 7, 9],
      [15, 20, 15, 40, 8, 7],
    ],
  );
  it("grows new boxes out of the opened node's rectangle", () => {
    const t = tween(closed, opened, { acted: 7, began: 0 });
    expect([t.from.x[1], t.from.y[1], t.from.w[1], t.from.h[1]]).toEqual([5, 2.5, 5, 2.5]);
    expect([t.from.x[2], t.from.y[2]]).toEqual([0, 20]);
    expect(t.gone.length).toBe(0);
    expect([t.links.from[1]![0], Number.isNaN(t.links.from[0]![1]!)]).toEqual([10, true]);
  });
  it("shrinks vanished boxes into the closed node's rectangle", () => {
    const t = tween(opened, closed, { acted: 7, began: 0 });
    expect([...t.gone]).toEqual([1]);
    expect([t.goneTo.x[0], t.goneTo.w[0]]).toEqual([5, 5]);
    expect([...t.links.faded]).toEqual([1]);
  });
  it("shifts the old picture so that the node acted on stays on the screen", () => {
    const t = tween(closed, opened, { acted: 7, shift: { x: 100, y: -5 }, began: 0 });
    expect([t.from.x[2], t.from.y[2]]).toEqual([100, 15]);
  });
  it("matches by id where there is one, and several marks of one node by their order", () => {
    const [a, b] = [
      graph([
        [0, 0, 10, 10, 1, "leaf"],
        [20, 0, 10, 10, 2, "leaf"],
      ]),
      graph([[50, 0, 10, 10, 2, "leaf"]]),
    ];
    b.boxes.id[0] = a.boxes.id[0] = 77;
    expect(tween(a, b, { began: 0 }).from.x[0]).toBe(0);
    const folds = graph([
      [0, 0, 9, 9, 0, "fold", 1],
      [30, 0, 9, 9, 0, "fold", 1],
    ]);
    const moved = graph([
      [5, 0, 9, 9, 0, "fold", 1],
      [35, 0, 9, 9, 0, "fold", 1],
    ]);
    expect([...tween(folds, moved, { began: 0 }).from.x]).toEqual([0, 30]);
  });
  it("begins at the start and ends at the end", () => {
    const [from, to] = [room(1), room(1)];
    to.x[0] = 10;
    expect(between(from, to, 0, room(1)).x[0]).toBe(0);
    expect(between(from, to, 1, room(1)).x[0]).toBe(10);
    expect(ease(0.5)).toBeGreaterThan(0.5);
    expect(
      carried({ x: 5, y: 5, w: 1, h: 1 }, { x: 0, y: 0, w: 10, h: 10 }, { x: 100, y: 0, w: 20, h: 10 }),
    ).toEqual({ x: 110, y: 5, w: 2, h: 1 });
    expect(resting(closed.boxes).x).toBe(closed.boxes.x);
    expect(LOOKS.part.moves).toBe(true);
  });
});
