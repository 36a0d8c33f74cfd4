// A decoded Scene: the head that came as JSON joined with its columns as typed arrays over the answer's buffer.
// Bytes of an answer go in (layout: docs/api.md), typed arrays that the drawing code walks come out. Nothing is copied.

import type { AreaHead } from "./protocol/AreaHead";
import type { SceneAnswer } from "./protocol/SceneAnswer";
import type { SceneHead } from "./protocol/SceneHead";
import type { StripHead } from "./protocol/StripHead";

/** What a box stands for; the numbers of `Shape` in crates/view/src/scene.rs. */
export const SHAPE = { create: 0, wait: 1, other: 2, end: 3, section: 4, task: 5, envelope: 6, repeat: 7, plain: 8, fork: 9, chunk: 10, grain: 11, group: 12, forkNode: 13, joinNode: 14 } as const;

/** Names of the shapes, for tooltips before the server has answered. */
export const SHAPE_NAMES = ["create", "wait", "other", "end", "section", "task", "open", "alike", "interval", "fork", "chunk", "grain", "group", "fork", "join"] as const;

/** Bits of a box's flags; the constants of `flag` in crates/view/src/scene.rs. */
export const FLAG = { closed: 1, critical: 2, collapsed: 4, mixed: 8, merged: 16, part: 32, problem: 64, dimmed: 128 } as const;

/** Kinds of links; the numbers of `LinkKind`. */
export const LINK = { create: 0, continue: 1, sync: 2, depend: 3 } as const;

/** A strip's cell that stands for no node. */
export const NO_NODE = 0xffffffff;

export interface Boxes {
  n: number;
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
  node: Uint32Array;
  fill: Uint16Array;
  shape: Uint8Array;
  flags: Uint8Array;
}

export interface Links {
  n: number;
  x0: Float32Array;
  y0: Float32Array;
  x1: Float32Array;
  y1: Float32Array;
  from: Uint32Array;
  to: Uint32Array;
  kind: Uint8Array;
  flags: Uint8Array;
}

export interface Strip extends StripHead {
  node: Uint32Array;
  full: Uint8Array;
  fill: Uint8Array;
}

export interface Area extends AreaHead {
  y0: Float32Array;
  y1: Float32Array;
}

export interface Scene {
  head: SceneHead;
  boxes: Boxes;
  links: Links;
  strips: Strip[];
  areas: Area[];
}

/** A scene with what the answer said about it. */
export interface Picture extends Scene {
  cut: string;
  visible: number;
  serverMs: number;
  /** Where the action led, if it led anywhere. */
  select: number | null;
  /** The action would have opened more than there is room for. */
  stopped: boolean;
}

/** How many grains have a box of their own, and how many boxes stand for the others. */
export function grainsIn(boxes: Boxes): { grains: number; closed: number } {
  let [grains, closed] = [0, 0];
  for (let i = 0; i < boxes.n; i++) {
    const [shape, flags] = [boxes.shape[i]!, boxes.flags[i]!];
    if (flags & FLAG.part || shape === SHAPE.envelope || shape === SHAPE.forkNode || shape === SHAPE.joinNode) continue;
    if (shape === SHAPE.grain && !(flags & FLAG.merged)) grains++;
    else closed++;
  }
  return { grains, closed };
}

/** The two parts of a binary message: the JSON and the offset at which columns begin. */
export function splitMessage(buffer: ArrayBuffer): { json: unknown; columns: number } {
  if (buffer.byteLength < 4) throw new Error(`answer of ${buffer.byteLength} bytes is too short`);
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw new Error(`answer says ${length} bytes of JSON, has ${buffer.byteLength - 4}`);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  return { json: JSON.parse(text), columns: 4 + length };
}

/** Joins a scene's head with the columns that follow it in the buffer. */
export function decodeScene(answer: SceneAnswer, buffer: ArrayBuffer, columns: number): Picture {
  const read = reader(buffer, columns);
  const head = answer.scene;
  const nb = head.boxes;
  const nl = head.links;
  const boxes: Boxes = {
    n: nb, x: read.f32(nb), y: read.f32(nb), w: read.f32(nb), h: read.f32(nb),
    node: read.u32(nb), fill: read.u16(nb), shape: read.u8(nb), flags: read.u8(nb),
  };
  const links: Links = {
    n: nl, x0: read.f32(nl), y0: read.f32(nl), x1: read.f32(nl), y1: read.f32(nl),
    from: read.u32(nl), to: read.u32(nl), kind: read.u8(nl), flags: read.u8(nl),
  };
  const strips = head.strips.map((s) => ({ ...s, node: read.u32(s.n), full: read.u8(s.n), fill: read.u8(s.n) }));
  const areas = head.areas.map((a) => ({ ...a, y0: read.f32(a.n), y1: read.f32(a.n) }));
  return { head, boxes, links, strips, areas, cut: answer.cut, visible: answer.visible, serverMs: answer.ms, select: answer.select ?? null, stopped: answer.stopped };
}

/** Walks the columns in order; each is padded to four bytes. */
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
