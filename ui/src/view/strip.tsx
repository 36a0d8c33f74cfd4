// The strip under everything: the whole run at a glance, drawn by the hidden view that the run names for it,
// and the brush that every pane follows: a window of time, or places where a run has no time. Drag an edge or
// the middle, drag outside for a new one, double click for all.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawScene, NOTHING_LIT } from "../draw/draw";
import { screenOf, valuesAt } from "../draw/mapping";
import { Surface } from "../draw/surface";
import { quantity, reading, separated } from "../format";
import { keyOf } from "../look";
import { createAnswers } from "../model/answers";
import { slid } from "../model/time";
import { rangesOf } from "../selection";
import { withScope } from "../state";
import type { Scene } from "../scene";
import type { Look } from "../protocol/Look";
import type { Plot } from "../protocol/Plot";
import type { Span } from "../protocol/Span";

const GRAB = 6;
/** What a key moves the window by, as a share of it. */
const NUDGE = 0.1;

type Mode = "from" | "to" | "middle" | "new";
const CURSORS: Record<Mode, string> = {
  from: "ew-resize",
  to: "ew-resize",
  middle: "grab",
  new: "crosshair",
};

export function Strip(): JSX.Element {
  const { store } = useBench();
  const run = store.currentRun;
  const name = () => store.runInfo(run())?.strip ?? null;
  return <Show when={name()}>{(view) => <StripOf view={view()} run={run()} />}</Show>;
}

function StripOf(props: { view: string; run: number }): JSX.Element {
  const { store } = useBench();
  const [scene, setScene] = createSignal<Scene | null>(null);
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  const [cursor, setCursor] = createSignal("crosshair");
  const [pointer, setPointer] = createSignal<number | null>(null);
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;

  const look = createMemo<Look | null>(
    () =>
      size().w < 10
        ? null
        : { v: 1, view: props.view, run: props.run, trees: {}, options: {}, scope: {}, size: size() },
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );
  const answers = createAnswers(store, {
    wanted: look,
    slow: () => false,
    arrived: (_, shown) => setScene(shown.scene),
  });
  /** The plot that is brushed. */
  const plot = (): Plot | null =>
    scene()?.plots.find((p) => p.x && (p.brush === "time" || p.brush === "places")) ?? null;
  const byPlace = () => plot()?.brush === "places";
  const whole = (): Span => {
    const x = plot()?.x;
    const time = store.whole(props.run);
    return !byPlace() && time ? time : x ? [x.stops[0]!.value, x.stops.at(-1)!.value] : [0, 1];
  };
  const clock = () => store.runInfo(props.run)?.clock ?? "ns";
  const chosen = (): Span | null => {
    const { time, places } = store.scopeOf(props.run);
    if (!byPlace()) return time ?? null;
    const ranges = places === undefined ? [] : rangesOf(places);
    return ranges.length > 0 ? [ranges[0]![0], ranges.at(-1)![1]] : null;
  };
  const window = (): Span => chosen() ?? whole();
  const set = (next: Span | null, continuous = true): void => {
    if (!byPlace()) return store.setWindow(props.run, next, continuous);
    const places = next
      ? `${Math.max(0, Math.round(next[0]))}-${Math.max(0, Math.round(next[1]))}`
      : undefined;
    store.update((s) => withScope(s, props.run, { places }), "window", continuous);
  };
  const toX = (value: number): number => (plot() ? (screenOf(plot()!, null, { x: value }).x ?? 0) : 0);
  const toValue = (x: number): number => (plot() ? (valuesAt(plot()!, null, x, 0).x ?? 0) : 0);

  function paint(ctx: CanvasRenderingContext2D, w: number, h: number): void {
    const s = scene();
    if (!s) return;
    drawScene(ctx, {
      scene: s,
      tween: null,
      now: 0,
      cameras: s.plots.map(() => null),
      size: { w, h },
      ink: store.ink(),
      lit: NOTHING_LIT,
      hovered: null,
    });
    const p = plot();
    if (p && chosen()) drawWindow(ctx, p);
  }
  function drawWindow(ctx: CanvasRenderingContext2D, { rect }: Plot): void {
    const [a, b] = [toX(window()[0]), toX(window()[1])];
    const ink = store.ink();
    ctx.fillStyle = ink.raised;
    ctx.globalAlpha = 0.72;
    ctx.fillRect(rect.x, rect.y, a - rect.x, rect.h);
    ctx.fillRect(b, rect.y, rect.x + rect.w - b, rect.h);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = ctx.fillStyle = ink.accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(a, rect.y + 0.75, Math.max(2, b - a), rect.h - 1.5);
    for (const x of [a, b]) {
      ctx.beginPath();
      ctx.roundRect(x - 3, rect.y + rect.h / 2 - 8, 6, 16, 2);
      ctx.fill();
    }
  }
  onMount(() => {
    surface = new Surface(canvas, paint, (w, h) => setSize({ w, h }));
    onCleanup(() => surface?.destroy());
  });
  createEffect(() => {
    scene();
    chosen();
    store.ink();
    surface?.invalidate();
  });

  const modeAt = (x: number): Mode => {
    const [a, b] = [toX(window()[0]), toX(window()[1])];
    if (chosen() && Math.abs(x - a) <= GRAB) return "from";
    if (chosen() && Math.abs(x - b) <= GRAB) return "to";
    return chosen() && x > a && x < b ? "middle" : "new";
  };
  let drag: { x: number; mode: Mode; window: Span } | null = null;
  const x = (e: PointerEvent): number => e.clientX - canvas.getBoundingClientRect().left;
  const within = (value: number): number => Math.min(whole()[1], Math.max(whole()[0], value));
  const move = (e: PointerEvent): void => {
    setPointer(x(e));
    if (!drag) return void setCursor(CURSORS[modeAt(x(e))]);
    const at = within(toValue(x(e)));
    const [from, to] = drag.window;
    if (drag.mode === "middle") return set(slid(drag.window, whole(), at - toValue(drag.x)));
    const fixed = drag.mode === "from" ? to : drag.mode === "to" ? from : within(toValue(drag.x));
    const least = (whole()[1] - whole()[0]) / Math.max(1, plot()?.rect.w ?? 1);
    if (Math.abs(at - fixed) > least) set(at < fixed ? [at, fixed] : [fixed, at]);
  };
  const key = (e: KeyboardEvent): void => {
    const by = { ArrowLeft: -NUDGE, ArrowRight: NUDGE }[e.key];
    if (by === undefined || !chosen()) return;
    e.preventDefault();
    e.stopPropagation();
    set(slid(window(), whole(), by * (window()[1] - window()[0])));
  };
  const said = (): string => {
    const [from, to] = window();
    if (byPlace()) return `places ${from}–${to}`;
    const perPixel = (whole()[1] - whole()[0]) / 2000;
    return `${quantity(to - from, clock())} at ${reading(from, perPixel, clock())}`;
  };
  const reads = (): string => {
    const at = pointer();
    if (at === null || !plot() || byPlace()) return "";
    const value = within(toValue(at));
    return reading(value, (whole()[1] - whole()[0]) / Math.max(1, plot()!.rect.w), clock());
  };
  const extent = (): string => {
    const places = store.runInfo(props.run)?.places ?? 0;
    const counted = places === 1 ? "1 place" : `${separated(places)} places`;
    return byPlace() ? counted : quantity(whole()[1] - whole()[0], clock());
  };
  const hint = (): string => (byPlace() ? "drag for places" : "drag for a window");
  return (
    <footer class="strip">
      <div class="strip-name">
        <strong>{store.runs().length > 1 ? store.runInfo(props.run)?.name : "Whole run"}</strong>
        <span class="quiet num">{extent()}</span>
        <Show when={chosen()} fallback={<span class="quiet">{reads() || hint()}</span>}>
          <button
            type="button"
            class="plain num"
            title={byPlace() ? "All places count (Home)" : "Show the whole run (Home)"}
            onClick={() => set(null, false)}
          >
            {said()} ×
          </button>
        </Show>
      </div>
      <canvas
        ref={canvas}
        class="fill"
        style={{ cursor: cursor() }}
        role="slider"
        tabindex="0"
        aria-label={byPlace() ? "Places" : "Window of time"}
        aria-valuetext={said()}
        aria-valuemin={0}
        aria-valuemax={whole()[1] - whole()[0]}
        aria-valuenow={window()[0] - whole()[0]}
        onPointerDown={(e) => {
          canvas.setPointerCapture(e.pointerId);
          drag = { x: x(e), mode: modeAt(x(e)), window: window() };
        }}
        onPointerMove={move}
        onPointerUp={() => (drag = null)}
        onPointerCancel={() => (drag = null)}
        onPointerLeave={() => setPointer(null)}
        onDblClick={() => set(null, false)}
        onKeyDown={key}
      />
      <Show when={answers.error()}>
        {(e) => (
          <div class="centre quiet" role="alert">
            {e()}
          </div>
        )}
      </Show>
    </footer>
  );
}
