// A pane of plots with axes: the wheel zooms at the pointer, dragging moves, a brush selects a stretch, hovering reads the
// axes. Along time the camera is the run's window, which all panes and the strip share; pixels come from draw.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawScene } from "../draw/draw";
import { hit, plotAt, type Hit } from "../draw/hit";
import { ofWindow, screenOf, scrolled, valuesAt, type Mapping } from "../draw/mapping";
import { boxOf, rectOnScreen, refsOf } from "../draw/marks";
import { Surface } from "../draw/surface";
import { placedNow, progress, tween, type Tween } from "../draw/tween";
import { separated, reading, quantity } from "../format";
import { keyOf, lookOf } from "../look";
import { createActs } from "../model/act";
import { createAnswers } from "../model/answers";
import { createMeaning, litIn, ownLit } from "../model/light";
import { marksIn } from "../model/marks";
import { selectionOf, wordsOf } from "../model/pick";
import { around, length, shown, slid, zoomed } from "../model/time";
import { firstOf, rangesOf, single, textOf } from "../selection";
import { withOption, withScope } from "../state";
import { keysOf, valueOf } from "../views";
import { NONE, type Scene } from "../scene";
import { Legend } from "./legend";
import { Busy, Slow, Waiting } from "./states";
import type { Shown } from "../ask";
import type { Control, Rect } from "../model/controls";
import type { Look } from "../protocol/Look";
import type { Plot } from "../protocol/Plot";
import type { SceneAnswer } from "../protocol/SceneAnswer";
import type { Span } from "../protocol/Span";
import type { View } from "../protocol/View";

const STILL = 4;

interface Point {
  x: number;
  y: number;
}

export function PlotsPane(props: { pane: number; view: View }): JSX.Element {
  const { store, controls } = useBench();
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const [scene, setScene] = createSignal<Scene | null>(null);
  const [answer, setAnswer] = createSignal<SceneAnswer | null>(null);
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  const [scroll, setScroll] = createSignal(0);
  const [hovered, setHovered] = createSignal<Hit | null>(null);
  const [pointer, setPointer] = createSignal<Point | null>(null);
  const [brush, setBrush] = createSignal<{ plot: number; from: Point; to: Point } | null>(null);
  let way: Tween | null = null;
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;

  const own = () => store.state().panes[props.pane];
  const run = () => own()?.run ?? 0;
  const whole = (): Span => store.whole(run()) ?? [0, 1];
  const window = createMemo<Span>(() => shown(store.scopeOf(run()).time, whole()), [0, 0], {
    equals: (a, b) => a[0] === b[0] && a[1] === b[1],
  });
  const trees = createMemo(() => keysOf(store.state(), run(), props.view, store.runInfo(run())), [], {
    equals: (a, b) => a.join() === b.join(),
  });
  const look = createMemo<Look | null>(
    () => {
      const p = own();
      const info = p && store.runInfo(p.run);
      if (!p || !info || size().w < 10 || p.view !== props.view.name) return null;
      return lookOf(store.state(), info, props.view, p, size());
    },
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );

  function install({ scene: next, answer: said }: Shown): void {
    const old = scene();
    setAnswer(said);
    if (!next || next === old) return;
    // Along time nothing moves by itself: the picture is already where the hand has put it.
    const moves =
      old !== null && !still.matches && !["window", "undo", "redo"].includes(store.history().last.kind);
    const began = performance.now();
    way =
      moves && old.width === next.width
        ? tween(old, next, { placed: placedNow(old, way, began), began })
        : null;
    setScene(next);
    if (scroll() > overflow()) setScroll(overflow());
  }
  const answers = createAnswers(store, {
    wanted: look,
    slow: () => props.view.slow,
    arrived: (_, s) => install(s),
  });
  const { act } = createActs(store, { pane: () => props.pane, look, answers, install });

  const meaning = createMeaning(store, look);
  const lit = createMemo(() => {
    const s = scene();
    if (!s) return null;
    const found = meaning()?.answer.trees ?? ownLit(store.state().selected, run(), trees());
    // Everything inside of what is selected stands out; a single thing only gets a border.
    return litIn(
      s,
      found,
      found.some((of) => of.inside !== "" && of.inside !== of.nodes),
    );
  });

  const scrolling = (s: Scene): Plot | undefined => s.plots.find((p) => p.scroll !== null);
  const overflow = (): number => {
    const plot = scene() && scrolling(scene()!);
    return plot ? Math.max(0, (plot.scroll ?? 0) - plot.rect.h) : 0;
  };
  const offset = (plot: Plot): number => (plot.scroll === null ? 0 : Math.min(scroll(), overflow()));
  const cameras = (): (Mapping | null)[] =>
    (scene()?.plots ?? []).map((plot) => {
      if (plot.camera === "x" && plot.x) return ofWindow(plot, window(), offset(plot));
      return plot.scroll === null ? null : scrolled(offset(plot));
    });

  function paint(ctx: CanvasRenderingContext2D, w: number, h: number): boolean {
    const [s, now] = [scene(), lit()];
    if (!s || !now) return false;
    const moving = way && progress(way, performance.now()) < 1 ? way : null;
    const at = cameras();
    drawBand(ctx, s, at);
    drawScene(ctx, {
      scene: s,
      tween: moving,
      now: performance.now(),
      cameras: at,
      size: { w, h },
      ink: store.ink(),
      lit: now,
      hovered: hovered(),
    });
    drawBrush(ctx, s);
    drawPointer(ctx, s, at);
    return moving !== null;
  }

  /** The stretch of time of the selection, behind the marks. */
  function drawBand(ctx: CanvasRenderingContext2D, s: Scene, at: (Mapping | null)[]): void {
    const time = meaning()?.answer.time;
    if (!time) return;
    ctx.fillStyle = store.ink().accent;
    ctx.globalAlpha = 0.09;
    s.plots.forEach((plot, i) => {
      if (plot.camera !== "x") return;
      const [from, to] = time.map((t) => screenOf(plot, at[i] ?? null, { x: t }).x);
      const { x, y, w, h } = plot.rect;
      const [left, right] = [Math.max(x, from!), Math.min(x + w, to!)];
      if (right > left) ctx.fillRect(left, y, Math.max(1, right - left), h);
    });
    ctx.globalAlpha = 1;
  }

  function drawBrush(ctx: CanvasRenderingContext2D, s: Scene): void {
    const b = brush();
    const plot = b && s.plots[b.plot];
    if (!b || !plot) return;
    const { x, y, w, h } = plot.rect;
    const free = plot.brush === "nodes";
    const [left, right] = [
      Math.max(x, Math.min(b.from.x, b.to.x)),
      Math.min(x + w, Math.max(b.from.x, b.to.x)),
    ];
    const [top, bottom] = free ? [Math.min(b.from.y, b.to.y), Math.max(b.from.y, b.to.y)] : [y, y + h];
    ctx.fillStyle = ctx.strokeStyle = store.ink().accent;
    ctx.globalAlpha = 0.14;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
    ctx.strokeRect(left + 0.5, top + 0.5, right - left, bottom - top);
  }

  /** A line at the pointer through all plots with the same axis, with its reading. */
  function drawPointer(ctx: CanvasRenderingContext2D, s: Scene, at: (Mapping | null)[]): void {
    const p = pointer();
    const here = p ? plotAt(s, at, size(), p.x, p.y) : -1;
    const plot = s.plots[here];
    if (!p || !plot?.x || plot.x.side === "none") return;
    const value = valuesAt(plot, at[here] ?? null, p.x, p.y).x;
    if (value === null) return;
    ctx.strokeStyle = store.ink().edge;
    ctx.globalAlpha = 0.6;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (const other of s.plots.filter((o) => o.camera === plot.camera && o.rect.x === plot.rect.x)) {
      ctx.moveTo(Math.round(p.x) + 0.5, other.rect.y);
      ctx.lineTo(Math.round(p.x) + 0.5, other.rect.y + other.rect.h);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
    const perPixel = Math.abs(
      (plot.x.stops.at(-1)!.value - plot.x.stops[0]!.value) / Math.max(1, plot.rect.w),
    );
    const origin = plot.camera === "x" ? whole()[0] : 0;
    label(ctx, p.x, plot.rect, reading(value - origin, perPixel, plot.x.unit));
  }
  function label(
    ctx: CanvasRenderingContext2D,
    x: number,
    rect: { x: number; y: number; w: number },
    text: string,
  ): void {
    ctx.font = `11px ${store.ink().font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    const w = ctx.measureText(text).width + 10;
    const left = Math.min(rect.x + rect.w - w, Math.max(rect.x, x + 6));
    ctx.fillStyle = store.ink().text;
    ctx.fillRect(left, rect.y + 2, w, 17);
    ctx.fillStyle = store.ink().surface;
    ctx.fillText(text, left + 5, rect.y + 11);
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
  const timed = (): boolean => scene()?.plots.some((p) => p.camera === "x") ?? false;
  const control: Control = {
    look,
    act,
    rect,
    zoom: (factor) => {
      if (timed()) store.setWindow(run(), zoomed(window(), whole(), (window()[0] + window()[1]) / 2, factor));
    },
    pan: (dx, dy) => {
      if (dy !== 0 && overflow() > 0)
        setScroll((at) => Math.min(overflow(), Math.max(0, at + dy * size().h)));
      else if (dy !== 0) control.zoom(dy < 0 ? 1.4 : 1 / 1.4);
      else if (timed()) store.setWindow(run(), slid(window(), whole(), dx * length(window())));
      return true;
    },
    fit: () => store.setWindow(run(), null, false),
    reveal: async (of, near) => {
      const time = (await store.about(of)).time ?? of.time;
      const [from, to] = window();
      if (time && (near || time[0] < from || time[1] > to))
        store.setWindow(run(), around(time, whole()), false);
    },
    press: (of) => {
      const s = scene();
      const tree = of.run === run() ? trees().indexOf(of.tree) : -1;
      const box = s && tree >= 0 ? boxOf(s, firstOf(of), tree) : -1;
      return s && box >= 0 ? s.styles[s.boxes.style[box]!]!.press : "none";
    },
    first: () => {
      const s = scene();
      const box = s ? s.boxes.node.findIndex((node) => node !== NONE) : -1;
      const tree = s && box >= 0 ? trees()[s.boxes.tree[box]!] : undefined;
      return s && tree !== undefined ? single(run(), tree, s.boxes.node[box]!) : null;
    },
    marks: () => (scene() ? marksIn(scene()!, rect) : []),
    stats: () => ({
      boxes: (scene()?.boxes.n ?? 0) + (scene()?.grids.reduce((sum, g) => sum + g.nx * g.ny, 0) ?? 0),
      links: scene()?.links.n ?? 0,
      visible: answer()?.visible ?? 0,
      serverMs: answer()?.ms ?? 0,
    }),
  };
  onMount(() => {
    surface = new Surface(canvas, paint, (w, h) => setSize({ w, h }));
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
    lit();
    meaning();
    store.ink();
    hovered();
    pointer();
    brush();
    scroll();
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
  /** Beside a plot: on its axis or its names. */
  const beside = ({ x, y }: Point): number =>
    scene()?.plots.findIndex(
      (p) => x >= p.rect.x && x <= p.rect.x + p.rect.w && Math.abs(y - p.rect.y - p.rect.h) < 22,
    ) ?? -1;

  let drag: {
    at: Point;
    start: Point;
    plot: number;
    brushes: boolean;
    moved: boolean;
    window: Span;
    scroll: number;
  } | null = null;
  const down = (e: PointerEvent): void => {
    if (e.button > 1) return;
    const at = local(e);
    const inside = plotUnder(at);
    const plot = inside >= 0 ? inside : beside(at);
    const kind = scene()?.plots[plot]?.brush ?? "none";
    drag = {
      at,
      start: at,
      plot,
      brushes: kind !== "none" && (e.shiftKey || inside < 0),
      moved: false,
      window: window(),
      scroll: scroll(),
    };
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
      store.setWindow(run(), slid(drag.window, whole(), by));
    }
    if (overflow() > 0) setScroll(Math.min(overflow(), Math.max(0, drag.scroll + drag.start.y - at.y)));
  };
  const hover = (at: Point, e: PointerEvent): void => {
    const found = under(at);
    const s = scene();
    setHovered(found);
    if (!found || !s) return void store.setTip(null);
    const of = selectionOf(found, run(), trees());
    const words = wordsOf(s, found);
    const plot = s.plots[found.plot];
    const y =
      found.at.y !== null && plot?.y && plot.y.side !== "none" ? quantity(found.at.y, plot.y.unit) : "";
    const detail = [words.title === words.meaning ? "" : words.meaning, y].filter(Boolean).join(" · ");
    if (!of && words.title === "") return void store.setTip(null);
    store.setTip({
      selection: of,
      title: words.title,
      own: of === null,
      detail: detail || undefined,
      x: e.clientX,
      y: e.clientY,
    });
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
  function brushed(b: { plot: number; from: Point; to: Point }): void {
    const s = scene();
    const plot = s?.plots[b.plot];
    if (!s || !plot) return;
    const at = cameras()[b.plot] ?? null;
    const [one, two] = [valuesAt(plot, at, b.from.x, b.from.y).x, valuesAt(plot, at, b.to.x, b.to.y).x];
    if (plot.brush === "nodes") return selectIn(s, b);
    if (one === null || two === null || one === two) return;
    const [low, high] = [Math.min(one, two), Math.max(one, two)];
    if (plot.brush === "time")
      store.setWindow(run(), [Math.max(whole()[0], low), Math.min(whole()[1], high)], false);
    else {
      const places = `${Math.max(0, Math.round(low))}-${Math.max(0, Math.round(high))}`;
      store.update((state) => withScope(state, run(), { places }), "window");
    }
  }
  function selectIn(s: Scene, b: { from: Point; to: Point }): void {
    const tree = trees()[0];
    if (tree === undefined) return;
    const [x0, x1] = [Math.min(b.from.x, b.to.x), Math.max(b.from.x, b.to.x)];
    const [y0, y1] = [Math.min(b.from.y, b.to.y), Math.max(b.from.y, b.to.y)];
    const nodes = refsOf(s, 0, () => true).flatMap((ref) => {
      const r = rectOnScreen(s, cameras(), ref);
      if (ref.kind !== "boxes" && ref.kind !== "points") return [];
      return r.x < x1 && r.x + r.w > x0 && r.y < y1 && r.y + r.h > y0 ? [s[ref.kind].node[ref.index]!] : [];
    });
    store.select(nodes.length > 0 ? { run: run(), tree, nodes: textOf(nodes) } : null);
  }
  const doubleClick = (e: MouseEvent): void => {
    const found = under(local(e));
    const of = found ? selectionOf(found, run(), trees()) : null;
    const style = found && scene()?.styles[found.style];
    if (of && style && style.press !== "none" && !style.live)
      void act({ name: style.press, on: of, numbers: [] });
    else if (timed()) store.setWindow(run(), null, false);
  };
  function wheel(e: WheelEvent): void {
    e.preventDefault();
    const at = local(e);
    const lines = e.deltaMode === 1 ? 16 : 1;
    const here = plotUnder(at);
    const plot = scene()?.plots[here];
    if (plot?.wheel && !e.ctrlKey && !e.shiftKey) return stepOption(plot.wheel, e.deltaY);
    const scrolls = overflow() > 0 && (e.altKey || here < 0 || plot?.camera !== "x");
    if (scrolls) return void setScroll((y) => Math.min(overflow(), Math.max(0, y + e.deltaY * lines)));
    if (plot?.camera !== "x") return;
    const sideways = e.shiftKey ? e.deltaY + e.deltaX : e.deltaX;
    const w = window();
    if (Math.abs(sideways) > Math.abs(e.shiftKey ? 0 : e.deltaY)) {
      return store.setWindow(
        run(),
        slid(w, whole(), ((sideways * lines) / Math.max(1, plot.rect.w)) * length(w)),
      );
    }
    const value = valuesAt(plot, cameras()[here] ?? null, at.x, at.y).x ?? (w[0] + w[1]) / 2;
    store.setWindow(
      run(),
      zoomed(w, whole(), value, Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.002))),
    );
  }
  /** The wheel walks the values of an option. */
  let turned = 0;
  function stepOption(name: string, by: number): void {
    const opt = props.view.options.find((o) => o.name === name);
    turned += by;
    if (!opt || Math.abs(turned) < 60) return;
    const up = turned < 0;
    turned = 0;
    const now = valueOf(opt, store.state().options[props.view.name] ?? {});
    const current = now === "auto" ? (answer()?.settled[name] ?? now) : now;
    const next = stepped(opt, current, up);
    if (next !== null)
      store.update(
        (s) => withOption(s, props.view.name, name, next === opt.usual ? null : next),
        "option",
        true,
      );
  }

  const note = () => scene()?.note ?? null;
  const places = () => store.scopeOf(run()).places;
  return (
    <div class="plot">
      <canvas
        ref={canvas}
        class="fill"
        tabindex="0"
        role="img"
        aria-label={`${props.view.title}. Shift+T shows it as a table.`}
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
      <Show when={answers.waitsForStart() || answers.progress()}>
        <div class="centre">
          <Slow
            title={props.view.title}
            about={props.view.about}
            progress={answers.progress()}
            since={answers.busySince()}
            onStart={answers.start}
            onCancel={answers.cancel}
          />
        </div>
      </Show>
      <Show when={(!scene() && !props.view.slow) || answers.error()}>
        <Waiting what={props.view.title} error={answers.error()} />
      </Show>
      <Show when={scene()} keyed>
        {(s) => (
          <div class="plot-foot">
            <Legend scene={s} />
            <Show when={note()}>
              {(text) => (
                <span class="note" title={text()}>
                  {text()}
                </span>
              )}
            </Show>
            <Show when={places()}>
              {(text) => (
                <button
                  type="button"
                  class="chip"
                  title="Only these places count: click for all"
                  onClick={() =>
                    store.update((state) => withScope(state, run(), { places: undefined }), "window")
                  }
                >
                  places {separated(rangesOf(text()).reduce((sum, [a, b]) => sum + b - a + 1, 0))} ×
                </button>
              )}
            </Show>
            <Show when={overflow() > 0}>
              <span class="quiet">more below: drag, or wheel over the names</span>
            </Show>
            <Busy since={answers.busySince()} />
            <Show when={timed()}>
              <span class="quiet num">
                {quantity(length(window()), store.runInfo(run())?.clock ?? "ns")} shown
              </span>
            </Show>
          </div>
        )}
      </Show>
    </div>
  );
}

/** The next value of an option, up or down; null at its end. */
function stepped(opt: View["options"][number], value: string, up: boolean): string | null {
  const { kind } = opt;
  if (kind.is === "choice") {
    const at = kind.values.findIndex(([of]) => of === value);
    return kind.values[at + (up ? 1 : -1)]?.[0] ?? null;
  }
  if (kind.is !== "number") return null;
  const number = Number(value);
  const next = kind.log ? number * (up ? 1.25 : 0.8) : number + (up ? 1 : -1);
  return next < kind.least || next > kind.most ? null : String(Number(next.toPrecision(4)));
}
