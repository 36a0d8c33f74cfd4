import { describe, expect, it } from "vitest";
import { decodeScene, splitMessage } from "./scene";
import type { SceneAnswer } from "./protocol/SceneAnswer";

/** Writes an answer the way docs/api.md describes it. */
function message(json: unknown, columns: ArrayBufferView[]): ArrayBuffer {
  let text = JSON.stringify(json);
  while ((4 + text.length) % 4 !== 0) text += " ";
  const padded = columns.map((c) => (c.byteLength + 3) & ~3);
  const buffer = new ArrayBuffer(4 + text.length + padded.reduce((a, b) => a + b, 0));
  new DataView(buffer).setUint32(0, text.length, true);
  const bytes = new Uint8Array(buffer);
  bytes.set(new TextEncoder().encode(text), 4);
  let at = 4 + text.length;
  columns.forEach((c, i) => {
    bytes.set(new Uint8Array(c.buffer, c.byteOffset, c.byteLength), at);
    at += padded[i]!;
  });
  return buffer;
}

const answer: SceneAnswer = {
  cut: "a", visible: 3, ms: 1.5, select: null, stopped: false,
  scene: {
    width: 10, height: 20, boxes: 3, links: 1, labels: [], legend: [], note: null, x_axis: null, y_axis: null,
    strips: [{ x: 0, y: 0, cell: 1, h: 2, row: 0, n: 5 }],
    areas: [{ name: "running", fill: 30, x: 0, cell: 1, n: 2 }],
  },
};
const f = (...v: number[]) => new Float32Array(v);
const u32 = (...v: number[]) => new Uint32Array(v);
const u8 = (...v: number[]) => new Uint8Array(v);
const columns = [
  f(1, 2, 3), f(4, 5, 6), f(7, 8, 9), f(10, 11, 12), u32(100, 101, 102), new Uint16Array([30, 31, 300]), u8(0, 5, 6), u8(1, 2, 3),
  f(0.5), f(1.5), f(2.5), f(3.5), u32(100), u32(101), u8(2), u8(2),
  u32(1, 2, 3, 4, 5), u8(255, 0, 1, 2, 3), u8(9, 8, 7, 6, 5), f(0, 0), f(1, 2),
];

describe("scene columns", () => {
  it("reads every column at its padded place", () => {
    const buffer = message({ id: 1, ok: answer }, columns);
    const { columns: at } = splitMessage(buffer);
    const scene = decodeScene(answer, buffer, at);
    expect([...scene.boxes.h]).toEqual([10, 11, 12]);
    expect([...scene.boxes.fill]).toEqual([30, 31, 300]);
    expect([...scene.boxes.flags]).toEqual([1, 2, 3]);
    expect([...scene.links.y1]).toEqual([3.5]);
    expect([...scene.links.kind]).toEqual([2]);
    expect([...scene.strips[0]!.fill]).toEqual([9, 8, 7, 6, 5]);
    expect([...scene.areas[0]!.y1]).toEqual([1, 2]);
  });
  it("refuses an answer that is shorter than it says", () => {
    const buffer = message({ id: 1, ok: answer }, columns.slice(0, -1));
    const { columns: at } = splitMessage(buffer);
    expect(() => decodeScene(answer, buffer, at)).toThrow(/announced/);
    expect(() => splitMessage(new Uint8Array([200, 0, 0, 0]).buffer)).toThrow(/says 200/);
  });
});
