// A pane of plots with axes: the wheel zooms at the pointer, dragging moves, a brush selects a stretch,
// hovering reads the axes. Hands go to the model (model/plots), pixels come from draw.

import { createEffect, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawScene } from "../draw/draw";
import { hit, plotAt, type Hit } from "../draw/hit";
import { valuesAt } from "../draw/mapping";
import { boxOf, rectOnScreen, refsOf } from "../draw/marks";
import { Surface } from "../draw/surface";
import { quantity } from "../format";
import { marksIn } from "../model/marks";
import { selectionOf, tipOf } from "../model/pick";
import { createPlots } from "../model/plots";
import { length, slid } from "../model/time";
import { textOf } from "../selection";
import { withScope } from "../state";
import { Layer } from "./layer";
import { drawBand, drawBrush, drawHovered, drawPointer, type Brushed, type Point } from "./plotmarks";
import { PlotsFoot } from "./plotsfoot";
import { Slow } from "./slow";
import { Waiting } from "./states";
import type { Control, Rect } from "../model/controls";
import type { Scene } from "../scene";
import type { Span } from "../protocol/Span";
import type { View } from "../protocol/View";

/** Pixels that the pointer may move in a click. */
const STILL = 4;
/** Pixels around an axis that belong to it. */
const AXIS = 22;
/** Of the wheel, for one step of an option. */
const NOTCH = 60;

interface Drag {
  start: Point;
  plot: number;
  brushes: boolean;
  moved: boolean;
  window: Span;
  scroll: number;
}

export function PlotsPane(props: { pane: number; view: View }): JSX.Element {
  const { store, controls } = useBench();
  const plots = createPlots(store, () => props.pane, props.view);
  const { scene, size, run, trees, cameras, act, window } = plots;
  const [hovered, setHovered] = createSignal<Hit | null>(null);
  const [pointer, setPointer] = createSignal<Point | null>(null);
  const [brush, setBrush] = createSignal<Brushed | null>(null);
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;

  const layer = new Layer();
  function paint(ctx: CanvasRenderingContext2D, w: number, h: number): boolean {
    const [s, lit, ink, at] = [scene(), plots.lit(), store.ink(), cameras()];
    if (!s || !lit) return false;
    const [tween, time, now] = [plots.tween(), plots.meaning()?.answer.time ?? null, performance.now()];
    const still = (on: CanvasRenderingContext2D): void => {
      drawBand(on, s, at, ink, time);
      drawScene(on, { scene: s, tween, now, cameras: at, size: { w, h }, ink, lit, hovered: null });
    };
    if (tween) still(ctx);
    else layer.draw(ctx, w, h, [s, lit, ink, time, window(), plots.scroll()], still);
    drawHovered(ctx, s, at, ink, hovered());
    drawBrush(ctx, s, ink, brush());
    drawPointer(ctx, s, at, ink, size(), pointer());
    return tween !== null;
  }

  function rect(node: number, tree = 0): Rect | null {
    const s = scene();
    if (!s) return null;
    const box = boxOf(s, node, tree);
    const ref = box >= 0 ? { kind: "boxes" as const, index: box } : refsOf(s, tree, (n) => n === node)[0];
    if (!ref) return null;
    const at = rectOnScreen(s, cameras(), ref);
    const outer = canvas.getBoundingClientRect();
    return { x: outer.left + at.x, y: outer.top + at.y, width: at.w, height: at.h };
  }
  const control: Control = {
    look: plots.look,
    act,
    rect,
    zoom: plots.zoom,
    pan: plots.pan,
    fit: () => plots.setWindow(null, false),
    reveal: plots.reveal,
    press: plots.press,
    first: plots.first,
    marks: () => (scene() ? marksIn(scene()!, rect) : []),
    stats: plots.stats,
  };
  onMount(() => {
    surface = new Surface(canvas, paint, (w, h) => plots.setSize({ w, h }));
    canvas.addEventListener("wheel", wheel, { passive: false });
    const unregister = controls.register(props.pane, control);
    onCleanup(() => {
      unregister();
      surface?.destroy();
      store.setTip(null);
    });
  });
  createEffect(() => {
    scene();
    window();
    plots.lit();
    plots.meaning();
    store.ink();
    hovered();
    pointer();
    brush();
    plots.scroll();
    surface?.invalidate();
  });

  const local = (e: MouseEvent): Point => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const under = ({ x, y }: Point): Hit | null => {
    const s = scene();
    return s ? hit(s, cameras(), size(), x, y) : null;
  };
  const plotUnder = ({ x, y }: Point): number => {
    const s = scene();
    return s ? plotAt(s, cameras(), size(), x, y) : -1;
  };
  /** The plot on whose axis a point lies. */
  const axisUnder = ({ x, y }: Point): number =>
    scene()?.plots.findIndex(({ rect: r }) => x >= r.x && x <= r.x + r.w && Math.abs(y - r.y - r.h) < AXIS) ??
    -1;
  /** The plot that hands move: the one at a point, else the first along time. */
  const movedAt = (at: Point): number => {
    const here = plotUnder(at);
    return here >= 0 ? here : (scene()?.plots.findIndex((p) => p.camera === "x") ?? -1);
  };
  const valueAt = (plot: number, at: Point): number | null => {
    const p = scene()?.plots[plot];
    return p ? valuesAt(p, cameras()[plot] ?? null, at.x, at.y).x : null;
  };

  let drag: Drag | null = null;
  const down = (e: PointerEvent): void => {
    if (e.button > 1) return;
    const start = local(e);
    const inside = plotUnder(start);
    const axis = inside >= 0 ? -1 : axisUnder(start);
    const plot = axis >= 0 ? axis : movedAt(start);
    const under = scene()?.plots[plot];
    // Dragging over a plot that does not move chooses.
    const brushes =
      (under?.brush ?? "none") !== "none" && (e.shiftKey || axis >= 0 || under?.camera === "none");
    drag = { start, plot, brushes, moved: false, window: window(), scroll: plots.scroll() };
    canvas.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent): void => {
    const at = local(e);
    setPointer(at);
    if (!drag) return hover(at, e);
    if (!drag.moved && Math.hypot(at.x - drag.start.x, at.y - drag.start.y) < STILL) return;
    drag.moved = true;
    store.setTip(null);
    const plot = scene()?.plots[drag.plot];
    if (!plot) return;
    if (drag.brushes) return void setBrush({ plot: drag.plot, from: drag.start, to: at });
    if (plot.camera === "x") {
      const by = ((drag.start.x - at.x) / Math.max(1, plot.rect.w)) * length(drag.window);
      plots.setWindow(slid(drag.window, plots.whole(), by));
    }
    if (plots.overflow() > 0) plots.scrollTo(drag.scroll + drag.start.y - at.y);
  };
  const hover = (at: Point, e: PointerEvent): void => {
    const found = under(at);
    setHovered(found);
    store.setTip(found && scene() ? tipOf(scene()!, found, run(), trees(), e.clientX, e.clientY) : null);
  };
  const up = (e: PointerEvent): void => {
    const was = drag;
    const b = brush();
    drag = null;
    setBrush(null);
    if (!was || e.button !== 0) return;
    if (b) return brushed(b);
    if (was.moved) return;
    const found = under(local(e));
    const of = found ? selectionOf(found, run(), trees()) : null;
    const style = found && scene()?.styles[found.style];
    store.select(of);
    if (of && style?.live && style.press !== "none") void act({ name: style.press, on: of, numbers: [] });
  };
  /** What was brushed counts: a stretch of time, places, or the nodes that were touched. */
  function brushed(b: Brushed): void {
    const s = scene();
    const kind = s?.plots[b.plot]?.brush;
    if (!s || kind === undefined) return;
    if (kind === "nodes") return selectIn(s, b);
    const [one, two] = [valueAt(b.plot, b.from), valueAt(b.plot, b.to)];
    if (one === null || two === null || one === two) return;
    const [low, high] = [Math.min(one, two), Math.max(one, two)];
    const [from, to] = plots.whole();
    if (kind === "values") return void act({ name: "brush", numbers: [low, high] });
    if (kind === "time") return plots.setWindow([Math.max(from, low), Math.min(to, high)], false);
    const places = `${Math.max(0, Math.round(low))}-${Math.max(0, Math.round(high))}`;
    store.update((state) => withScope(state, run(), { places }), "window");
  }
  function selectIn(s: Scene, b: Brushed): void {
    const tree = trees()[0];
    if (tree === undefined) return;
    const [x0, x1] = [Math.min(b.from.x, b.to.x), Math.max(b.from.x, b.to.x)];
    const [y0, y1] = [Math.min(b.from.y, b.to.y), Math.max(b.from.y, b.to.y)];
    const nodes = refsOf(s, 0, () => true).flatMap((ref) => {
      if (ref.kind !== "boxes" && ref.kind !== "points") return [];
      const r = rectOnScreen(s, cameras(), ref);
      const touched = r.x < x1 && r.x + r.w > x0 && r.y < y1 && r.y + r.h > y0;
      return touched ? [s[ref.kind].node[ref.index]!] : [];
    });
    store.select(nodes.length > 0 ? { run: run(), tree, nodes: textOf(nodes) } : null);
  }
  const doubleClick = (e: MouseEvent): void => {
    const found = under(local(e));
    const of = found ? selectionOf(found, run(), trees()) : null;
    const style = found && scene()?.styles[found.style];
    if (of && style && style.press !== "none" && !style.live) {
      void act({ name: style.press, on: of, numbers: [] });
    } else if (plots.timed()) plots.setWindow(null, false);
  };
  let turned = 0;
  function wheel(e: WheelEvent): void {
    e.preventDefault();
    const at = local(e);
    const lines = e.deltaMode === 1 ? 16 : 1;
    const here = plotUnder(at);
    const plot = scene()?.plots[here];
    if (plot?.wheel && !e.ctrlKey && !e.shiftKey) {
      turned += e.deltaY * lines;
      if (Math.abs(turned) < NOTCH) return;
      plots.stepOption(plot.wheel, turned < 0);
      turned = 0;
      return;
    }
    const scrolls = plots.overflow() > 0 && (e.altKey || here < 0 || plot?.camera !== "x");
    if (scrolls) return plots.scrollTo(plots.scroll() + e.deltaY * lines);
    zoomOrSlide(e, movedAt(at), at, lines);
  }
  function zoomOrSlide(e: WheelEvent, moved: number, at: Point, lines: number): void {
    const plot = scene()?.plots[moved];
    if (plot?.camera !== "x") return;
    const sideways = e.shiftKey ? e.deltaY + e.deltaX : e.deltaX;
    const w = window();
    if (Math.abs(sideways) > Math.abs(e.shiftKey ? 0 : e.deltaY)) {
      const by = ((sideways * lines) / Math.max(1, plot.rect.w)) * length(w);
      return plots.setWindow(slid(w, plots.whole(), by));
    }
    const factor = Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.002));
    plots.zoomAt(valueAt(moved, at) ?? (w[0] + w[1]) / 2, factor);
  }

  const name = () => {
    const shown = plots.timed()
      ? `, ${quantity(length(window()), store.runInfo(run())?.clock ?? "ns")} shown`
      : "";
    return `${props.view.title}${shown}. Shift+T shows it as a table.`;
  };
  return (
    <div class="plot">
      <canvas
        ref={canvas}
        class="fill"
        tabindex="0"
        role="img"
        aria-label={name()}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onDblClick={doubleClick}
        onPointerCancel={() => {
          drag = null;
          setBrush(null);
        }}
        onPointerLeave={() => {
          setPointer(null);
          setHovered(null);
          store.setTip(null);
        }}
      />
      <Slow view={props.view} answers={plots.answers} />
      <Show when={(!scene() && !props.view.slow) || plots.answers.error()}>
        <Waiting what={props.view.title} error={plots.answers.error()} />
      </Show>
      <div class="plot-foot">
        <Show when={scene()} keyed>
          {(s) => <PlotsFoot scene={s} plots={plots} />}
        </Show>
      </div>
    </div>
  );
}
