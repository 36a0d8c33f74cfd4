// The whole graph in a corner, with a frame around what is on the screen. The picture is drawn once per scene into an
// image; only the frame moves. A picture and a size go in, an image and the mapping come out.

import { FLAG, SHAPE, type Picture } from "../scene";
import type { Ink } from "./ink";

export interface Minimap {
  image: HTMLCanvasElement;
  /** Scene units to minimap pixels. */
  k: number;
  w: number;
  h: number;
}

export function minimapSize(scene: { width: number; height: number }, most: { w: number; h: number }): { w: number; h: number; k: number } {
  const k = Math.min(most.w / Math.max(1, scene.width), most.h / Math.max(1, scene.height));
  return { k, w: Math.max(12, Math.round(scene.width * k)), h: Math.max(12, Math.round(scene.height * k)) };
}

export function drawMinimap(picture: Picture, ink: Ink, most: { w: number; h: number }): Minimap {
  const { w, h, k } = minimapSize(picture.head, most);
  const ratio = window.devicePixelRatio || 1;
  const image = document.createElement("canvas");
  image.width = Math.round(w * ratio);
  image.height = Math.round(h * ratio);
  const ctx = image.getContext("2d")!;
  ctx.scale(ratio, ratio);
  const b = picture.boxes;
  for (const critical of [false, true]) {
    for (let i = 0; i < b.n; i++) {
      const red = (b.flags[i]! & (FLAG.critical | FLAG.problem)) !== 0;
      if (red !== critical || b.shape[i] === SHAPE.envelope) continue;
      const plain = b.shape[i] === SHAPE.group ? ink.line : b.flags[i]! & FLAG.dimmed ? ink.dims[b.fill[i]!] : ink.slots[b.fill[i]!];
      ctx.fillStyle = red ? ink.problem : (plain ?? ink.muted);
      ctx.fillRect(b.x[i]! * k, b.y[i]! * k, Math.max(1, b.w[i]! * k), Math.max(1, b.h[i]! * k));
    }
  }
  return { image, k, w, h };
}
