// Which labels to draw and where: only those that fit into their room at the current zoom, none over another, none
// cut in the middle of a letter. Wishes in screen pixels go in, texts with positions come out; first come, first served.

import { short } from "../format";
import type { Align } from "../protocol/Align";
import type { Plate } from "../protocol/Plate";

export interface Wish {
  text: string;
  /** Anchor and middle line of the text, in screen pixels. */
  x: number;
  y: number;
  /** Room in pixels. */
  room: number;
  align: Align;
  colour: string;
  /** What to say instead, the longest that fits; the text itself when none does. */
  forms?: string[];
  /** The box it belongs to. */
  owner?: number;
  /** What is behind it. */
  plate?: Plate;
}

export interface Set extends Wish {
  left: number;
  width: number;
}

/** Fewer letters than this, or less than this share of the text, say nothing before an ellipsis. */
const LEAST_LETTERS = 4;
const LEAST_SHARE = 0.6;

/** The text, a shorter form of it, or its beginning with an ellipsis, that fits; "" if too little would be left. */
export function fitting(text: string, room: number, measure: (t: string) => number): string {
  const width = measure(text);
  if (width <= room) return text;
  // "kind sort.c:120 · 1.2 ms": first without what follows the dot, then without the kind.
  const head = text.split(" · ")[0]!;
  if (head !== text && measure(head) <= room) return head;
  // "× 28 others": how many there are is what must stay.
  const times = /^× ([\d\u2009]+)/.exec(text);
  if (times)
    return (
      [times[0], "×" + short(Number(times[1]!.replace(/\u2009/g, "")))].find((t) => measure(t) <= room) ?? ""
    );
  const bare = head.replace(/^[a-z-]+ (?=\S+:\d+$)/, "");
  if (bare !== head && measure(bare) <= room) return bare;
  // What differs between source positions is the line: "…ort.c:30" says more than "sort.c…".
  const line = /^…?([^\s:]+)(:\d+)$/.exec(bare);
  if (line) {
    for (let n = Math.min(line[1]!.length - 1, 12); n >= 1; n--) {
      const tail = "…" + line[1]!.slice(-n).replace(/^[.…]+/, "") + line[2]!;
      if (measure(tail) <= room) return tail;
    }
    return "";
  }
  // What the server has shortened already would only say less, and a number without its unit something else.
  if (text.includes("…") || /^\d/.test(text)) return "";
  const letters = Math.floor((text.length * (room - measure("…"))) / width);
  const least = Math.max(LEAST_LETTERS, Math.ceil(bare.length * LEAST_SHARE));
  for (let n = Math.min(letters, bare.length - 1); n >= least; n--) {
    const shorter = bare.slice(0, n).trimEnd() + "…";
    if (measure(shorter) <= room) return shorter;
  }
  return "";
}

/** What a mark that stands for many says in a single line; its name and "96 things · 5 ms" go in, the longest form first. */
export function inOneLine(name: string, holds: string): string[] {
  const count = holds.split(" · ")[0]!;
  // The name of a fold is its count; that of a group is told by its colour, too.
  return name.startsWith("×")
    ? [`${name} · ${holds}`, `${name} · ${count}`]
    : [`${name} · ${holds}`, `${name} · ${count}`, holds, count];
}

export function place(wishes: Wish[], lineHeight: number, measure: (t: string) => number): Set[] {
  const taken = new Map<number, Taken[]>();
  const set: Set[] = [];
  for (const wish of wishes) {
    const text =
      wish.forms?.find((form) => measure(form) <= wish.room) ?? fitting(wish.text, wish.room, measure);
    if (text === "") continue;
    const width = measure(text);
    const left = wish.align === "start" ? wish.x : wish.align === "end" ? wish.x - width : wish.x - width / 2;
    if (
      !claim(
        taken,
        { left, right: left + width, top: wish.y - lineHeight / 2, bottom: wish.y + lineHeight / 2 },
        lineHeight,
      )
    )
      continue;
    set.push({ ...wish, text, left, width });
  }
  return set;
}

interface Taken {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Takes a rectangle if nothing lies there yet. Rows of one line height keep the search short. */
function claim(taken: Map<number, Taken[]>, r: Taken, row: number): boolean {
  const first = Math.floor(r.top / row);
  const last = Math.floor(r.bottom / row);
  for (let i = first; i <= last; i++) {
    for (const t of taken.get(i) ?? [])
      if (r.left < t.right && r.right > t.left && r.top < t.bottom && r.bottom > t.top) return false;
  }
  for (let i = first; i <= last; i++) {
    const list = taken.get(i);
    if (list) list.push(r);
    else taken.set(i, [r]);
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
