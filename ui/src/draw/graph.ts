// Draws a graph on a canvas: envelopes, edges, boxes, mix bars, borders, labels. A picture (or a tween between two),
// a camera and the inks go in, pixels come out; marks that only grains have are in grain.ts. Marks of one colour share one path; what is off the screen is
// skipped, what is too small to be seen is drawn without borders and texts.

import { FLAG, LINK, SHAPE, type Boxes, type Links, type Picture } from "../scene";
import type { Camera } from "../state";
import type { Size } from "./camera";
import type { Ink } from "./ink";
import { inOneLine, measurer, place, type Set as LabelSet, type Wish } from "./labels";
import { drawGroups, drawJoints, drawRims, drawShut, isJoint, spine } from "./grain";
import { boxOf, marks, severities } from "./marks";
import { SHAPE_FROM, trace, traceFoot, traceInner, traceSheets } from "./shapes";
import { between, ease, progress, resting, room, type Placed, type Strung, type Tween } from "./tween";

export interface GraphFrame {
  picture: Picture;
  tween: Tween | null;
  now: number;
  camera: Camera;
  size: Size;
  ink: Ink;
  selected: number | null;
  /** Ancestors of the selection from the root: when it is folded away, the nearest one on the screen stands in. */
  ancestors: number[];
  hovered: number;
  /** Groups are judged by a lens, and open ones have a title to close them by. */
  grains: { lens: boolean } | null;
}

/** Where the boxes of a frame are right now, for tweens that begin in the middle and for `nodeAt`. */
export function placedNow(picture: Picture, tween: Tween | null, now: number): Placed {
  if (!tween || tween.next !== picture) return resting(picture.boxes);
  const t = progress(tween, now);
  return t >= 1 ? resting(picture.boxes) : between(tween.from, resting(picture.boxes), t, room(picture.boxes.n));
}

export function drawGraph(ctx: CanvasRenderingContext2D, frame: GraphFrame): void {
  const { picture, camera, size, ink, now } = frame;
  const tween = frame.tween && progress(frame.tween, now) < 1 ? frame.tween : null;
  const t = tween ? progress(tween, now) : 1;
  const placed = placedNow(picture, tween, now);
  const view: View = { camera, size, ink, grains: frame.grains, hovered: frame.hovered };

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
  ctx.globalAlpha = tween ? t * t : 1;
  drawLabels(ctx, view, picture, placed);
  ctx.globalAlpha = 1;
  const selected = frame.selected === null ? -1 : boxOf(picture, frame.selected);
  if (frame.hovered >= 0 && frame.hovered < picture.boxes.n && frame.hovered !== selected) {
    outline(ctx, view, picture.boxes, placed, frame.hovered, ink.text, 1);
  }
  if (selected >= 0) return outline(ctx, view, picture.boxes, placed, selected, ink.accent, 2);
  const standIn = frame.selected === null ? undefined : frame.ancestors.map((node) => boxOf(picture, node)).filter((i) => i >= 0).at(-1);
  if (standIn === undefined) return;
  ctx.setLineDash([5, 4]);
  outline(ctx, view, picture.boxes, placed, standIn, ink.accent, 2);
  ctx.setLineDash([]);
}

interface View {
  camera: Camera;
  size: Size;
  ink: Ink;
  grains: { lens: boolean } | null;
  hovered: number;
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

/** Envelopes smaller than this are a plain outline. */
const PLAIN_BELOW = 40;

function drawEnvelopes(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed): void {
  const { ink } = view;
  const seen: number[] = [];
  const s = onScreen(view, placed, boxes.n, (i) => {
    if (boxes.shape[i] === SHAPE.envelope) seen.push(i);
  });
  const alpha = ctx.globalAlpha;
  ctx.lineWidth = 1;
  for (const i of seen) {
    // Clipped to just outside of the screen: a border of a million pixels would be slow to stroke.
    const [x0, y0] = [Math.max(-16, s.x[i]!), Math.max(-16, s.y[i]!)];
    const w = Math.min(view.size.w + 16, s.x[i]! + s.w[i]!) - x0;
    const h = Math.min(view.size.h + 16, s.y[i]! + s.h[i]!) - y0;
    ctx.fillStyle = ink.slots[boxes.fill[i]!] ?? ink.grid;
    ctx.strokeStyle = ink.line;
    if (w < PLAIN_BELOW || h < PLAIN_BELOW) {
      // Thousands of these at a far zoom: no round corners, no blending.
      if (w >= 4 && h >= 4) ctx.strokeRect(x0, y0, w, h);
      continue;
    }
    ctx.beginPath();
    trace(ctx, SHAPE.envelope, x0, y0, w, h);
    ctx.globalAlpha = alpha * 0.45;
    ctx.fill();
    ctx.globalAlpha = alpha;
    ctx.stroke();
    if (view.grains && view.camera.k > 0.5 && w > 72 && s.y[i]! > -8) drawShut(ctx, ink, x0 + w, y0, view.camera.k, view.hovered === i);
  }
  ctx.globalAlpha = alpha;
}

function drawBoxes(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed): void {
  const { ink } = view;
  const fills = new Map<number, number[]>();
  const parts = new Map<number, number[]>();
  const seen: number[] = [];
  const sheets: number[] = [];
  const groups: number[] = [];
  const joints: number[] = [];
  const dimmed = new Map<number, number[]>();
  const area = view.camera.k ** 2;
  const s = onScreen(view, placed, boxes.n, (i) => {
    const shape = boxes.shape[i]!;
    if (shape === SHAPE.envelope) return;
    const part = (boxes.flags[i]! & FLAG.part) !== 0;
    // Less than half a pixel of ink: nobody sees it, and thousands of them take time.
    if (part && placed.w[i]! * placed.h[i]! * area < 0.5) return;
    if (isJoint(shape)) return void joints.push(i);
    if (shape === SHAPE.group && !part) return void groups.push(i);
    if (!part) seen.push(i);
    if (!part && (shape === SHAPE.repeat || (shape === SHAPE.grain && boxes.flags[i]! & FLAG.merged))) sheets.push(i);
    const bucket = part ? parts : boxes.flags[i]! & FLAG.dimmed ? dimmed : fills;
    const list = bucket.get(boxes.fill[i]!);
    if (list) list.push(i);
    else bucket.set(boxes.fill[i]!, [i]);
  });
  if (sheets.length > 0 && view.camera.k > 0.25) {
    for (const i of sheets) {
      ctx.beginPath();
      traceSheets(ctx, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!, view.camera.k);
      ctx.fillStyle = ink.surface;
      ctx.fill();
      ctx.strokeStyle = ink.edge;
      ctx.lineWidth = 1;
      ctx.stroke();
    }
  }
  const look = { ink, lens: view.grains?.lens === true, k: view.camera.k };
  drawJoints(ctx, ink, boxes, s, joints);
  drawGroups(ctx, look, boxes, s, groups);
  for (const [fill, list] of dimmed) drawFilled(ctx, boxes, s, list, ink.dims[fill] ?? ink.raised, ink.line);
  for (const bucket of [fills, parts]) {
    for (const [fill, list] of bucket) {
      const own = bucket === fills;
      // Closed tasks and sections are tinted, so that their texts can be read and their mix bars stand out.
      drawFilled(ctx, boxes, s, own ? list.filter((i) => holds(boxes, i)) : [], ink.tints[fill] ?? ink.raised, ink.borders[fill] ?? ink.edge);
      drawFilled(ctx, boxes, s, own ? list.filter((i) => !holds(boxes, i)) : list, ink.slots[fill] ?? ink.muted, own ? (ink.borders[fill] ?? ink.edge) : null);
    }
  }
  drawBorders(ctx, view, boxes, s, seen);
  drawRims(ctx, ink, s, seen.filter((i) => boxes.flags[i]! & FLAG.problem), severities(boxes));
}

/** Below this many pixels a border would hide the fill. */
const BORDER_FROM = 5;
/** More dashed strokes than this on the screen are drawn solid: dashing is what takes longest. */
const DASHED = 400;

const holds = (boxes: Boxes, i: number): boolean => boxes.shape[i] === SHAPE.section || boxes.shape[i] === SHAPE.task;

/** Marks of one colour: filled, those large enough with a border, those that hold something with a second one. */
function drawFilled(ctx: CanvasRenderingContext2D, boxes: Boxes, s: Placed, list: number[], fill: string, border: string | null): void {
  if (list.length === 0) return;
  ctx.fillStyle = fill;
  ctx.strokeStyle = border ?? fill;
  ctx.lineWidth = 1;
  const inner: number[] = [];
  // One small path or rectangle after the other: much faster to rasterise than one long path over the whole screen.
  for (const i of list) {
    const [x, y, w, h] = [s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!];
    const bordered = border !== null && w >= BORDER_FROM && h >= BORDER_FROM && !(boxes.flags[i]! & (FLAG.merged | FLAG.critical));
    if (border === null || w < SHAPE_FROM || h < SHAPE_FROM || isRect(boxes.shape[i]!)) {
      ctx.fillRect(x, y, w, h);
      if (bordered) ctx.strokeRect(x, y, w, h);
    } else {
      ctx.beginPath();
      trace(ctx, boxes.shape[i]!, x, y, w, h);
      ctx.fill();
      if (bordered) ctx.stroke();
    }
    if (border !== null && boxes.flags[i]! & FLAG.closed) inner.push(i);
  }
  if (inner.length === 0) return;
  ctx.globalAlpha *= 0.6;
  for (const i of inner) {
    ctx.beginPath();
    traceInner(ctx, boxes.shape[i]!, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
    ctx.stroke();
  }
  ctx.globalAlpha /= 0.6;
}

const isRect = (shape: number): boolean => shape === SHAPE.section || shape === SHAPE.other || shape === SHAPE.end || shape === SHAPE.plain || shape === SHAPE.grain;

/** Borders that do not depend on the fill: dashed for merged, dotted inside for what the recorder collapsed, a foot, red for critical. */
function drawBorders(ctx: CanvasRenderingContext2D, { ink, grains }: View, boxes: Boxes, s: Placed, seen: number[]): void {
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
  if (grains?.lens) {
    // Red rims belong to the lens's problem.
    for (const i of visible) if (is(FLAG.critical)(i)) spine(ctx, ink, s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!);
  } else draw(ink.problem, 2, [], is(FLAG.critical), at(trace));
  // A critical mark too small for a border is still red.
  ctx.fillStyle = ink.problem;
  for (const i of seen) if (is(FLAG.critical)(i) && (s.w[i]! < 3 || s.h[i]! < 3)) ctx.fillRect(s.x[i]!, s.y[i]!, Math.max(1, s.w[i]!), Math.max(1, s.h[i]!));
}

const STYLE: { kind: number; width: number; alpha: number; dash: number[] }[] = [
  { kind: LINK.sync, width: 1, alpha: 0.6, dash: [3, 2] },
  { kind: LINK.create, width: 1, alpha: 0.8, dash: [] },
  { kind: LINK.continue, width: 1, alpha: 0.8, dash: [] },
  { kind: LINK.depend, width: 2, alpha: 1, dash: [] },
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
  /** Width of solid strokes; 0 while dashes are collected in a path. */
  let solid = 0;
  const line = (i: number): void => {
    const x0 = ends.x0[i]! * k + ox;
    const y0 = ends.y0[i]! * k + oy;
    const x1 = ends.x1[i]! * k + ox;
    const y1 = ends.y1[i]! * k + oy;
    if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > size.w || Math.max(y0, y1) < 0 || Math.min(y0, y1) > size.h) return;
    if (Math.abs(x1 - x0) + Math.abs(y1 - y0) < (k < 0.2 ? 1.5 : 1)) return;
    // Strokes are upright or level. As rectangles on whole pixels they are sharp, and fast.
    const level = Math.abs(y1 - y0) < 0.01;
    if (solid > 0 && (level || Math.abs(x1 - x0) < 0.01)) {
      const [left, top] = [Math.round(Math.min(x0, x1) - (level ? 0 : solid / 2)), Math.round(Math.min(y0, y1) - (level ? solid / 2 : 0))];
      ctx.fillRect(left, top, level ? Math.abs(x1 - x0) + solid : solid, level ? solid : Math.abs(y1 - y0) + solid);
      return;
    }
    const snap = solid > 0 ? (v: number) => v : (v: number) => Math.round(v) + 0.5;
    ctx.moveTo(snap(x0), snap(y0));
    ctx.lineTo(snap(x1), snap(y1));
  };
  /** Dependences point at what needs the other, so that they are not taken for a fork or a join. */
  const arrow = (i: number): void => {
    const [x1, y1] = [ends.x1[i]! * k + ox, ends.y1[i]! * k + oy];
    const [dx, dy] = [x1 - ends.x0[i]! * k - ox, y1 - ends.y0[i]! * k - oy];
    const length = Math.hypot(dx, dy);
    const head = Math.min(HEAD * k, length);
    if (head < 2) return;
    const [ux, uy] = [(dx / length) * head, (dy / length) * head];
    const tip = new Path2D();
    tip.moveTo(x1, y1);
    tip.lineTo(x1 - ux - uy / 2, y1 - uy + ux / 2);
    tip.lineTo(x1 - ux + uy / 2, y1 - uy - ux / 2);
    tip.closePath();
    ctx.fill(tip);
  };
  const onScreenCount = countOnScreen(ends, ox, oy, k, size, only, links.n);
  for (const style of STYLE) {
    const dash = k > 0.4 && onScreenCount < DASHED ? style.dash : [];
    // One after the other in a linear group, against what forks and joins.
    const width = view.grains && style.kind === LINK.continue && k > 0.4 ? 2 : style.width;
    solid = dash.length > 0 ? 0 : width;
    ctx.strokeStyle = ctx.fillStyle = ink.edge;
    // Far out, thin lines in full strength would add up to a grey smear.
    ctx.globalAlpha = base * style.alpha * Math.min(1, 0.35 + k);
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.beginPath();
    for (let j = 0; j < count; j++) {
      const i = only ? only[j]! : j;
      if (links.kind[i] !== style.kind) continue;
      if (links.flags[i]! & FLAG.critical) critical.push(i);
      else {
        line(i);
        if (style.kind === LINK.depend) arrow(i);
      }
    }
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = base;
  if (critical.length === 0) return;
  solid = k < 0.3 ? 1.5 : 2.5;
  ctx.beginPath();
  ctx.strokeStyle = ctx.fillStyle = ink.problem;
  ctx.lineWidth = solid;
  for (const i of critical) {
    line(i);
    if (links.kind[i] === LINK.depend) arrow(i);
  }
  ctx.stroke();
}

/** Length of an arrowhead in scene units. */
const HEAD = 8;

function countOnScreen(ends: Strung, ox: number, oy: number, k: number, size: Size, only: Int32Array | null, n: number): number {
  let seen = 0;
  for (let j = 0; j < (only ? only.length : n); j++) {
    const i = only ? only[j]! : j;
    const [x, y] = [ends.x0[i]! * k + ox, ends.y0[i]! * k + oy];
    if (x >= 0 && x <= size.w && y >= 0 && y <= size.h) seen++;
  }
  return seen;
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

/** Marks whose texts stand on the surface or on a tint of it. */
const plainBack = (boxes: Boxes, i: number): boolean => holds(boxes, i) || boxes.shape[i] === SHAPE.group || isJoint(boxes.shape[i]!);

/** Closed groups and folds. */
const standsForMany = (boxes: Boxes, i: number): boolean => boxes.shape[i] === SHAPE.group || boxes.shape[i] === SHAPE.repeat || (boxes.flags[i]! & FLAG.merged) !== 0;

/** Between the border of a box and its first line. */
const PAD = 3;

/** Labels keep this far from the pane's border. */
const EDGE = 6;

function drawLabels(ctx: CanvasRenderingContext2D, view: View, picture: Picture, placed: Placed): void {
  const { k } = view.camera;
  const named = new Set<number>();
  if (k >= 0.25) for (const label of setLabels(ctx, view, picture, placed)) named.add(label.owner ?? -1);
  drawDots(ctx, view, picture.boxes, placed, named);
}

/** What stands for several and has no room for a word shows three dots: a fold is never an empty box. */
function drawDots(ctx: CanvasRenderingContext2D, view: View, boxes: Boxes, placed: Placed, named: Set<number>): void {
  ctx.fillStyle = view.ink.muted;
  const folds: number[] = [];
  const s = onScreen(view, placed, boxes.n, (i) => {
    if (boxes.flags[i]! & FLAG.merged && !(boxes.flags[i]! & FLAG.part) && boxes.shape[i] !== SHAPE.envelope && !named.has(i)) folds.push(i);
  });
  for (const i of folds) {
    const [x, y, w, h] = [s.x[i]! + s.w[i]! / 2, s.y[i]! + s.h[i]! / 2, s.w[i]!, s.h[i]!];
    const dot = Math.min(2.5, w / 6, h / 3);
    if (dot < 0.8) continue;
    for (const by of [-2, 0, 2]) ctx.fillRect(x + (by - 0.5) * dot, y - dot / 2, dot, dot);
  }
}

function setLabels(ctx: CanvasRenderingContext2D, view: View, picture: Picture, placed: Placed): LabelSet[] {
  const { camera, size, ink } = view;
  const { k } = camera;
  const pixels = k >= 1.6 ? 13 : k < 0.65 && view.grains ? 9.5 : k < 0.8 ? 10 : 11;
  // Far out, lines of a box stand closer, so that more boxes can say what is in them.
  const [lead, pad] = k < 0.65 && view.grains ? [0.5, 1] : [1, PAD];
  const font = `${pixels}px ${ink.font}`;
  const m = marks(picture);
  const b = picture.boxes;
  const wishes: Wish[] = [];
  // Where the next line of each box may stand: lines keep their distance when the box shrinks.
  const below = new Map<number, number>();
  picture.head.labels.forEach((label, j) => {
    const owner = m.labelOwner[j]!;
    // The canvas draws these signs itself.
    if (owner >= 0 && b.shape[owner] === SHAPE.group && (label.text === "!" || label.text === "✓")) return;
    const dx = owner < 0 ? 0 : placed.x[owner]! - b.x[owner]! + (placed.w[owner]! - b.w[owner]!) / 2;
    const dy = owner < 0 ? 0 : placed.y[owner]! - b.y[owner]! + (placed.h[owner]! - b.h[owner]!) / 2;
    const half = pixels / 2 + lead;
    let forms: string[] | undefined;
    let x = (label.x + dx - camera.x) * k + size.w / 2;
    let middle = (label.y + dy - 4 - camera.y) * k + size.h / 2;
    // Zoomed out, the title of an open group reaches down to the mark on its axis: not so far to the right then.
    const crowd = view.grains && owner >= 0 && b.shape[owner] === SHAPE.envelope && k < 0.9 ? 44 : 0;
    let space = (label.w - crowd) * k;
    if (x > size.w || x + space < 0 || middle > size.h + 40 || middle < -40) return;
    const inside = owner >= 0 && b.shape[owner] !== SHAPE.envelope;
    if (inside) {
      // The text keeps its size while the box shrinks: it stays between the box's borders or goes.
      const top = (placed.y[owner]! - camera.y) * k + size.h / 2;
      const many = standsForMany(b, owner);
      middle = Math.max(middle, top + half + (many ? pad : PAD), below.get(owner) ?? -Infinity);
      // The foot of a group is the bar of how much of it has the problem.
      const foot = view.grains?.lens && b.shape[owner] === SHAPE.group ? 7 * k : 0;
      const bottom = top + placed.h[owner]! * k - foot;
      const second = view.grains ? m.secondLine[j]! : -1;
      const step = pixels + 2 * lead;
      if (second >= 0 && many) {
        middle = Math.min(middle, Math.max(top + half + pad, bottom - half - step));
        if (middle + step + half > bottom) forms = inOneLine(label.text, picture.head.labels[second]!.text);
      }
      if (middle + half > bottom) return;
      below.set(owner, middle + step);
    }
    // A box that begins left of the screen keeps its name in sight.
    if (label.align === "start" && x < EDGE) {
      space -= EDGE - x;
      x = EDGE;
    }
    if (label.align === "start") space = Math.min(space, size.w - EDGE - x);
    if (space < 16 || middle < half || middle > size.h - half) return;
    const fill = owner >= 0 ? b.fill[owner]! : 0;
    wishes.push({ text: label.text, forms, owner, x, y: middle, room: space, align: label.align, colour: !inside || b.flags[owner]! & FLAG.dimmed ? ink.muted : plainBack(b, owner) ? ink.text : (ink.onSlot[fill] ?? ink.text) });
  });
  const set = place(wishes, pixels + 1, measurer(ctx, font));
  ctx.font = font;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const label of set) {
    ctx.fillStyle = label.colour;
    ctx.fillText(label.text, label.left, label.y + 0.5);
  }
  return set;
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
  ctx.roundRect(x, y, w, h, boxes.shape[i] === SHAPE.task || boxes.shape[i] === SHAPE.repeat || boxes.shape[i] === SHAPE.group ? 8 : 3);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
}
