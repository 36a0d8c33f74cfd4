// Which labels to draw and where: only those that fit into their room at the current zoom, none over another, none
// cut in the middle of a letter. Wishes in screen pixels go in, texts with positions come out; first come, first served.

import type { Align } from "../protocol/Align";

export interface Wish {
  text: string;
  /** Anchor and middle line of the text, in screen pixels. */
  x: number;
  y: number;
  /** Room in pixels. */
  room: number;
  align: Align;
  colour: string;
}

export interface Set extends Wish {
  left: number;
  width: number;
}

/** Fewer letters than this before an ellipsis say nothing. */
const LEAST_LETTERS = 4;

/** The text, a shorter form of it, or its beginning with an ellipsis, that fits; "" if too little would be left. */
export function fitting(text: string, room: number, measure: (t: string) => number): string {
  const width = measure(text);
  if (width <= room) return text;
  // "task sort.c:120 · 1.2 ms": first without what follows the dot, then without the kind.
  const head = text.split(" · ")[0]!;
  if (head !== text && measure(head) <= room) return head;
  const bare = head.replace(/^(task|section) /, "");
  if (bare !== head && measure(bare) <= room) return bare;
  const letters = Math.floor((text.length * (room - measure("…"))) / width);
  if (letters < LEAST_LETTERS) return "";
  for (let n = letters; n >= LEAST_LETTERS; n--) {
    const shorter = text.slice(0, n).trimEnd() + "…";
    if (measure(shorter) <= room) return shorter;
  }
  return "";
}

export function place(wishes: Wish[], lineHeight: number, measure: (t: string) => number): Set[] {
  const taken = new Map<number, [number, number][]>();
  const set: Set[] = [];
  for (const wish of wishes) {
    const text = fitting(wish.text, wish.room, measure);
    if (text === "") continue;
    const width = measure(text);
    const left = wish.align === "start" ? wish.x : wish.align === "end" ? wish.x - width : wish.x - width / 2;
    if (!claim(taken, left, left + width, wish.y - lineHeight / 2, wish.y + lineHeight / 2, lineHeight)) continue;
    set.push({ ...wish, text, left, width });
  }
  return set;
}

/** Takes a rectangle if nothing lies there yet. Rows of one line height keep the search short. */
function claim(
  taken: Map<number, [number, number][]>, left: number, right: number, top: number, bottom: number, row: number,
): boolean {
  const first = Math.floor(top / row);
  const last = Math.floor((bottom - 0.01) / row);
  for (let r = first; r <= last; r++) {
    for (const [a, b] of taken.get(r) ?? []) if (left < b && right > a) return false;
  }
  for (let r = first; r <= last; r++) {
    const list = taken.get(r);
    if (list) list.push([left, right]);
    else taken.set(r, [[left, right]]);
  }
  return true;
}

const widths = new Map<string, Map<string, number>>();

/** Measures with a memory: the same few thousand texts come back every frame. */
export function measurer(ctx: CanvasRenderingContext2D, font: string): (text: string) => number {
  let known = widths.get(font);
  if (!known) widths.set(font, (known = new Map()));
  const memory = known;
  return (text) => {
    let w = memory.get(text);
    if (w === undefined) {
      ctx.font = font;
      w = ctx.measureText(text).width;
      if (memory.size > 50_000) memory.clear();
      memory.set(text, w);
    }
    return w;
  };
}
