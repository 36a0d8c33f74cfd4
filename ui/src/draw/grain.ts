// The marks that only the grain graph has: closed groups with what the lens says about them, fork and join nodes, the
// rims of problem grains. Screen rectangles go in, pixels come out; every sign is told twice, by colour and by form.

import { FLAG, SHAPE, type Boxes } from "../scene";
import type { Ink } from "./ink";
import { traceSheets } from "./shapes";
import type { Placed } from "./tween";

/** What a closed group or an envelope says under the lens. */
export type Verdict = "problem" | "good" | "open";

export const verdict = (flags: number, lens: boolean): Verdict => (flags & FLAG.problem ? "problem" : lens ? "good" : "open");

export const isJoint = (shape: number): boolean => shape === SHAPE.forkNode || shape === SHAPE.joinNode;

/** Palette slot of a problem: a little, clearly, far beyond its threshold (`slot` in crates/view/src/palette.rs). */
export const PROBLEM_SLOT = 42;
/** Palette slot of what has nothing of the problem. */
export const GOOD_SLOT = 45;

/** Below this many pixels a group is a plain outline without a sign. */
const SIGN_FROM = 22;
/** More dashed borders than this are drawn solid: dashing is what takes longest. */
const DASHED = 600;

export interface Look {
  ink: Ink;
  lens: boolean;
  k: number;
}

/** Closed groups: no fill of their own, red and thick with "!" when they hold the problem, green and thin with "✓" when not; others that were folded together are dashed, alike ones a stack. */
export function drawGroups(ctx: CanvasRenderingContext2D, look: Look, boxes: Boxes, s: Placed, list: number[]): void {
  if (list.length === 0) return;
  const { ink, lens, k } = look;
  const dash = list.length < DASHED ? [4, 2] : [];
  for (const i of list) {
    const [x, y, w, h] = [s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!];
    const flags = boxes.flags[i]!;
    const says = verdict(flags, lens);
    const fold = (flags & FLAG.closed) === 0;
    if (flags & FLAG.merged && !fold && k > 0.25 && w >= 12) {
      ctx.beginPath();
      traceSheets(ctx, x, y, w, h, k);
      ctx.fillStyle = ink.surface;
      ctx.fill();
      ctx.strokeStyle = says === "problem" ? ink.problem : ink.line;
      ctx.lineWidth = 1;
      ctx.stroke();
    }
    const small = w < 8 || h < 8;
    ctx.beginPath();
    if (small) ctx.rect(x, y, w, h);
    else ctx.roundRect(x, y, w, h, Math.min(10, w / 3, h / 3));
    ctx.fillStyle = says === "problem" && small ? ink.problem : ink.surface;
    ctx.fill();
    ctx.strokeStyle = says === "problem" ? ink.problem : says === "good" ? ink.good : flags & FLAG.critical ? ink.problem : ink.edge;
    ctx.lineWidth = small ? 1 : says === "problem" || (says === "open" && flags & FLAG.critical) ? 2.25 : 1.25;
    if (fold && !small) ctx.setLineDash(dash);
    ctx.stroke();
    ctx.setLineDash([]);
    if (lens && flags & FLAG.critical) spine(ctx, ink, x, y, w, h);
    if (lens && w >= SIGN_FROM && h >= SIGN_FROM) sign(ctx, ink, says, x + w - 4 * Math.min(1, k), y + 5 * Math.min(1, k), Math.min(12, Math.max(7, h * 0.28)));
  }
}

/** A small "!" on red or "✓" in green in the upper right corner. */
function sign(ctx: CanvasRenderingContext2D, ink: Ink, says: Verdict, right: number, top: number, size: number): void {
  const [cx, cy, r] = [right - size / 2, top + size / 2, size / 2];
  ctx.beginPath();
  ctx.arc(cx, cy, r, 0, 2 * Math.PI);
  ctx.fillStyle = says === "problem" ? ink.problem : ink.surface;
  ctx.fill();
  ctx.strokeStyle = says === "problem" ? ink.problem : ink.good;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.beginPath();
  ctx.lineWidth = 1.5;
  if (says === "problem") {
    ctx.strokeStyle = ink.surface;
    ctx.moveTo(cx, cy - r * 0.6);
    ctx.lineTo(cx, cy + r * 0.12);
    ctx.moveTo(cx, cy + r * 0.42);
    ctx.lineTo(cx, cy + r * 0.62);
  } else {
    ctx.moveTo(cx - r * 0.45, cy);
    ctx.lineTo(cx - r * 0.1, cy + r * 0.4);
    ctx.lineTo(cx + r * 0.5, cy - r * 0.4);
  }
  ctx.stroke();
}

/** The critical path while borders belong to the lens: a red bar at the left. */
export function spine(ctx: CanvasRenderingContext2D, ink: Ink, x: number, y: number, w: number, h: number): void {
  ctx.fillStyle = ink.problem;
  ctx.fillRect(x - 1, y + Math.min(4, h / 4), Math.min(3.5, Math.max(1, w / 4)), Math.max(1, h - 2 * Math.min(4, h / 4)));
}

/** Below this many pixels a rim has no line inside. */
const PLAIN = 16;
/** The worse, the thicker. */
const RIM = [1.5, 2, 3];

/** Problem grains: a red rim, thicker and fuller the further they are beyond the threshold (0, 1, 2). */
export function drawRims(ctx: CanvasRenderingContext2D, ink: Ink, s: Placed, list: number[], severity: Uint8Array | null): void {
  for (const i of list) {
    const [x, y, w, h] = [s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!];
    const bad = Math.min(2, severity?.[i] ?? 1);
    ctx.strokeStyle = ctx.fillStyle = ink.slots[PROBLEM_SLOT + bad] ?? ink.problem;
    if (w < 4 || h < 4) {
      ctx.fillRect(x, y, Math.max(1, w), Math.max(1, h));
      continue;
    }
    ctx.lineWidth = w < 10 || h < 10 ? Math.min(2, RIM[bad]!) : RIM[bad]!;
    ctx.strokeRect(x, y, w, h);
    if (w < PLAIN || h < PLAIN) continue;
    // A thin light line inside tells red from a fill that is near to it.
    const inset = RIM[bad]! / 2 + 0.5;
    ctx.strokeStyle = ink.surface;
    ctx.lineWidth = 1;
    ctx.strokeRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
  }
}

/** A triangle that points on at a fork, back at a join. */
export function drawJoints(ctx: CanvasRenderingContext2D, ink: Ink, boxes: Boxes, s: Placed, list: number[]): void {
  for (const i of list) {
    const [x, y, w, h] = [s.x[i]!, s.y[i]!, s.w[i]!, s.h[i]!];
    ctx.fillStyle = boxes.flags[i]! & FLAG.critical ? ink.problem : ink.edge;
    if (w < 4) {
      if (w > 1.5 || boxes.flags[i]! & FLAG.critical) ctx.fillRect(x, y, w, h);
      continue;
    }
    const fork = boxes.shape[i] === SHAPE.forkNode;
    ctx.beginPath();
    ctx.moveTo(x + w / 2, fork ? y + h : y);
    ctx.lineTo(x + w, fork ? y : y + h);
    ctx.lineTo(x, fork ? y : y + h);
    ctx.closePath();
    ctx.fill();
  }
}

/** The "−" in the upper right corner of an open group: one click there, or anywhere in its title, closes it. */
export function drawShut(ctx: CanvasRenderingContext2D, ink: Ink, right: number, top: number, k: number, hovered: boolean): void {
  const side = Math.round(9 * Math.min(1.3, k));
  const [x, y] = [Math.round(right - side - 4 * k) + 0.5, Math.round(top + 4 * k) + 0.5];
  ctx.strokeStyle = hovered ? ink.text : ink.edge;
  ctx.lineWidth = 1;
  ctx.globalAlpha *= hovered ? 1 : 0.7;
  ctx.strokeRect(x, y, side, side);
  ctx.beginPath();
  ctx.moveTo(x + side * 0.25, y + side / 2);
  ctx.lineTo(x + side * 0.75, y + side / 2);
  ctx.stroke();
  ctx.globalAlpha /= hovered ? 1 : 0.7;
}

/** Height of the strip at the top of an open group that stands for the group itself, in scene units. */
export const TITLE = 18;
