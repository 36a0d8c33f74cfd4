// The whole graph in a corner, with a frame around what is on the screen. The picture is drawn once per scene into an
// image; only the frame moves. A scene and a size go in, an image and the mapping come out.

import { SLOT } from "../protocol/constants";
import type { Style } from "../protocol/Style";
import type { Scene } from "../scene";
import type { Ink } from "./ink";
import { styleOf } from "./marks";

export interface Minimap {
  image: HTMLCanvasElement;
  /** Scene units to minimap pixels. */
  k: number;
  w: number;
  h: number;
}

export function minimapSize(
  scene: { width: number; height: number },
  most: { w: number; h: number },
): { w: number; h: number; k: number } {
  const k = Math.min(most.w / Math.max(1, scene.width), most.h / Math.max(1, scene.height));
  return { k, w: Math.max(12, Math.round(scene.width * k)), h: Math.max(12, Math.round(scene.height * k)) };
}

export function drawMinimap(scene: Scene, ink: Ink, most: { w: number; h: number }): Minimap {
  const { w, h, k } = minimapSize(scene, most);
  const ratio = window.devicePixelRatio || 1;
  const image = document.createElement("canvas");
  image.width = Math.round(w * ratio);
  image.height = Math.round(h * ratio);
  const ctx = image.getContext("2d")!;
  ctx.scale(ratio, ratio);
  const b = scene.boxes;
  // A strong border tells more than a fill, and lies above what has none.
  const strong = scene.styles.map(
    (style) => style.stroke >= 0 && style.width >= 1.5 && style.stroke !== SLOT.edge,
  );
  for (const above of [false, true]) {
    for (let i = 0; i < b.n; i++) {
      const style = styleOf(scene, b.style[i]!);
      if (strong[b.style[i]!] !== above || style.shape === "envelope" || style.live) continue;
      ctx.fillStyle = above ? ink.slots[style.stroke]! : plain(ink, style, b.fill[i]!);
      ctx.fillRect(b.x[i]! * k, b.y[i]! * k, Math.max(1, b.w[i]! * k), Math.max(1, b.h[i]! * k));
    }
  }
  return { image, k, w, h };
}

function plain(ink: Ink, style: Style, slot: number): string {
  if (style.fill === "surface" || style.fill === "none") return ink.line;
  return (style.fill === "faint" ? ink.dims[slot] : ink.slots[slot]) ?? ink.muted;
}
