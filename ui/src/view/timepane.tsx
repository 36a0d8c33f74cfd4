// The timeline pane: parallelism profile above, rows by worker below, one time axis between, all on one canvas. The
// window is view state shared with the time strip; pictures come from model/timescene and are drawn by draw/timeline.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { moment } from "../draw/axis";
import { drawCounts, drawProfile, layersAt } from "../draw/profile";
import { Surface } from "../draw/surface";
import { across, drawIntervalLabels, drawIntervals, drawStrips, drawTimeGrid, hitRows, type Down, type Plot } from "../draw/timeline";
import { boxOf } from "../draw/marks";
import { fitting, measurer } from "../draw/labels";
import { percent, three, time } from "../format";
import { shown, slid, zoomed } from "../model/time";
import { timeScene } from "../model/timescene";
import { setTip } from "../model/overlay";
import { clockOf, fetchNode, ink, knownNode, runInfo, select, setWindow, state, update, wholeRun } from "../page";
import { tellMarks } from "../probe";
import { NONE } from "../scene";
import type { Span } from "../state";
import type { NodeAnswer } from "../protocol/NodeAnswer";
import { Legend } from "./legend";
import { Waiting } from "./states";

const GUTTER = 88;
const AXIS = 22;
/** Margins of a time picture that the server keeps for names and axis; the page draws its own. */
const SIDES = 84;
const FOOT = 22;
/** Rows are stretched at most by this when there is room. */
const STRETCH = 2.4;

export function TimePane(props: { run: number; pane: number }): JSX.Element {
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  const [scroll, setScroll] = createSignal(0);
  const [pointer, setPointer] = createSignal<{ x: number; y: number } | null>(null);
  const [range, setRange] = createSignal<{ from: number; to: number } | null>(null);
  const [chosen, setChosen] = createSignal<NodeAnswer | null>(null);
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const activate = () => update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "");

  const whole = () => wholeRun(props.run);
  const window = createMemo<Span>(() => shown(state().runs[props.run]!.window, whole()));
  const selected = createMemo(() => state().runs[props.run]!.selected);
  // What the rows do not need goes to the profile.
  const rowsNeed = () => (runInfo(props.run)?.workers ?? 1) * 28 * STRETCH + 8;
  const profileHeight = () => Math.round(Math.min(size().h * 0.45, Math.max(56, size().h * 0.2, size().h - AXIS - 10 - rowsNeed())));
  const profilePlot = (): Plot => ({ left: GUTTER, top: 6, width: Math.max(1, size().w - GUTTER - 8), height: profileHeight() });
  const rowsPlot = (): Plot => {
    const top = 6 + profileHeight() + AXIS;
    return { left: GUTTER, top, width: profilePlot().width, height: Math.max(1, size().h - top - 4) };
  };
  // Everything inside of the selected task or section stands out; a single interval only gets a border.
  createEffect(() => {
    const node = selected();
    setChosen(node === null ? null : (knownNode(props.run, node) ?? null));
    if (node !== null) fetchNode(props.run, node).then((info) => node === selected() && setChosen(info), () => {});
  });
  const focus = () => {
    const info = chosen();
    return info && info.children > 0 && info.path.some((c) => c.node !== info.node) ? info.node : null;
  };

  const rows = timeScene(() => (size().w > 0 ? { run: props.run, view: "timeline", window: window(), width: rowsPlot().width, height: rowsPlot().height + FOOT, sides: SIDES, focus: focus() } : null));
  const profile = timeScene(() => (size().w > 0 ? { run: props.run, view: "profile", window: window(), width: profilePlot().width, height: profileHeight() + FOOT, sides: SIDES, focus: null } : null));
  const extent = () => Math.max(1, (rows.picture()?.height ?? 0) - FOOT);
  const stretch = () => Math.min(STRETCH, Math.max(1, rowsPlot().height / extent()));
  const overflow = () => Math.max(0, extent() * stretch() - rowsPlot().height);
  const offset = (): Down => ({ s: stretch(), o: rowsPlot().top + 2 - Math.min(scroll(), overflow()) });
  const toTime = (x: number): number => window()[0] + ((x - GUTTER) / profilePlot().width) * (window()[1] - window()[0]);
  const toX = (t: number): number => GUTTER + ((t - window()[0]) / (window()[1] - window()[0])) * profilePlot().width;

  function paint(ctx: CanvasRenderingContext2D, w: number): void {
    const [top, bottom] = [profilePlot(), rowsPlot()];
    const clock = clockOf(props.run);
    const workers = runInfo(props.run)?.workers ?? 0;
    const p = profile.picture();
    const r = rows.picture();
    const axisMiddle = top.top + top.height + AXIS / 2 + 1;
    drawTimeGrid(ctx, { ...top, height: size().h - top.top }, window(), whole()[0], clock, ink(), axisMiddle);
    clipped(ctx, top, () => p && drawProfile(ctx, p, across(p, window(), top.left, top.width), top, workers, ink()));
    if (p) drawCounts(ctx, p, top, GUTTER - 8, workers, ink());
    line(ctx, 0, top.top + top.height + 0.5, w);
    line(ctx, 0, bottom.top - 0.5, w);
    if (r) {
      const map = across(r, window(), bottom.left, bottom.width);
      clipped(ctx, bottom, () => {
        drawSelectionBand(ctx, bottom);
        drawStrips(ctx, r, map, bottom, offset(), ink());
        drawIntervals(ctx, r, map, bottom, offset(), ink(), selected(), -1);
        drawIntervalLabels(ctx, r, map, bottom, offset(), ink(), (label) => {
          const i = boxOf(r, r.labels.node[label]!);
          return i >= 0 ? r.boxes.fill[i]! : 0;
        });
      });
      drawRowNames(ctx, bottom);
      tellMarks(r.boxes.n + r.grids.reduce((a, g) => a + g.nx * g.ny, 0), 0, r.serverMs);
    }
    drawSelectionMark(ctx, top.top + top.height);
    drawPointer(ctx, top.top, size().h, axisMiddle);
  }

  function clipped(ctx: CanvasRenderingContext2D, plot: Plot, draw: () => void): void {
    ctx.save();
    ctx.beginPath();
    ctx.rect(plot.left, plot.top, plot.width, plot.height);
    ctx.clip();
    draw();
    ctx.restore();
  }

  function line(ctx: CanvasRenderingContext2D, x: number, y: number, w: number): void {
    ctx.fillStyle = ink().line;
    ctx.fillRect(x, Math.floor(y), w, 1);
  }

  function drawRowNames(ctx: CanvasRenderingContext2D, plot: Plot): void {
    const r = rows.picture()!;
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, plot.top, GUTTER, plot.height);
    ctx.clip();
    ctx.font = `11px ${ink().font}`;
    ctx.textBaseline = "middle";
    ctx.fillStyle = ink().muted;
    const measure = measurer(ctx, ctx.font);
    let last = -Infinity;
    for (let j = 0; j < r.labels.n; j++) {
      if (r.labels.node[j] !== NONE) continue;
      const y = (r.labels.y[j]! - 4) * offset().s + offset().o;
      // Rows lower than a line of text: every second, third, … name is left out rather than written over another.
      if (y - last < 12) continue;
      last = y;
      ctx.fillText(fitting(r.labels.text[j]!, GUTTER - 16, measure), 8, y);
    }
    ctx.restore();
  }

  /** The stretch of time of the selection, behind the rows. */
  function drawSelectionBand(ctx: CanvasRenderingContext2D, plot: Plot): void {
    const info = chosen();
    if (!info || info.node !== selected()) return;
    const [a, b] = [toX(info.time[0]), toX(info.time[1])];
    ctx.fillStyle = ink().accent;
    ctx.globalAlpha = 0.09;
    ctx.fillRect(a, plot.top, Math.max(1, b - a), plot.height);
    ctx.globalAlpha = 1;
  }

  function drawSelectionMark(ctx: CanvasRenderingContext2D, y: number): void {
    const info = chosen();
    if (!info || info.node !== selected()) return;
    const a = Math.max(GUTTER, toX(info.time[0]));
    const b = Math.min(GUTTER + profilePlot().width, toX(info.time[1]));
    if (b < GUTTER || a > GUTTER + profilePlot().width) return;
    ctx.fillStyle = ink().accent;
    ctx.fillRect(a, y, Math.max(2, b - a), 3);
  }

  function drawPointer(ctx: CanvasRenderingContext2D, top: number, bottom: number, axisMiddle: number): void {
    const chosenRange = range();
    if (chosenRange) {
      const [a, b] = [Math.min(chosenRange.from, chosenRange.to), Math.max(chosenRange.from, chosenRange.to)];
      ctx.fillStyle = ink().accent;
      ctx.globalAlpha = 0.18;
      ctx.fillRect(a, top, b - a, bottom - top);
      ctx.globalAlpha = 1;
      ctx.fillRect(a, top, 1, bottom - top);
      ctx.fillRect(b, top, 1, bottom - top);
      tag(ctx, (a + b) / 2, axisMiddle, time(toTime(b) - toTime(a), clockOf(props.run)), ink().accent);
      return;
    }
    const at = pointer();
    if (!at || at.x < GUTTER) return;
    ctx.fillStyle = ink().text;
    ctx.globalAlpha = 0.5;
    ctx.fillRect(Math.round(at.x), top, 1, bottom - top);
    ctx.globalAlpha = 1;
    const perPixel = (window()[1] - window()[0]) / profilePlot().width;
    const p = profile.picture();
    let text = moment(toTime(at.x), whole()[0], perPixel, clockOf(props.run));
    if (p && at.y < rowsPlot().top) {
      const map = across(p, window(), GUTTER, profilePlot().width);
      const layers = layersAt(p, (at.x - map.b) / map.a).filter((l) => l.value > 0.005);
      text += layers.map((l) => ` · ${l.name} ${three(l.value)}`).join("");
    }
    tag(ctx, at.x, axisMiddle, text, ink().text);
  }

  /** A text on the axis that stays inside of the pane. */
  function tag(ctx: CanvasRenderingContext2D, x: number, y: number, text: string, colour: string): void {
    ctx.font = `11px ${ink().font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    const w = measurer(ctx, ctx.font)(text) + 12;
    const left = Math.min(size().w - w - 2, Math.max(GUTTER, x - w / 2));
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.roundRect(left, y - 9, w, 18, 3);
    ctx.fill();
    ctx.fillStyle = ink().surface;
    ctx.fillText(text, left + 6, y + 0.5);
  }

  onMount(() => {
    surface = new Surface(canvas, (ctx, w) => paint(ctx, w), (w, h) => setSize({ w, h }));
    canvas.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => {
      surface?.destroy();
      setTip(null);
    });
  });
  createEffect(() => {
    window();
    rows.picture();
    profile.picture();
    selected();
    chosen();
    scroll();
    pointer();
    range();
    ink();
    size();
    surface?.invalidate();
  });

  const local = (e: MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  };
  const under = (at: { x: number; y: number }) => {
    const r = rows.picture();
    if (!r || at.x < GUTTER || at.y < rowsPlot().top) return null;
    return hitRows(r, across(r, window(), GUTTER, profilePlot().width), offset(), at.x, at.y);
  };
  let drag: { x: number; y: number; window: Span; scroll: number; mode: "none" | "pan" | "range" } | null = null;

  const down = (e: PointerEvent): void => {
    activate();
    if (e.button > 1) return;
    const at = local(e);
    const onAxis = at.y > 6 + profileHeight() && at.y < rowsPlot().top;
    drag = { ...at, window: window(), scroll: Math.min(scroll(), overflow()), mode: "none" };
    if (e.shiftKey || onAxis) drag.mode = "range";
    canvas.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent): void => {
    const at = local(e);
    setPointer(at);
    if (!drag) return hover(at, e);
    setTip(null);
    const [dx, dy] = [at.x - drag.x, at.y - drag.y];
    if (drag.mode === "range") return void setRange({ from: Math.max(GUTTER, drag.x), to: Math.max(GUTTER, at.x) });
    if (drag.mode === "none" && Math.hypot(dx, dy) < 4) return;
    drag.mode = "pan";
    const range = drag.window[1] - drag.window[0];
    setWindow(props.run, slid(drag.window, whole(), (-dx / profilePlot().width) * range));
    setScroll(Math.min(overflow(), Math.max(0, drag.scroll - dy)));
  };
  const hover = (at: { x: number; y: number }, e: MouseEvent): void => {
    const found = under(at);
    if (!found) return void setTip(null);
    setTip({
      run: props.run, view: "dag", node: found.node, kind: "interval", title: "", x: e.clientX, y: e.clientY,
      detail: found.box < 0 ? `longest of several in this cell, which is ${percent(found.full)} busy` : undefined,
    });
    void fetchNode(props.run, found.node).catch(() => {});
  };
  const up = (e: PointerEvent): void => {
    const was = drag;
    const chosenRange = range();
    drag = null;
    setRange(null);
    if (!was || e.button !== 0) return;
    if (chosenRange && Math.abs(chosenRange.to - chosenRange.from) > 3) {
      const [a, b] = [toTime(Math.min(chosenRange.from, chosenRange.to)), toTime(Math.max(chosenRange.from, chosenRange.to))];
      return setWindow(props.run, [a, b], false);
    }
    if (was.mode === "pan") return;
    const found = under(local(e));
    select(props.run, found ? found.node : null);
  };
  function wheel(e: WheelEvent): void {
    e.preventDefault();
    const at = local(e);
    const lines = e.deltaMode === 1 ? 16 : 1;
    const range = window()[1] - window()[0];
    if (e.altKey || at.x < GUTTER) return void setScroll((s) => Math.min(overflow(), Math.max(0, Math.min(s, overflow()) + e.deltaY * lines)));
    const sideways = e.shiftKey ? e.deltaY + e.deltaX : e.deltaX;
    if (Math.abs(sideways) > Math.abs(e.shiftKey ? 0 : e.deltaY)) return setWindow(props.run, slid(window(), whole(), ((sideways * lines) / profilePlot().width) * range));
    setWindow(props.run, zoomed(window(), whole(), toTime(at.x), Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.002))));
  }

  return (
    <div class="plot">
      <canvas
        ref={canvas} class="fill" tabindex="0" role="img"
        aria-label={`Timeline of ${runInfo(props.run)?.workers ?? 0} workers with the parallelism profile. Its table form is view 4.`}
        onPointerDown={down} onPointerMove={move} onPointerUp={up}
        onPointerCancel={() => {
          drag = null;
          setRange(null);
        }}
        onDblClick={() => setWindow(props.run, null, false)}
        onPointerLeave={() => {
          setPointer(null);
          setTip(null);
        }}
      />
      <Show when={!rows.picture() || rows.error()}>
        <Waiting what="timeline" error={rows.error()} />
      </Show>
      <div class="plot-foot">
        <Legend items={[...(profile.picture()?.legend ?? []), ...(rows.picture()?.legend ?? [])]} />
        <span class="spacer" />
        <Show when={rows.picture()?.note ?? null}>{(text) => <span class="note" title={text()}>{text()}</span>}</Show>
        <Show when={overflow() > 0}><span class="quiet">more rows: drag, or wheel over the names</span></Show>
        <span class="quiet num">{time(window()[1] - window()[0], clockOf(props.run))} shown</span>
      </div>
    </div>
  );
}
