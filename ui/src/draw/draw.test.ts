// The zoo of crates/scene (every mark, fill, dash, plate, axis), as bytes that Rust wrote: decoded, drawn and hit here.

import { beforeAll, describe, expect, it } from "vitest";
import formats from "../protocol/formats.json";
import tickCases from "../protocol/ticks.json";
import type { Axis } from "../protocol/Axis";
import type { SceneHead } from "../protocol/SceneHead";
import type { Unit } from "../protocol/Unit";
import { COLUMNS, RAMP, SLOT, SLOTS } from "../protocol/constants";
import { decodeScene, NONE, splitMessage, standsFor, type Scene } from "../scene";
import { ticks } from "./axis";
import { cellSlot } from "./cells";
import { drawScene, NOTHING_LIT } from "./draw";
import { hit } from "./hit";
import { makeInk, type Ink } from "./ink";
import { ofCamera, ofWindow, pixelOf, scrolled, shownAxis, valueOf, valuesAt } from "./mapping";
import { graph } from "./made";
import { orderOf } from "./prepare";
import { refsOf } from "./marks";
import { exact, quantity } from "../format";
import { tween, TWEEN_MS } from "./tween";
import zooUrl from "../testdata/zoo.scene?url&inline";

const buffer = Uint8Array.from(atob(zooUrl.slice(zooUrl.indexOf(",") + 1)), (c) => c.charCodeAt(0)).buffer;
const { json, columns } = splitMessage(buffer);
const zoo: Scene = decodeScene(json as SceneHead, buffer, columns);

const tokens = {
  surface: "#ffffff",
  raised: "#f5f6f8",
  line: "#d5d9df",
  grid: "#e8ebef",
  text: "#1a1f26",
  muted: "#56606c",
  accent: "#0b62c4",
  problem: "#c3202a",
  good: "#1c7c4a",
  edge: "#5b6672",
};
const ink: Ink = makeInk(
  Array.from({ length: SLOTS }, (_, i) => `#${(i * 2).toString(16).padStart(2, "0").repeat(3)}`),
  tokens,
  "sans",
);

interface Call {
  name: string;
  args: unknown[];
  fill: unknown;
  alpha: number;
}

/** A context that notes what is drawn, and with which colours. */
function paper(): { ctx: CanvasRenderingContext2D; calls: Call[] } {
  const calls: Call[] = [];
  const state: Record<string, unknown> = { globalAlpha: 1, fillStyle: "", font: "" };
  const ctx = new Proxy(state, {
    get: (_, name: string) => {
      if (name in state) return state[name];
      if (name === "measureText") return (text: string) => ({ width: text.length * 6 });
      if (name === "getTransform") return () => ({ a: 1 });
      if (name === "createPattern") return () => null;
      return (...args: unknown[]) => {
        for (const a of args)
          if (typeof a === "number" && !Number.isFinite(a)) throw new Error(`${name}(${args.join(", ")})`);
        calls.push({ name, args, fill: state.fillStyle, alpha: state.globalAlpha as number });
      };
    },
    set: (_, name: string, value: unknown) => {
      state[name] = value;
      return true;
    },
  });
  return { ctx: ctx as unknown as CanvasRenderingContext2D, calls };
}

const still = zoo.plots.map(() => null);
const size = { w: 1000, h: 900 };
const frame = { scene: zoo, tween: null, now: 0, cameras: still, size, ink, lit: NOTHING_LIT, hovered: null };

beforeAll(() => {
  (globalThis as Record<string, unknown>).Path2D ??= class {
    moveTo(): void {}
    lineTo(): void {}
    closePath(): void {}
  };
});

describe("the wire form", () => {
  it("has every kind of mark, in full", () => {
    for (const kind of ["boxes", "links", "points", "ribbons", "polygons"] as const) {
      const marks = zoo[kind];
      expect(marks.n).toBeGreaterThan(0);
      for (const [name] of COLUMNS[kind])
        expect((marks as unknown as Record<string, { length: number }>)[name]!.length).toBe(marks.n);
      for (let i = 0; i < marks.n; i++) expect(zoo.styles[marks.style[i]!]).toBeDefined();
    }
    expect(zoo.labels.text.length).toBe(zoo.labels.n);
    expect(zoo.polygons.x.length).toBe(zoo.polygons.end[zoo.polygons.n - 1]);
  });
  it("has what Rust put there", () => {
    expect([zoo.title, zoo.width, zoo.plots.length]).toEqual(["zoo · every mark", 1000, 6]);
    const red = zoo.points.n - 1;
    expect(standsFor(zoo, { kind: "points", index: red })).toMatchObject({
      node: 700,
      role: 6,
      id: 3,
      fill: SLOT.red,
      to: NONE,
    });
    expect([zoo.points.x[red], zoo.points.y[red], zoo.points.r[red]]).toEqual([915, 625, 6]);
    expect([...zoo.polygons.x.subarray(0, 2)]).toEqual([270, 300]);
    expect(zoo.ribbons.bottom1[0]).toBe(360);
    const heat = zoo.grids[1]!;
    expect(standsFor(zoo, { kind: "grids", index: 1, cell: 18 })).toMatchObject({ node: 1, to: 10 });
    expect([cellSlot(heat, 0), cellSlot(heat, 1), cellSlot(heat, 127)]).toEqual([
      -1,
      RAMP.more.first,
      RAMP.more.first + 15,
    ]);
    expect(zoo.legend.map((item) => item.steps)).toEqual([1, 1, 1, 16, 16, 15]);
    expect(zoo.plots[4]!.wheel).toBe("groups");
  });
  it("says where the bytes end too early", () => {
    expect(() => decodeScene(json as SceneHead, buffer.slice(0, -8), columns)).toThrow(/columns end/);
  });
});

describe("drawing", () => {
  it("draws every batch of the zoo, in order of rank, without a number that is none", () => {
    const { ctx, calls } = paper();
    drawScene(ctx, frame);
    expect(calls.length).toBeGreaterThan(500);
    const texts = calls.filter((c) => c.name === "fillText").map((c) => c.args[0]);
    for (const text of ["notch", "rings", "rank 2777 late by 58 ms", "allreduce · all ranks", "sheets"])
      expect(texts).toContain(text);
    for (const batches of orderOf(zoo).plots) {
      const ranks = batches.map((b) => b.rank);
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    }
  });
  it("skips what is off the screen", () => {
    const many = graph(Array.from({ length: 2000 }, (_, i) => [i * 20, 0, 10, 10, i, "leaf"]));
    const { ctx, calls } = paper();
    drawScene(ctx, {
      ...frame,
      scene: many,
      cameras: [ofCamera({ x: 100, y: 50, k: 1 }, { w: 200, h: 100 })],
      size: { w: 200, h: 100 },
    });
    expect(calls.filter((c) => c.name === "fill").length).toBeLessThan(16);
  });
  it("draws the rest pale, and what is lit in full", () => {
    const { ctx, calls } = paper();
    const lit = refsOf(zoo, 0, (node) => node === 600);
    expect(lit.length).toBe(1);
    drawScene(ctx, { ...frame, lit: { ...NOTHING_LIT, lit, faint: true } });
    const fills = calls.filter((c) => c.name === "fillRect" && c.args[0] === 10 && c.args[1] === 204);
    expect(fills.map((c) => c.alpha)).toEqual([0.22, 1]);
  });
  it("moves from one scene to the next", () => {
    const [a, b] = [
      graph([[0, 0, 20, 20, 1, "leaf"]]),
      graph([
        [100, 0, 20, 20, 1, "leaf"],
        [0, 50, 20, 20, 2, "leaf"],
      ]),
    ];
    const way = tween(a, b, { began: 0 });
    const x = (now: number): unknown => {
      const { ctx, calls } = paper();
      drawScene(ctx, {
        ...frame,
        scene: b,
        tween: way,
        now,
        cameras: [ofCamera({ x: 100, y: 50, k: 1 }, { w: 200, h: 100 })],
        size: { w: 200, h: 100 },
      });
      return calls.find((c) => c.name === "moveTo")!.args[0];
    };
    expect(x(0)).toBe(0);
    expect(x(TWEEN_MS)).toBe(100);
  });
});

describe("hitting", () => {
  const at = (x: number, y: number) => hit(zoo, still, size, x, y);
  it("finds every kind of mark", () => {
    expect(at(20, 30)).toMatchObject({ kind: "boxes", node: 0, plot: 0 });
    expect(at(24, 76)).toMatchObject({ kind: "points", node: 100 });
    expect(at(430, 350)).toMatchObject({ kind: "polygons", node: 8, plot: 2 });
    expect(at(285, 389)).toMatchObject({ kind: "polygons", node: 7 });
    expect(at(580, 320)).toMatchObject({ kind: "ribbons", node: 0, plot: 3 });
    expect(at(600, 565)).toMatchObject({ kind: "areas", node: 0, plot: 5, cell: 4 });
    expect(at(65, 475)).toMatchObject({ kind: "grids", cell: 120, node: 120 });
    expect(at(50, 660)).toMatchObject({ kind: "boxes", node: 700, plot: -1 });
    expect(at(5, 870)).toBeNull();
  });
  it("tells the values of the axes", () => {
    const found = at(65, 475)!;
    expect(found.at.x).toBeCloseTo(3.125e6);
    expect(found.at.y).toBeNull();
    const curves = zoo.plots[5]!;
    expect(valuesAt(curves, null, 560, 420).x).toBeCloseTo(10);
    expect(valuesAt(curves, null, 940, 570).y).toBeCloseTo(0);
  });
  it("follows the mapping of the plot", () => {
    const cells = zoo.plots[4]!;
    const cameras = zoo.plots.map((plot) => (plot === cells ? ofWindow(cells, [0, 50e6]) : null));
    const m = cameras[4]!;
    expect(m.ax * 60 + m.bx).toBeCloseTo(60);
    expect(m.ax * pixelOf(cells.x!, 50e6) + m.bx).toBeCloseTo(480);
    expect(hit(zoo, cameras, size, 470, 475)!.at.x).toBeCloseTo((410 / 420) * 50e6);
    expect(scrolled(10).by).toBe(-10);
  });
});

describe("numbers and axes", () => {
  it("has the ticks of Rust", () => {
    for (const { axis, room, ticks: expected } of tickCases as unknown as {
      axis: Axis;
      room: number;
      ticks: [number, string][];
    }[]) {
      const made = ticks(axis, room);
      expect(
        made.map((t) => t.text),
        JSON.stringify(axis),
      ).toEqual(expected.map(([, text]) => text));
      made.forEach((t, i) => expect(t.at).toBeCloseTo(expected[i]![0], 1));
    }
  });
  it("writes numbers as Rust does", () => {
    expect(new Set(formats.map((c) => c.unit)).size).toBe(8);
    for (const { value, unit, text, exact: full } of formats as {
      value: number;
      unit: Unit;
      text: string;
      exact: string;
    }[]) {
      expect(quantity(value, unit), `${value} ${unit}`).toBe(text);
      expect(exact(value, unit), `${value} ${unit}`).toBe(full);
    }
  });
  it("maps folded and logarithmic axes there and back", () => {
    for (const axis of [zoo.plots[4]!.x!, zoo.plots[5]!.x!, zoo.plots[5]!.y!]) {
      for (const share of [0.1, 0.4, 0.9]) {
        const pixel = axis.stops[0]!.at + share * (axis.stops[axis.stops.length - 1]!.at - axis.stops[0]!.at);
        expect(pixelOf(axis, valueOf(axis, pixel))).toBeCloseTo(pixel, 3);
      }
    }
  });
  it("cuts an axis to what can be seen", () => {
    const cut = shownAxis(zoo.plots[4]!.x!, 2, 0, 200, 600);
    expect(cut.stops[0]!.at).toBe(200);
    expect(cut.stops[0]!.value).toBeCloseTo(25e6);
    expect(cut.stops.map((s) => s.folded)).toEqual([false, true, false, false]);
  });
});
