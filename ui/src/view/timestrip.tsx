// The time strip under everything: the parallelism of the whole run, and the brush that every time view follows.
// Drag an edge or the middle, drag outside for a new window, double click for the whole run.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { drawProfile } from "../draw/profile";
import { Surface } from "../draw/surface";
import { across, drawTimeGrid, type Plot } from "../draw/timeline";
import { moment } from "../draw/axis";
import { time } from "../format";
import { shown, slid } from "../model/time";
import { timeScene } from "../model/timescene";
import { clockOf, currentRun, ink, runInfo, setWindow, state, wholeRun } from "../page";
import type { Span } from "../state";

const GRAB = 6;
const AXIS = 16;

export function TimeStrip(): JSX.Element {
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  const [cursor, setCursor] = createSignal("crosshair");
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const run = currentRun;
  const whole = (): Span => shown(null, wholeRun(run()));
  const window = createMemo<Span>(() => shown(state().runs[run()]!.window, wholeRun(run())));
  const plot = (): Plot => ({ left: 8, top: 4, width: Math.max(1, size().w - 16), height: Math.max(1, size().h - AXIS - 4) });
  const scene = timeScene(() => (size().w > 0 ? { run: run(), view: "profile", window: whole(), width: plot().width, height: plot().height + 22, sides: 84, focus: null } : null));
  const toX = (t: number): number => plot().left + ((t - whole()[0]) / (whole()[1] - whole()[0])) * plot().width;
  const toTime = (x: number): number => whole()[0] + ((x - plot().left) / plot().width) * (whole()[1] - whole()[0]);

  function paint(ctx: CanvasRenderingContext2D): void {
    const p = plot();
    const picture = scene.picture();
    drawTimeGrid(ctx, { ...p, height: size().h }, whole(), whole()[0], clockOf(run()), ink(), size().h - AXIS / 2);
    if (picture) drawProfile(ctx, picture, across(picture, whole(), p.left, p.width), p, runInfo(run())?.workers ?? 0, ink());
    if (!state().runs[run()]!.window) return;
    const [a, b] = [toX(window()[0]), toX(window()[1])];
    ctx.fillStyle = ink().raised;
    ctx.globalAlpha = 0.72;
    ctx.fillRect(p.left, 0, a - p.left, p.top + p.height);
    ctx.fillRect(b, 0, p.left + p.width - b, p.top + p.height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = ink().accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(a, 1, Math.max(2, b - a), p.top + p.height - 1);
    ctx.fillStyle = ink().accent;
    for (const x of [a, b]) {
      ctx.beginPath();
      ctx.roundRect(x - 3, p.top + p.height / 2 - 8, 6, 16, 2);
      ctx.fill();
    }
  }
  onMount(() => {
    surface = new Surface(canvas, paint, (w, h) => setSize({ w, h }));
    onCleanup(() => surface?.destroy());
  });
  createEffect(() => {
    scene.picture();
    window();
    ink();
    size();
    surface?.invalidate();
  });

  type Mode = "from" | "to" | "middle" | "new";
  const modeAt = (x: number): Mode => {
    const [a, b] = [toX(window()[0]), toX(window()[1])];
    if (Math.abs(x - a) <= GRAB) return "from";
    if (Math.abs(x - b) <= GRAB) return "to";
    return state().runs[run()]!.window && x > a && x < b ? "middle" : "new";
  };
  let drag: { x: number; mode: Mode; window: Span } | null = null;
  const x = (e: PointerEvent): number => e.clientX - canvas.getBoundingClientRect().left;
  const move = (e: PointerEvent): void => {
    if (!drag) return void setCursor({ from: "ew-resize", to: "ew-resize", middle: "grab", new: "crosshair" }[modeAt(x(e))]);
    const at = Math.min(whole()[1], Math.max(whole()[0], toTime(x(e))));
    const [from, to] = drag.window;
    if (drag.mode === "middle") setWindow(run(), slid(drag.window, whole(), at - toTime(drag.x)));
    else {
      const fixed = drag.mode === "from" ? to : drag.mode === "to" ? from : Math.min(whole()[1], Math.max(whole()[0], toTime(drag.x)));
      if (Math.abs(at - fixed) > (whole()[1] - whole()[0]) / plot().width) setWindow(run(), at < fixed ? [at, fixed] : [fixed, at]);
    }
  };
  const said = () => `${time(window()[1] - window()[0], clockOf(run()))} at ${moment(window()[0], whole()[0], (whole()[1] - whole()[0]) / 2000, clockOf(run()))}`;
  return (
    <footer class="strip">
      <div class="strip-name">
        <strong>{state().runs.length > 1 ? runInfo(run())?.name : "Whole run"}</strong>
        <span class="quiet num">{time(whole()[1] - whole()[0], clockOf(run()))}</span>
        <Show when={state().runs[run()]!.window} fallback={<span class="quiet">drag for a window</span>}>
          <button type="button" class="plain num" title="Show the whole run (Home)" onClick={() => setWindow(run(), null, false)}>{said()} ×</button>
        </Show>
      </div>
      <canvas
        ref={canvas} class="fill" style={{ cursor: cursor() }} role="slider" tabindex="0" aria-label="Window of time" aria-valuetext={said()}
        aria-valuemin={0} aria-valuemax={whole()[1] - whole()[0]} aria-valuenow={window()[0] - whole()[0]}
        onPointerDown={(e) => {
          canvas.setPointerCapture(e.pointerId);
          drag = { x: x(e), mode: modeAt(x(e)), window: window() };
        }}
        onPointerMove={move}
        onPointerUp={() => (drag = null)}
        onDblClick={() => setWindow(run(), null, false)}
      />
    </footer>
  );
}
