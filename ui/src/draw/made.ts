// Scenes for tests, from rows of boxes and edges.

import { SLOT } from "../protocol/constants";
import { PLAIN } from "./marks";
import { emptyScene, NONE, type Scene } from "../scene";
import type { Plot } from "../protocol/Plot";
import type { Style } from "../protocol/Style";

/** A plain box with what differs. */
export const style = (more: Partial<Style> = {}): Style => ({ ...PLAIN, ...more });

/** Styles that graphs have, by name. */
export const LOOKS = {
  envelope: style({ shape: "envelope", rank: 10, press: "close", meaning: "open task" }),
  leaf: style({ shape: "notch", stroke: -2, meaning: "create" }),
  closed: style({
    shape: "round",
    fill: "tint",
    stroke: -2,
    inner: "line",
    press: "open",
    meaning: "closed task",
  }),
  part: style({ hit: false, moves: true, rank: 50 }),
  fold: style({ shape: "round", sheets: 2, press: "spread", meaning: "folded siblings" }),
  joint: style({ shape: "triangle-down", press: "close", rank: 50, meaning: "fork" }),
  shut: style({ shape: "minus", moves: true, live: true, press: "close", rank: 50, meaning: "close" }),
  link: style({ fill: "none", stroke: SLOT.edge, rank: 30, hit: false }),
} satisfies Record<string, Style>;

export type Look = keyof typeof LOOKS;
export type Row = [x: number, y: number, w: number, h: number, node: number, look: Look, role?: number];
export type Edge = [x0: number, y0: number, x1: number, y1: number, from: number, to: number];
export type Text = [x: number, y: number, w: number, text: string, node: number, role?: number];

export const plot = (more: Partial<Plot> = {}): Plot => ({
  rect: { x: 0, y: 0, w: 100, h: 100 },
  title: "",
  x: null,
  y: null,
  camera: "none",
  scroll: null,
  brush: "none",
  wheel: null,
  marks: {
    boxes: [0, 0],
    links: [0, 0],
    points: [0, 0],
    ribbons: [0, 0],
    polygons: [0, 0],
    areas: [0, 0],
    grids: [0, 0],
    labels: [0, 0],
  },
  ...more,
});

const f = <T extends number[]>(rows: T[], i: number): Float32Array => Float32Array.from(rows, (r) => r[i]!);

/** A graph: one plot with a camera. */
export function graph(rows: Row[], edges: Edge[] = [], texts: Text[] = []): Scene {
  const names = Object.keys(LOOKS) as Look[];
  const n = rows.length;
  const numbers = rows.map((r) => r.slice(0, 5) as number[]);
  const e = edges.map((r) => r as number[]);
  const t = texts.map((r) => [r[0], r[1], r[2]] as number[]);
  const boxes: Scene["boxes"] = {
    n,
    x: f(numbers, 0),
    y: f(numbers, 1),
    w: f(numbers, 2),
    h: f(numbers, 3),
    tree: new Uint8Array(n),
    node: Uint32Array.from(rows, (r) => r[4]),
    to: new Uint32Array(n).fill(NONE),
    role: Uint8Array.from(rows, (r) => r[6] ?? 0),
    style: Uint16Array.from(rows, (r) => names.indexOf(r[5])),
    fill: new Uint16Array(n),
    id: new Uint32Array(n).fill(NONE),
  };
  const links: Scene["links"] = {
    n: e.length,
    x0: f(e, 0),
    y0: f(e, 1),
    x1: f(e, 2),
    y1: f(e, 3),
    tree: new Uint8Array(e.length),
    node: Uint32Array.from(edges, (r) => r[4]),
    to: Uint32Array.from(edges, (r) => r[5]),
    role: new Uint8Array(e.length),
    style: new Uint16Array(e.length).fill(names.indexOf("link")),
    fill: new Uint16Array(e.length),
    id: new Uint32Array(e.length).fill(NONE),
  };
  const labels: Scene["labels"] = {
    n: t.length,
    x: f(t, 0),
    y: f(t, 1),
    w: f(t, 2),
    tree: new Uint8Array(t.length),
    node: Uint32Array.from(texts, (r) => r[4]),
    role: Uint8Array.from(texts, (r) => r[5] ?? 0),
    style: new Uint16Array(t.length),
    text: texts.map((r) => r[3]),
  };
  const all = plot({
    camera: "xy",
    marks: { ...plot().marks, boxes: [0, n], links: [0, e.length], labels: [0, t.length] },
  });
  return {
    ...emptyScene(),
    width: 100,
    height: 100,
    styles: Object.values(LOOKS),
    plots: [all],
    boxes,
    links,
    labels,
    texts: [{ align: "start", size: 11, bold: false, ink: -2, plate: "none", turned: false }],
  };
}
