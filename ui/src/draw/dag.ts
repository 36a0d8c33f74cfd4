// Draws a DAG picture on a canvas: envelopes, edges, boxes, mix bars, borders, labels. A picture (or a tween between
// two), a camera and the inks go in, pixels come out. Marks of one colour share one path; what is off the screen is
// skipped, what is too small to be seen is drawn without borders and texts.

import { FLAG, LINK, SHAPE, type Boxes, type Links, type Picture } from "../scene";
import type { Camera } from "../state";
import type { Size } from "./camera";
import type { Ink } from "./ink";
import { measurer, place, type Wish } from "./labels";
import { boxOf, marks } from "./marks";
import { traceFoot, traceInner, traceSheets, trace } from "./shapes";
import { between, ease, progress, resting, room, type Placed, type Strung, type Tween } from "./tween";

export interface DagFrame {
  picture: Picture;
  tween: Tween | null;
  now: number;
  camera: Camera;
  size: Size;
  ink: Ink;
  selected: number | null;
  hovered: number;
  labels: boolean;
}

/** Where the boxes of a frame are right now, for tweens that begin in the middle and for `nodeAt`. */
export function placedNow(picture: Picture, tween: Tween | null, now: number): Placed {
  if (!tween || tween.next !== picture) return resting(picture.boxes);
  const t = progress(tween, now);
  return t >= 1 ? resting(picture.boxes) : between(tween.from, resting(picture.boxes), t, room(picture.boxes.n));
}

export function drawDag(ctx: CanvasRenderingContext2D, frame: DagFrame): void {
  const { picture, camera, size, ink, now } = frame;
  const tween = frame.tween && progress(frame.tween, now) < 1 ? frame.tween : null;
  const t = tween ? progress(tween, now) : 1;
  const placed = placedNow(picture, tween, now);
  const view = { camera, size, ink };

  drawEnvelopes(ctx, view, picture.boxes, placed);
  if (tween) {
    const gone = goneBoxes(tween, t);
    ctx.globalAlpha = 1 - ease(t);
    drawEnvelopes(ctx, view, gone.boxes, gone.placed);
    drawLinks(ctx, view, tween.old.links, null, tween.faded, tween.shift);
    drawBoxes(ctx, view, gone.boxes, gone.placed);
    ctx.globalAlpha = 1;
    drawTweenedLinks(ctx, view, picture.links, tween, t);
  } else {
    drawLinks(ctx, view, picture.links, null, null, null);
  }
  drawBoxes(ctx, view, picture.boxes, placed);
  if (frame.labels) {
    ctx.globalAlpha = tween ? t * t : 1;
    drawLabels(ctx, view, picture, placed);
    ctx.globalAlpha = 1;
  }
  const selected = frame.selected === null ? -1 : boxOf(picture, frame.selected);
  if (frame.hovered >= 0 && frame.hovered < picture.boxes.n && frame.hovered !== selected) {
    outline(ctx, view, picture.boxes, placed, frame.hovered, ink.text, 1);
  }
  if (selected >= 0) outline(ctx, view, picture.boxes, placed, selected, ink.accent, 2);
}

interface View {
  camera: Camera;
  size: Size;
  ink: Ink;
}

/** Screen rectangles of the boxes that are on the screen; reused between frames. */
let scratch = room(0);
function onScreen({ camera, size }: View, placed: Placed, n: number, each: (i: number) => void): Placed {
  if (scratch.x.length < n) scratch = room(Math.ceil(n * 1.5));
  const { k } = camera;
  const ox = size.w / 2 - camera.x * k;
  const oy = size.h / 2 - camera.y * k;
  for (let i = 0; i < n; i++) {
    const x = placed.x[i]! * k + ox;
    const y = placed.y[i]! * k + oy;
    const w = placed.w[i]! * k;
    const h = placed.h[i]! * k;
    if (x > size.w + 8 || y > size.h + 8 || x + w < -8 || y + h < -8) continue;
    scratch.x[i] = x;
    scratch.y[i] = y;
    scratch.w[i] = w < 0.75 ? 0.75 : w;
    scratch.h[i] = h < 0.75 ? 0.75 : h;
    each(i);
  }
  return scratch;
}

function drawEnvelopes(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed): void {
  const { ink } = view;
  const seen: number[] = [];
  const s = onScreen(view, placed, boxes.n, (i) => {
    if (boxes.shape[i] === SHAPE.envelope) seen.push(i);
  });
  const alpha = ctx.globalAlpha;
  for (const i of seen) {
    // Clipped to just outside of the screen: a border of a million pixels would be slow to stroke.
    const [x0, y0] = [Math.max(-16, s.x[i]!), Math.max(-16, s.y[i]!)];
    const w = Math.min(view.size.w + 16, s.x[i]! + s.w[i]!) - x0;
    const h = Math.min(view.size.h + 16, s.y[i]! + s.h[i]!) - y0;
    ctx.beginPath();
    trace(ctx, SHAPE.envelope, x0, y0, w, h);
    ctx.globalAlpha = alpha * 0.45;
    ctx.fillStyle = ink.slots[boxes.fill[i]!] ?? ink.grid;
    ctx.fill();
    if (w < 4 || h < 4) continue;
    ctx.globalAlpha = alpha;
    ctx.strokeStyle = ink.line;
    ctx.lineWidth = 1;
    ctx.stroke();
  }
  ctx.globalAlpha = alpha;
}

function drawBoxes(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed): void {
  const { ink } = view;
  const fills = new Map<number, number[]>();
  const parts = new Map<number, number[]>();
  const seen: number[] = [];
  const sheets: number[] = [];
  const s = onScreen(view, placed, boxes.n, (i) => {
    const shape = boxes.shape[i]!;
    if (shape === SHAPE.envelope) return;
    const part = (boxes.flags[i]! & FLAG.part) !== 0;
    if (!part) seen.push(i);
    if (shape === SHAPE.repeat && !part) sheets.push(i);
    const bucket = part ? parts : fills;
    const list = bucket.get(boxes.fill[i]!);
    if (list) list.push(i);
    else bucket.set(boxes.fill[i]!, [i]);
  });
  if (sheets.length > 0 && view.camera.k > 0.25) {
    for (const i of sheets) {
      ctx.beginPath();
      traceSheets(ctx, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
      ctx.fillStyle = ink.surface;
      ctx.fill();
      ctx.strokeStyle = ink.edge;
      ctx.lineWidth = 1;
      ctx.stroke();
    }
  }
  for (const bucket of [fills, parts]) {
    for (const [fill, list] of bucket) {
      const own = bucket === fills;
      // Closed tasks and sections are tinted, so that their texts can be read and their mix bars stand out.
      drawFilled(ctx, boxes, s, own ? list.filter((i) => holds(boxes, i)) : [], ink.tints[fill] ?? ink.raised, ink.borders[fill] ?? ink.edge);
      drawFilled(ctx, boxes, s, own ? list.filter((i) => !holds(boxes, i)) : list, ink.slots[fill] ?? ink.muted, own ? (ink.borders[fill] ?? ink.edge) : null);
    }
  }
  drawBorders(ctx, view, boxes, s, seen);
}

const holds = (boxes: Boxes, i: number): boolean => boxes.shape[i] === SHAPE.section || boxes.shape[i] === SHAPE.task;

/** Marks of one colour in two paths: all filled; those large enough also with a border and, if something is inside, a second one. */
function drawFilled(ctx: CanvasRenderingContext2D, boxes: Boxes, s: Placed, list: number[], fill: string, border: string | null): void {
  if (list.length === 0) return;
  ctx.fillStyle = fill;
  ctx.beginPath();
  for (const i of list) trace(ctx, border === null ? SHAPE.plain : boxes.shape[i]!, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
  ctx.fill();
  if (border === null) return;
  ctx.beginPath();
  for (const i of list) {
    if (s.w[i]! < 4 || s.h[i]! < 4 || boxes.flags[i]! & (FLAG.merged | FLAG.critical)) continue;
    trace(ctx, boxes.shape[i]!, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
  }
  ctx.strokeStyle = border;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.beginPath();
  for (const i of list) if (boxes.flags[i]! & FLAG.closed) traceInner(ctx, boxes.shape[i]!, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
  ctx.globalAlpha *= 0.6;
  ctx.stroke();
  ctx.globalAlpha /= 0.6;
}

/** Borders that do not depend on the fill: dashed for merged, dotted inside for what the recorder collapsed, a foot, red for critical. */
function drawBorders(ctx: CanvasRenderingContext2D, { ink }: View, boxes: Boxes, s: Placed, seen: number[]): void {
  const visible = seen.filter((i) => s.w[i]! >= 3 && s.h[i]! >= 3);
  const draw = (colour: string, width: number, dash: number[], which: (i: number) => boolean, path: (i: number) => void) => {
    ctx.beginPath();
    let any = false;
    for (const i of visible) {
      if (!which(i)) continue;
      any = true;
      path(i);
    }
    if (!any) return;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  const at = (f: typeof trace) => (i: number) => f(ctx, boxes.shape[i]!, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
  const is = (flag: number) => (i: number) => (boxes.flags[i]! & flag) !== 0;
  draw(ink.edge, 1, [4, 2], (i) => is(FLAG.merged)(i) && !is(FLAG.critical)(i), at(trace));
  draw(ink.edge, 1, [1, 2], (i) => holds(boxes, i) && is(FLAG.collapsed)(i), at(traceInner));
  draw(ink.edge, 2, [], (i) => boxes.shape[i] === SHAPE.end && s.w[i]! >= 6, (i) => traceFoot(ctx, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!));
  draw(ink.problem, 2, [], is(FLAG.critical), at(trace));
  // A critical mark too small for a border is still red.
  ctx.fillStyle = ink.problem;
  for (const i of seen) if (is(FLAG.critical)(i) && (s.w[i]! < 3 || s.h[i]! < 3)) ctx.fillRect(s.x[i]!, s.y[i]!, Math.max(1, s.w[i]!), Math.max(1, s.h[i]!));
}

const STYLE: { kind: number; width: number; alpha: number; dash: number[] }[] = [
  { kind: LINK.sync, width: 1, alpha: 0.6, dash: [3, 2] },
  { kind: LINK.create, width: 1, alpha: 0.8, dash: [] },
  { kind: LINK.continue, width: 1, alpha: 0.8, dash: [] },
  { kind: LINK.depend, width: 1, alpha: 0.9, dash: [1, 3] },
];

function drawLinks(
  ctx: CanvasRenderingContext2D, view: View, links: Links, strung: Strung | null, only: Int32Array | null, shift: { x: number; y: number } | null,
): void {
  const { camera, size, ink } = view;
  const { k } = camera;
  const ends = strung ?? links;
  const ox = size.w / 2 - (camera.x - (shift?.x ?? 0)) * k;
  const oy = size.h / 2 - (camera.y - (shift?.y ?? 0)) * k;
  const count = only ? only.length : links.n;
  const critical: number[] = [];
  const base = ctx.globalAlpha;
  const line = (i: number): void => {
    const x0 = ends.x0[i]! * k + ox;
    const y0 = ends.y0[i]! * k + oy;
    const x1 = ends.x1[i]! * k + ox;
    const y1 = ends.y1[i]! * k + oy;
    if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > size.w || Math.max(y0, y1) < 0 || Math.min(y0, y1) > size.h) return;
    if (Math.abs(x1 - x0) + Math.abs(y1 - y0) < 1) return;
    // Strokes are upright or level; on whole pixels they are sharp.
    const sharp = Math.abs(x1 - x0) < 0.01 || Math.abs(y1 - y0) < 0.01;
    const snap = sharp ? (v: number) => Math.round(v) + 0.5 : (v: number) => v;
    ctx.moveTo(snap(x0), snap(y0));
    ctx.lineTo(snap(x1), snap(y1));
  };
  for (const style of STYLE) {
    ctx.beginPath();
    for (let j = 0; j < count; j++) {
      const i = only ? only[j]! : j;
      if (links.kind[i] !== style.kind) continue;
      if (links.flags[i]! & FLAG.critical) critical.push(i);
      else line(i);
    }
    ctx.strokeStyle = ink.edge;
    // Far out, thin lines in full strength would add up to a grey smear.
    ctx.globalAlpha = base * style.alpha * Math.min(1, 0.35 + k);
    ctx.lineWidth = k < 0.3 ? 0.75 : style.width;
    ctx.setLineDash(k > 0.4 ? style.dash : []);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = base;
  if (critical.length === 0) return;
  ctx.beginPath();
  for (const i of critical) line(i);
  ctx.strokeStyle = ink.problem;
  ctx.lineWidth = k < 0.3 ? 1.5 : 2.5;
  ctx.stroke();
}

function drawTweenedLinks(ctx: CanvasRenderingContext2D, view: View, links: Links, tween: Tween, t: number): void {
  const e = ease(t);
  const stay: number[] = [];
  const come: number[] = [];
  const now: Strung = {
    x0: new Float32Array(links.n), y0: new Float32Array(links.n), x1: new Float32Array(links.n), y1: new Float32Array(links.n),
  };
  for (let i = 0; i < links.n; i++) {
    (Number.isNaN(tween.strung.x0[i]!) ? come : stay).push(i);
    for (const c of ["x0", "y0", "x1", "y1"] as const) now[c][i] = tween.strung[c][i]! + (links[c][i]! - tween.strung[c][i]!) * e;
  }
  drawLinks(ctx, view, links, now, Int32Array.from(stay), null);
  ctx.globalAlpha = t * t;
  drawLinks(ctx, view, links, null, Int32Array.from(come), null);
  ctx.globalAlpha = 1;
}

/** The vanishing boxes as a small scene of their own. */
function goneBoxes(tween: Tween, t: number): { boxes: Boxes; placed: Placed } {
  const { gone, old } = tween;
  const pick = <A extends Uint32Array | Uint16Array | Uint8Array>(from: A, to: A): A => {
    gone.forEach((i, j) => (to[j] = from[i]!));
    return to;
  };
  const placed = between(tween.goneFrom, tween.goneTo, t, room(gone.length));
  const boxes: Boxes = {
    n: gone.length, ...placed,
    node: pick(old.boxes.node, new Uint32Array(gone.length)),
    fill: pick(old.boxes.fill, new Uint16Array(gone.length)),
    shape: pick(old.boxes.shape, new Uint8Array(gone.length)),
    flags: pick(old.boxes.flags, new Uint8Array(gone.length)),
  };
  return { boxes, placed };
}

function drawLabels(ctx: CanvasRenderingContext2D, view: View, picture: Picture, placed: Placed): void {
  const { camera, size, ink } = view;
  const { k } = camera;
  if (k < 0.25) return;
  const pixels = k >= 1.6 ? 13 : k < 0.8 ? 10 : 11;
  const font = `${pixels}px ${ink.font}`;
  const m = marks(picture);
  const b = picture.boxes;
  const wishes: Wish[] = [];
  picture.head.labels.forEach((label, j) => {
    const owner = m.labelOwner[j]!;
    const dx = owner < 0 ? 0 : placed.x[owner]! - b.x[owner]! + (placed.w[owner]! - b.w[owner]!) / 2;
    const dy = owner < 0 ? 0 : placed.y[owner]! - b.y[owner]! + (placed.h[owner]! - b.h[owner]!) / 2;
    const x = (label.x + dx - camera.x) * k + size.w / 2;
    const middle = (label.y + dy - 4 - camera.y) * k + size.h / 2;
    const space = label.w * k;
    if (middle < 0 || middle > size.h || x + space < 0 || x - space > size.w || space < 16) return;
    const inside = owner >= 0 && b.shape[owner] !== SHAPE.envelope;
    if (inside && b.h[owner]! * k < pixels + 2) return;
    const fill = owner >= 0 ? b.fill[owner]! : 0;
    wishes.push({ text: label.text, x, y: middle, room: space, align: label.align, colour: !inside ? ink.muted : holds(b, owner) ? ink.text : (ink.onSlot[fill] ?? ink.text) });
  });
  const set = place(wishes, pixels + 1, measurer(ctx, font));
  ctx.font = font;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const label of set) {
    ctx.fillStyle = label.colour;
    ctx.fillText(label.text, label.left, label.y + 0.5);
  }
}

function outline(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed, i: number, colour: string, width: number): void {
  const { camera, size } = view;
  const { k } = camera;
  const gap = 2;
  const x = (placed.x[i]! - camera.x) * k + size.w / 2 - gap;
  const y = (placed.y[i]! - camera.y) * k + size.h / 2 - gap;
  const w = Math.max(2, placed.w[i]! * k) + 2 * gap;
  const h = Math.max(2, placed.h[i]! * k) + 2 * gap;
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, boxes.shape[i] === SHAPE.task || boxes.shape[i] === SHAPE.repeat ? 8 : 3);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
}
