// A decoded Scene: the head that came as JSON joined with its columns as typed arrays. Bytes go in (docs/api.md), columns
// that the drawing code walks come out. Which columns there are is generated from crates/scene; constant ones are filled.

import type { AreaHead } from "./protocol/AreaHead";
import { COLUMNS, NONE } from "./protocol/constants";
import type { GridHead } from "./protocol/GridHead";
import type { LegendItem } from "./protocol/LegendItem";
import type { MarksHead } from "./protocol/MarksHead";
import type { Plot } from "./protocol/Plot";
import type { SceneHead } from "./protocol/SceneHead";
import type { Style } from "./protocol/Style";
import type { TextStyle } from "./protocol/TextStyle";

export { NONE } from "./protocol/constants";

/** What every mark says beside its coordinates; NONE in `node`, `to` and `id` for nothing. */
export interface Keys {
  n: number;
  tree: Uint8Array;
  node: Uint32Array;
  to: Uint32Array;
  role: Uint8Array;
  /** Number in `scene.styles`. */
  style: Uint16Array;
  /** Palette slot. */
  fill: Uint16Array;
  id: Uint32Array;
}

export interface Boxes extends Keys {
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
}

export interface Links extends Keys {
  x0: Float32Array;
  y0: Float32Array;
  x1: Float32Array;
  y1: Float32Array;
}

export interface Points extends Keys {
  x: Float32Array;
  y: Float32Array;
  r: Float32Array;
}

export interface Ribbons extends Keys {
  x0: Float32Array;
  top0: Float32Array;
  bottom0: Float32Array;
  x1: Float32Array;
  top1: Float32Array;
  bottom1: Float32Array;
}

/** Points of polygon i are those before `end[i]`, from `end[i − 1]` on. */
export interface Polygons extends Keys {
  end: Uint32Array;
  x: Float32Array;
  y: Float32Array;
}

export interface Labels {
  n: number;
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  tree: Uint8Array;
  node: Uint32Array;
  role: Uint8Array;
  /** Number in `scene.texts`. */
  style: Uint16Array;
  text: string[];
}

export interface Area extends AreaHead {
  y0: Float32Array;
  y1: Float32Array;
}

export interface Grid extends GridHead {
  level: Uint8Array;
  /** Slot of each cell, if they have their own. */
  slots: Uint8Array | null;
  /** Node of each cell. */
  nodes: Uint32Array | null;
  /** Nodes of the rows and of the columns. */
  rows: Uint32Array | null;
  columns: Uint32Array | null;
}

export interface Scene {
  title: string;
  width: number;
  height: number;
  styles: Style[];
  texts: TextStyle[];
  plots: Plot[];
  boxes: Boxes;
  links: Links;
  points: Points;
  ribbons: Ribbons;
  polygons: Polygons;
  areas: Area[];
  grids: Grid[];
  labels: Labels;
  legend: LegendItem[];
  note: string | null;
}

/** The kinds of marks that can be found, drawn and moved. */
export type Kind = "boxes" | "links" | "points" | "ribbons" | "polygons" | "areas" | "grids";

/** A mark of a scene; `cell` is the cell of a grid or of an area. */
export interface Ref {
  kind: Kind;
  index: number;
  cell?: number;
}

/** A scene with what the answer said about it. */

/** The two parts of a binary message: the JSON and the offset at which columns begin. */
export function splitMessage(buffer: ArrayBuffer): { json: unknown; columns: number } {
  if (buffer.byteLength < 4) throw new Error(`answer of ${buffer.byteLength} bytes is too short`);
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) {
    throw new Error(`answer says ${length} bytes of JSON, has ${buffer.byteLength - 4}`);
  }
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  return { json: JSON.parse(text), columns: 4 + length };
}

/** Joins a scene's head with the columns that follow it in the buffer. */
export function decodeScene(head: SceneHead, buffer: ArrayBuffer, columns: number): Scene {
  const read = reader(buffer, columns);
  const marks = <K extends keyof typeof COLUMNS>(kind: K): Record<string, unknown> => {
    const { n, same }: MarksHead = head[kind];
    const all: Record<string, unknown> = { n };
    for (const [name, type] of COLUMNS[kind])
      all[name] = name in same ? filled(type, n, same[name]!) : read[type](n);
    return all;
  };
  const boxes = marks("boxes") as unknown as Boxes;
  const links = marks("links") as unknown as Links;
  const points = marks("points") as unknown as Points;
  const ribbons = marks("ribbons") as unknown as Ribbons;
  const outlines = marks("polygons") as unknown as Polygons;
  const corners = outlines.n > 0 ? outlines.end[outlines.n - 1]! : 0;
  const polygons: Polygons = { ...outlines, x: read.f32(corners), y: read.f32(corners) };
  const labels = { ...marks("labels"), text: head.words } as unknown as Labels;
  const areas = head.areas.map((a) => ({ ...a, y0: read.f32(a.n), y1: read.f32(a.n) }));
  const grids = head.grids.map((g) => decodeGrid(g, read));
  const { title, width, height, styles, texts, plots, legend, note } = head;
  return {
    title,
    width,
    height,
    styles,
    texts,
    plots,
    legend,
    note,
    boxes,
    links,
    points,
    ribbons,
    polygons,
    labels,
    areas,
    grids,
  };
}

function decodeGrid(g: GridHead, read: Reader): Grid {
  const n = g.nx * g.ny;
  const level = read.u8(n);
  const slots = g.fills ? read.u8(n) : null;
  const nodes = g.cells === "each" ? read.u32(n) : null;
  const rows = g.cells === "lines" ? read.u32(g.ny) : null;
  const columns = g.cells === "lines" ? read.u32(g.nx) : null;
  return { ...g, level, slots, nodes, rows, columns };
}

type Reader = ReturnType<typeof reader>;

function filled(
  type: keyof Reader,
  n: number,
  value: number,
): Float32Array | Uint32Array | Uint16Array | Uint8Array {
  switch (type) {
    case "f32":
      return new Float32Array(n).fill(value);
    case "u32":
      return new Uint32Array(n).fill(value);
    case "u16":
      return new Uint16Array(n).fill(value);
    case "u8":
      return new Uint8Array(n).fill(value);
  }
}

/** Walks the columns in order; each is padded to four bytes. Nothing is copied. */
function reader(buffer: ArrayBuffer, start: number) {
  let at = start;
  const take = (bytes: number): number => {
    const offset = at;
    at += (bytes + 3) & ~3;
    if (offset + bytes > buffer.byteLength) {
      throw new Error(`columns end at byte ${buffer.byteLength}, ${offset + bytes} were announced`);
    }
    return offset;
  };
  return {
    f32: (n: number) => new Float32Array(buffer, take(n * 4), n),
    u32: (n: number) => new Uint32Array(buffer, take(n * 4), n),
    u16: (n: number) => new Uint16Array(buffer, take(n * 2), n),
    u8: (n: number) => new Uint8Array(buffer, take(n), n),
  };
}

/** A scene without marks, for tests and for panes that wait. */
export function emptyScene(): Scene {
  const none: MarksHead = { n: 0, same: {} };
  const head: SceneHead = {
    title: "",
    width: 0,
    height: 0,
    styles: [],
    texts: [],
    plots: [],
    boxes: none,
    links: none,
    points: none,
    ribbons: none,
    polygons: none,
    labels: none,
    words: [],
    areas: [],
    grids: [],
    legend: [],
    note: null,
  };
  return decodeScene(head, new ArrayBuffer(0), 0);
}

/** What a mark stands for. */
export interface Stands {
  tree: number;
  node: number;
  to: number;
  role: number;
  style: number;
  fill: number;
  id: number;
}

/** What a mark stands for; of a grid's cell its node, and its column as the other end. */
export function standsFor(scene: Scene, { kind, index, cell }: Ref): Stands {
  if (kind === "areas" || kind === "grids") {
    const { tree, node, to, role, style, fill, id } = scene[kind][index]!;
    const whole = { tree, node, to, role, style, fill, id };
    if (kind === "areas" || cell === undefined) return whole;
    const g = scene.grids[index]!;
    if (g.nodes) return { ...whole, node: g.nodes[cell] ?? NONE };
    if (!g.rows || !g.columns) return whole;
    return { ...whole, node: g.rows[Math.floor(cell / g.nx)] ?? NONE, to: g.columns[cell % g.nx] ?? NONE };
  }
  const k: Keys = scene[kind];
  return {
    tree: k.tree[index]!,
    node: k.node[index]!,
    to: k.to[index]!,
    role: k.role[index]!,
    style: k.style[index]!,
    fill: k.fill[index]!,
    id: k.id[index]!,
  };
}
