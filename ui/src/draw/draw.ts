// Draws a scene on a canvas: every plot with its axes, marks and texts, and what belongs to none. A frame goes in (the
// scene, or the way from another to it, a mapping for each plot, the inks, what is lit), pixels come out.

import type { Plot } from "../protocol/Plot";
import type { Grid, Ref, Scene } from "../scene";
import { drawAxes, drawFolds } from "./axes";
import { drawBoxes, drawPoints } from "./boxes";
import type { Size } from "./camera";
import { drawArea, drawGrid } from "./cells";
import type { Ink } from "./ink";
import { drawLinks, drawPolygons, drawRibbons } from "./lines";
import { STILL, zoomOf, type Mapping } from "./mapping";
import { marks, rectOf, styleOf, type Rect } from "./marks";
import { lookOf, type View } from "./paint";
import { orderOf, type Batch } from "./prepare";
import { drawDots, drawLabels } from "./texts";
import {
  between,
  ease,
  onTheWay,
  placedNow,
  progress,
  resting,
  room,
  type Placed,
  type Tween,
} from "./tween";

/** What stands out. */
export interface Lit {
  /** What is selected. */
  selected: Ref[];
  /** What the selection means here. */
  lit: Ref[];
  /** What stands in for a selection that is folded away. */
  standIn: Ref[];
  /** Everything else is drawn pale. */
  faint: boolean;
}

export const NOTHING_LIT: Lit = { selected: [], lit: [], standIn: [], faint: false };

export interface Frame {
  scene: Scene;
  /** The way from the scene before. */
  tween: Tween | null;
  now: number;
  /** A mapping for each plot; null: as the scene has it. */
  cameras: readonly (Mapping | null)[];
  size: Size;
  ink: Ink;
  lit: Lit;
  hovered: Ref | null;
}

/** What is not lit, where everything else is pale. */
const FAINT = 0.22;

export function drawScene(ctx: CanvasRenderingContext2D, frame: Frame): void {
  const { scene, now, lit } = frame;
  const running =
    frame.tween && frame.tween.next === scene && progress(frame.tween, now) < 1 ? frame.tween : null;
  const t = running ? progress(running, now) : 1;
  const placed = running ? placedNow(scene, running, now) : resting(scene.boxes);
  const order = orderOf(scene);
  const moment: Moment = { frame, tween: running, t, placed };
  const all: Rect = { x: 0, y: 0, w: frame.size.w, h: frame.size.h };
  const loose: View = { m: STILL, k: 1, seen: all, ink: frame.ink };
  if (lit.faint) ctx.globalAlpha = FAINT;
  drawBatches(ctx, loose, moment, order.behind);
  scene.plots.forEach((plot, i) => {
    const view = viewOf(frame, plot, i);
    // A plot in which nothing is lit stays as it is.
    const strong = lit.faint ? [...lit.lit, ...lit.selected].filter((ref) => isIn(plot, ref)) : [];
    ctx.globalAlpha = 1;
    drawAxes(ctx, plot, view.m, frame.ink);
    if (strong.length > 0) ctx.globalAlpha = FAINT;
    clipped(ctx, plot, view.seen, () => {
      if (running) drawGone(ctx, view, moment, i);
      drawBatches(ctx, view, moment, order.plots[i]!);
      if (strong.length > 0) {
        ctx.globalAlpha = 1;
        drawRefs(ctx, view, moment, strong);
      }
    });
    ctx.globalAlpha = 1;
    drawFolds(ctx, plot, view.m, frame.ink);
  });
  if (lit.faint) ctx.globalAlpha = FAINT;
  drawBatches(ctx, loose, moment, order.above);
  ctx.globalAlpha = running ? t * t : 1;
  drawTexts(ctx, moment, loose);
  ctx.globalAlpha = 1;
  drawOutlines(ctx, moment);
}

interface Moment {
  frame: Frame;
  tween: Tween | null;
  t: number;
  placed: Placed;
}

/** A graph fills the pane; other plots show what lies in their rectangle. */
function viewOf({ cameras, size, ink }: Frame, plot: Plot, i: number): View {
  const m = cameras[i] ?? STILL;
  const { x, y, w, h } = plot.rect;
  const seen = plot.camera === "xy" ? { x: 0, y: 0, w: size.w, h: size.h } : { x, y, w, h };
  return { m, k: zoomOf(plot, m), seen, ink };
}

function clipped(ctx: CanvasRenderingContext2D, plot: Plot, seen: Rect, draw: () => void): void {
  if (plot.camera === "xy") return draw();
  ctx.save();
  ctx.beginPath();
  ctx.rect(seen.x, seen.y, seen.w, seen.h);
  ctx.clip();
  draw();
  ctx.restore();
}

const isIn = (plot: Plot, { kind, index }: Ref): boolean =>
  index >= plot.marks[kind][0] && index < plot.marks[kind][1];

function drawBatches(ctx: CanvasRenderingContext2D, view: View, moment: Moment, batches: Batch[]): void {
  const base = ctx.globalAlpha;
  for (const batch of batches) {
    drawBatch(ctx, view, moment, batch, batch.list);
    ctx.globalAlpha = base;
  }
}

/** Draws some marks of a batch, on their way if there is one. */
function drawBatch(
  ctx: CanvasRenderingContext2D,
  view: View,
  { frame, tween, t, placed }: Moment,
  batch: Batch,
  list: Int32Array,
): void {
  const { scene } = frame;
  const look = lookOf(ctx, view, batch.style, batch.fill);
  const alpha = ctx.globalAlpha;
  /** Marks that stay move; new ones come up. */
  const moving = <K extends "links" | "points" | "ribbons">(
    kind: K,
    draw: (m: Scene[K], some: ArrayLike<number>) => void,
  ): void => {
    if (!tween) return draw(scene[kind], list);
    const { now, stays } = onWay(tween, kind, t);
    draw(
      now as Scene[K],
      list.filter((i) => stays[i] === 1),
    );
    ctx.globalAlpha = alpha * t * t;
    draw(
      scene[kind],
      list.filter((i) => stays[i] !== 1),
    );
  };
  switch (batch.kind) {
    case "boxes":
      return drawBoxes(ctx, view, look, placed, list);
    case "links":
      return moving("links", (m, some) => drawLinks(ctx, view, look, m, some));
    case "points":
      return moving("points", (m, some) => drawPoints(ctx, view, look, m, some));
    case "ribbons":
      return moving("ribbons", (m, some) => drawRibbons(ctx, view, look, m, some));
    case "polygons":
      return drawPolygons(ctx, view, look, scene.polygons, list);
    case "areas":
      return list.forEach((i) => drawArea(ctx, view, look, scene.areas[i]!));
    case "grids":
      return list.forEach((i) => drawGrid(ctx, view, look, scene.grids[i]!));
  }
}

/** Columns on their way at one moment, kept for the batches of one frame. */
const ways = new WeakMap<Tween, { t: number; known: Map<string, { now: unknown; stays: Uint8Array }> }>();

function onWay(
  tween: Tween,
  kind: "links" | "points" | "ribbons",
  t: number,
): { now: unknown; stays: Uint8Array } {
  let at = ways.get(tween);
  if (!at || at.t !== t) ways.set(tween, (at = { t, known: new Map() }));
  let made = at.known.get(kind);
  if (!made) {
    const { now, stay } = onTheWay(tween.next[kind], kind, tween[kind], t);
    const stays = new Uint8Array(tween.next[kind].n);
    stay.forEach((i) => (stays[i] = 1));
    at.known.set(kind, (made = { now, stays }));
  }
  return made;
}

/** What vanishes: boxes shrink, lines fade. Only for scenes whose plots are the same ones. */
function drawGone(
  ctx: CanvasRenderingContext2D,
  view: View,
  { tween, t, frame }: Moment,
  plot: number,
): void {
  const way = tween!;
  const old = way.old;
  if (old.plots.length !== frame.scene.plots.length) return;
  const base = ctx.globalAlpha;
  ctx.globalAlpha = base * (1 - ease(t));
  const back: View = {
    ...view,
    m: { ...view.m, bx: view.m.bx + way.shift.x * view.m.ax, by: view.m.by + way.shift.y * view.m.ay },
  };
  const gone = goneBoxes(way, t);
  const vanish = new Set(way.gone);
  const faded = {
    links: new Set(way.links.faded),
    points: new Set(way.points.faded),
    ribbons: new Set(way.ribbons.faded),
  };
  for (const batch of orderOf(old).plots[plot] ?? []) {
    const look = lookOf(ctx, view, batch.style, batch.fill);
    const alpha = ctx.globalAlpha;
    if (batch.kind === "boxes")
      drawBoxes(
        ctx,
        view,
        look,
        gone,
        batch.list.filter((i) => vanish.has(i)),
      );
    if (batch.kind === "links")
      drawLinks(
        ctx,
        back,
        look,
        old.links,
        batch.list.filter((i) => faded.links.has(i)),
      );
    if (batch.kind === "points")
      drawPoints(
        ctx,
        back,
        look,
        old.points,
        batch.list.filter((i) => faded.points.has(i)),
      );
    if (batch.kind === "ribbons")
      drawRibbons(
        ctx,
        back,
        look,
        old.ribbons,
        batch.list.filter((i) => faded.ribbons.has(i)),
      );
    ctx.globalAlpha = alpha;
  }
  ctx.globalAlpha = base;
}

/** The vanishing boxes where they are now, in the places of the old scene. */
function goneBoxes({ gone, goneFrom, goneTo, old }: Tween, t: number): Placed {
  const now = between(goneFrom, goneTo, t, room(gone.length));
  const all = room(old.boxes.n);
  gone.forEach((i, j) => {
    for (const c of ["x", "y", "w", "h"] as const) all[c][i] = now[c][j]!;
  });
  return all;
}

function drawRefs(ctx: CanvasRenderingContext2D, view: View, moment: Moment, refs: Ref[]): void {
  const { scene, lit } = moment.frame;
  for (const [index, cells] of cellsIn(refs)) {
    const grid = scene.grids[index]!;
    drawGrid(ctx, view, lookOf(ctx, view, styleOf(scene, grid.style), grid.fill), only(lit, grid, cells));
  }
  for (const { kind, index, cell } of refs) {
    if (kind === "grids" && cell !== undefined) continue;
    const { style, fill } =
      kind === "areas"
        ? scene.areas[index]!
        : kind === "grids"
          ? scene.grids[index]!
          : { style: scene[kind].style[index]!, fill: scene[kind].fill[index]! };
    const own = styleOf(scene, style);
    drawBatch(
      ctx,
      view,
      moment,
      { kind, rank: own.rank, style: own, fill, list: new Int32Array(0) },
      Int32Array.of(index),
    );
  }
}

/** Cells by the grid that they are of: those of one grid are drawn at once. */
function cellsIn(refs: Ref[]): Map<number, number[]> {
  const byGrid = new Map<number, number[]>();
  for (const { kind, index, cell } of refs) {
    if (kind !== "grids" || cell === undefined) continue;
    const list = byGrid.get(index);
    if (list) list.push(cell);
    else byGrid.set(index, [cell]);
  }
  return byGrid;
}

/** Grids with some of their cells, kept as long as these are lit: a grid in colours is an image. */
const parts = new WeakMap<Lit, Map<Grid, Grid>>();

function only(lit: Lit, grid: Grid, cells: number[]): Grid {
  let known = parts.get(lit);
  if (!known) parts.set(lit, (known = new Map()));
  let part = known.get(grid);
  if (!part) {
    const level = new Uint8Array(grid.level.length);
    for (const cell of cells) level[cell] = grid.level[cell]!;
    known.set(grid, (part = { ...grid, level }));
  }
  return part;
}

function drawTexts(ctx: CanvasRenderingContext2D, { frame, placed }: Moment, loose: View): void {
  const { scene } = frame;
  let from = 0;
  const inPlots = scene.plots.map((plot) => plot.marks.labels);
  scene.plots.forEach((plot, i) => {
    const view = viewOf(frame, plot, i);
    const named = drawLabels(ctx, view, scene, placed, plot.marks.labels, plot.camera !== "xy");
    drawDots(ctx, view, scene, placed, plot.marks.boxes, named);
  });
  for (const [begin, end] of [...inPlots].sort((a, b) => a[0] - b[0])) {
    if (begin > from) drawLabels(ctx, loose, scene, placed, [from, begin], false);
    from = Math.max(from, end);
  }
  if (from < scene.labels.n) drawLabels(ctx, loose, scene, placed, [from, scene.labels.n], false);
}

function drawOutlines(ctx: CanvasRenderingContext2D, moment: Moment): void {
  const { lit, hovered, ink } = moment.frame;
  const same = (a: Ref, b: Ref): boolean => a.kind === b.kind && a.index === b.index && a.cell === b.cell;
  // Where everything else is pale, what is lit needs no line.
  const lined = lit.faint || lit.lit.length > OUTLINED ? [] : lit.lit;
  for (const ref of lined) outline(ctx, moment, ref, ink.accent, 1, false);
  if (hovered && !lit.selected.some((ref) => same(ref, hovered)))
    outline(ctx, moment, hovered, ink.text, 1, false);
  for (const ref of lit.standIn) outline(ctx, moment, ref, ink.accent, 2, true);
  for (const ref of lit.selected.slice(0, OUTLINED)) outline(ctx, moment, ref, ink.accent, 2, false);
}

/** More outlines than this are a smear, and slow. */
const OUTLINED = 400;

const ROUND = ["round", "dot", "alert", "check"];

/** A line around a mark: boxes and points a little outside, bands along their own outline. */
function outline(
  ctx: CanvasRenderingContext2D,
  { frame, placed }: Moment,
  ref: Ref,
  colour: string,
  width: number,
  dashed: boolean,
): void {
  const { scene } = frame;
  if (ref.kind !== "areas" && ref.kind !== "grids" && ref.index >= scene[ref.kind].n) return;
  const plot = marks(scene).plot(ref.kind, ref.index);
  const view = plot < 0 ? null : viewOf(frame, scene.plots[plot]!, plot);
  const m = view?.m ?? STILL;
  ctx.save();
  if (view && scene.plots[plot]!.camera !== "xy") {
    ctx.beginPath();
    ctx.rect(view.seen.x - 2, view.seen.y - 2, view.seen.w + 4, view.seen.h + 4);
    ctx.clip();
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  if (dashed) ctx.setLineDash([5, 4]);
  if (ref.kind === "ribbons" || ref.kind === "polygons" || ref.kind === "links") {
    outlineBand(
      ctx,
      { m, k: view?.k ?? 1, seen: view?.seen ?? frameRect(frame), ink: frame.ink },
      frame,
      ref,
      colour,
      width,
    );
  } else {
    const r = ref.kind === "boxes" ? placedRect(placed, ref.index) : rectOf(scene, ref);
    const style =
      ref.kind === "boxes" || ref.kind === "points"
        ? styleOf(scene, scene[ref.kind].style[ref.index]!)
        : null;
    const gap = style && style.stroke !== -1 ? 2 : 1;
    const [x, y] = [r.x * m.ax + m.bx - gap, r.y * m.ay + m.by - gap];
    const [w, h] = [Math.max(2, r.w * m.ax) + 2 * gap, Math.max(2, r.h * m.ay) + 2 * gap];
    ctx.beginPath();
    ctx.roundRect(
      x,
      y,
      w,
      h,
      style && ROUND.includes(style.shape) ? Math.min(8, w / 2, h / 2) : gap === 1 ? 0 : 3,
    );
    ctx.stroke();
  }
  ctx.restore();
}

const frameRect = ({ size }: Frame): Rect => ({ x: 0, y: 0, w: size.w, h: size.h });
const placedRect = (p: Placed, i: number): Rect => ({ x: p.x[i]!, y: p.y[i]!, w: p.w[i]!, h: p.h[i]! });

function outlineBand(
  ctx: CanvasRenderingContext2D,
  view: View,
  { scene }: Frame,
  { kind, index }: Ref,
  colour: string,
  width: number,
): void {
  const k = scene[kind as "ribbons" | "polygons" | "links"];
  const own = styleOf(scene, k.style[index]!);
  const look = lookOf(
    ctx,
    view,
    { ...own, width: kind === "links" ? own.width + width : width, opacity: 1, dash: "solid" },
    k.fill[index]!,
  );
  const lined = { ...look, fill: null, flat: null, border: colour };
  if (kind === "ribbons") drawRibbons(ctx, view, lined, scene.ribbons, [index]);
  else if (kind === "polygons") drawPolygons(ctx, view, lined, scene.polygons, [index]);
  else drawLinks(ctx, view, lined, scene.links, [index]);
}
