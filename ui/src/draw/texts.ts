// Texts of a plot: those of boxes stay inside of what can be seen of them, keep their size while boxes shrink, are
// shortened or left out, and never stand over each other. A scene, where its boxes are now and a view go in.

import { TEXT_INK } from "../protocol/constants";
import type { TextStyle } from "../protocol/TextStyle";
import type { Scene } from "../scene";
import { inOneLine, measurer, place, type Set as Placement, type Wish } from "./labels";
import { marks, styleOf } from "./marks";
import type { View } from "./paint";
import { isHatch } from "./paint";
import type { Placed } from "./tween";

/** Below this zoom no text can be read. */
const READ_FROM = 0.25;
/** Between the border of a box and its first line. */
const PAD = 3;
/** Texts of boxes keep this far from the border of what can be seen. */
const EDGE = 6;
/** Less room than this says nothing. */
const LEAST = 16;

interface Font {
  pixels: number;
  bold: boolean;
}

/** Texts of a graph shrink a little as it is zoomed out, and grow as it is zoomed in. */
function sizeAt(size: number, k: number): number {
  const share = k >= 1.6 ? 13 / 11 : k < 0.65 ? 9.5 / 11 : k < 0.8 ? 10 / 11 : 1;
  return size * share;
}

/** Draws the labels from…to; says which boxes got a word. */
export function drawLabels(
  ctx: CanvasRenderingContext2D,
  view: View,
  scene: Scene,
  placed: Placed,
  range: readonly [number, number],
  beside: boolean,
): Set<number> {
  const named = new Set<number>();
  if (view.k < READ_FROM) return named;
  // Texts of one size are set together: they must not stand over each other.
  const fonts = new Map<string, { font: Font; wishes: Wish[] }>();
  const wish = new Wishes(view, scene, placed, beside);
  for (let j = range[0]; j < range[1]; j++) {
    const style = scene.texts[scene.labels.style[j]!]!;
    if (style.turned) {
      drawTurned(ctx, view, scene, j, style);
      continue;
    }
    const made = wish.of(j, style);
    if (!made) continue;
    const key = `${made.font.pixels}${made.font.bold}`;
    const group = fonts.get(key);
    if (group) group.wishes.push(made.wish);
    else fonts.set(key, { font: made.font, wishes: [made.wish] });
  }
  for (const { font, wishes } of fonts.values()) {
    const name = fontOf(font, view.ink.font);
    const set = place(wishes, font.pixels + 1, measurer(ctx, name));
    ctx.font = name;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const label of set) {
      if (label.plate !== "none") drawPlate(ctx, view, label, font.pixels);
      ctx.fillStyle = label.colour;
      ctx.fillText(label.text, label.left, label.y + 0.5);
      named.add(label.owner ?? -1);
    }
  }
  return named;
}

const fontOf = ({ pixels, bold }: Font, family: string): string =>
  `${bold ? "600 " : ""}${pixels}px ${family}`;

function drawPlate(ctx: CanvasRenderingContext2D, { ink }: View, label: Placement, pixels: number): void {
  if (label.plate === "halo") {
    ctx.strokeStyle = ink.surface;
    ctx.lineWidth = 3;
    ctx.lineJoin = "round";
    ctx.strokeText(label.text, label.left, label.y + 0.5);
    return;
  }
  ctx.beginPath();
  ctx.roundRect(label.left - 4, label.y - pixels / 2 - 3, label.width + 8, pixels + 6, 2);
  ctx.fillStyle = ink.surface;
  ctx.fill();
  if (label.plate !== "frame") return;
  ctx.strokeStyle = label.colour;
  ctx.lineWidth = 1;
  ctx.stroke();
}

/** Upright, read from below; only where it fits. */
function drawTurned(
  ctx: CanvasRenderingContext2D,
  view: View,
  scene: Scene,
  j: number,
  style: TextStyle,
): void {
  const { m, ink, seen } = view;
  const l = scene.labels;
  const [x, y] = [l.x[j]! * m.ax + m.bx, l.y[j]! * m.ay + m.by];
  if (x < seen.x || x > seen.x + seen.w || y < seen.y - l.w[j]! || y > seen.y + seen.h + l.w[j]!) return;
  ctx.font = fontOf({ pixels: style.size, bold: style.bold }, ink.font);
  if (measurer(ctx, ctx.font)(l.text[j]!) > l.w[j]! * m.ay) return;
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(-Math.PI / 2);
  ctx.textAlign = style.align === "start" ? "left" : style.align === "end" ? "right" : "center";
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = ink.slots[style.ink] ?? ink.text;
  ctx.fillText(l.text[j]!, 0, 0);
  ctx.restore();
}

/** Where each label would like to stand. */
class Wishes {
  private index;
  /** Where the next line of each box may stand: lines keep their distance when the box shrinks. */
  private below = new Map<number, number>();

  constructor(
    private view: View,
    private scene: Scene,
    private placed: Placed,
    private beside: boolean,
  ) {
    this.index = marks(scene);
  }

  of(j: number, style: TextStyle): { font: Font; wish: Wish } | null {
    const { m, k, seen } = this.view;
    const { labels: l, boxes: b } = this.scene;
    const owner = this.index.labelOwner[j]!;
    const font: Font = { pixels: k === 1 ? style.size : sizeAt(style.size, k), bold: style.bold };
    const moved = owner < 0 ? { x: 0, y: 0 } : this.moved(owner);
    let x = (l.x[j]! + moved.x) * m.ax + m.bx;
    let y = (l.y[j]! + moved.y - 4 * (style.size / 11)) * m.ay + m.by;
    let room = l.w[j]! * m.ax;
    const base = {
      text: l.text[j]!,
      align: style.align,
      plate: style.plate,
      owner: owner < 0 ? undefined : owner,
    };
    const colour = this.colour(owner, style);
    if (owner < 0 || this.scene.texts[l.style[j]!]!.align === "end") {
      const at = this.beside ? this.besidePlot(j, x, y) : { x, y };
      if (at === null || at.x < seen.x - 400 || at.x > seen.x + seen.w + 400) return null;
      if (!this.beside && (at.y < seen.y || at.y > seen.y + seen.h)) return null;
      return {
        font,
        wish: { ...base, x: at.x, y: at.y, room: this.beside ? Math.max(room, l.w[j]!) : room, colour },
      };
    }
    const envelope = styleOf(this.scene, b.style[owner]!).shape === "envelope";
    // Zoomed out, the title of an open group reaches down to the mark on its axis: not so far to the right then.
    if (envelope && k < 0.9 && this.index.next[owner]! >= 0) room -= 44 * k;
    if (x > seen.x + seen.w || x + room < seen.x || y > seen.y + seen.h + 40 || y < seen.y - 40) return null;
    let forms: string[] | undefined;
    if (!envelope) {
      const inside = this.inside(j, owner, y, font.pixels);
      if (inside === null) return null;
      ({ y, forms } = inside);
    }
    // A box that begins left of what can be seen keeps its name in sight.
    if (style.align === "start" && x < seen.x + EDGE) {
      room -= seen.x + EDGE - x;
      x = seen.x + EDGE;
    }
    if (style.align === "start") room = Math.min(room, seen.x + seen.w - EDGE - x);
    const half = font.pixels / 2 + 0.5;
    if (room < LEAST || y < seen.y + half || y > seen.y + seen.h - half) return null;
    return { font, wish: { ...base, forms, x, y, room, colour } };
  }

  /** How far a box is from where it will rest. */
  private moved(owner: number): { x: number; y: number } {
    const {
      placed: p,
      scene: { boxes: b },
    } = this;
    return {
      x: p.x[owner]! - b.x[owner]! + (p.w[owner]! - b.w[owner]!) / 2,
      y: p.y[owner]! - b.y[owner]! + (p.h[owner]! - b.h[owner]!) / 2,
    };
  }

  /** A text beside a plot stays beside it: it moves with the plot in the other direction only. */
  private besidePlot(j: number, x: number, y: number): { x: number; y: number } | null {
    const { labels: l } = this.scene;
    const { rect } = this.scene.plots[this.plotOf(j)]!;
    const outX = l.x[j]! < rect.x || l.x[j]! > rect.x + rect.w;
    const outY = l.y[j]! < rect.y || l.y[j]! - 4 > rect.y + rect.h + 8;
    const at = { x: outX ? l.x[j]! : x, y: outY ? l.y[j]! - 4 : y };
    const inRows = at.y >= rect.y && at.y <= rect.y + rect.h;
    return outY || inRows ? at : null;
  }

  private plotOf(j: number): number {
    return Math.max(
      0,
      this.scene.plots.findIndex(({ marks: m }) => j >= m.labels[0] && j < m.labels[1]),
    );
  }

  /** The text keeps its size while the box shrinks: it stays between the box's borders or goes. */
  private inside(
    j: number,
    owner: number,
    wanted: number,
    pixels: number,
  ): { y: number; forms?: string[] } | null {
    const { m, k } = this.view;
    const { placed: p, index } = this;
    const style = styleOf(this.scene, this.scene.boxes.style[owner]!);
    const many = style.press === "open" || style.press === "spread";
    // Far out, lines of a box stand closer, so that more boxes can say what is in them.
    const [lead, pad] = k < 0.65 && many ? [0.5, 1] : [1, PAD];
    const half = pixels / 2 + lead;
    const top = p.y[owner]! * m.ay + m.by;
    const bottom = top + p.h[owner]! * m.ay - index.foot[owner]! * k;
    const step = pixels + 2 * lead;
    let y = Math.max(wanted, top + half + pad, this.below.get(owner) ?? -Infinity);
    let forms: string[] | undefined;
    const second = index.secondLine[j]!;
    if (second >= 0 && many) {
      y = Math.min(y, Math.max(top + half + pad, bottom - half - step));
      if (y + step + half > bottom)
        forms = inOneLine(this.scene.labels.text[j]!, this.scene.labels.text[second]!);
    }
    if (y + half > bottom) return null;
    this.below.set(owner, y + step);
    return { y, forms };
  }

  private colour(owner: number, style: TextStyle): string {
    const { ink } = this.view;
    if (style.ink !== TEXT_INK.on) return ink.slots[style.ink] ?? ink.text;
    if (owner < 0) return ink.text;
    const own = styleOf(this.scene, this.scene.boxes.style[owner]!);
    if (own.shape === "envelope" || own.fill === "faint") return ink.muted;
    if (own.fill !== "solid" || isHatch(own.fill)) return ink.text;
    return ink.onSlot[this.scene.boxes.fill[owner]!] ?? ink.text;
  }
}

/** What stands for several and has no room for a word shows three dots: a fold is never an empty box. */
export function drawDots(
  ctx: CanvasRenderingContext2D,
  view: View,
  scene: Scene,
  placed: Placed,
  range: readonly [number, number],
  named: Set<number>,
): void {
  const { m, seen, ink } = view;
  const several = scene.styles.map(
    (s) => !s.moves && s.shape !== "envelope" && (s.sheets > 0 || s.press === "spread"),
  );
  if (!several.includes(true)) return;
  ctx.fillStyle = ink.muted;
  for (let i = range[0]; i < range[1]; i++) {
    if (!several[scene.boxes.style[i]!] || named.has(i)) continue;
    const [w, h] = [placed.w[i]! * m.ax, placed.h[i]! * m.ay];
    const [x, y] = [placed.x[i]! * m.ax + m.bx + w / 2, placed.y[i]! * m.ay + m.by + h / 2];
    if (x < seen.x - 8 || y < seen.y - 8 || x > seen.x + seen.w + 8 || y > seen.y + seen.h + 8) continue;
    const dot = Math.min(2.5, w / 6, h / 3);
    if (dot < 0.8) continue;
    for (const by of [-2, 0, 2]) ctx.fillRect(x + (by - 0.5) * dot, y - dot / 2, dot, dot);
  }
}
