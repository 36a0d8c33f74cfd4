// Plots in a pane: the picture of their look, the window of time that they share with all panes of the run,
// what is scrolled, what is lit. A scene that is late is stretched to its true place.

import { createMemo, createSignal } from "solid-js";
import { ofWindow, scrolled, type Mapping } from "../draw/mapping";
import { boxOf } from "../draw/marks";
import { placedNow, progress, tween, type Tween } from "../draw/tween";
import { keyOf, lookOf } from "../look";
import { firstOf, single } from "../selection";
import { treeOf, withOption } from "../state";
import { keysOf, nameOf, treeDecl, valueOf } from "../views";
import { NONE, type Scene } from "../scene";
import { createActs } from "./act";
import { createAnswers } from "./answers";
import { bestOf, createMeaning, litIn, ownLit } from "./light";
import { around, length, shown, slid, zoomed } from "./time";
import type { Shown } from "../ask";
import type { Store } from "../store";
import type { Look } from "../protocol/Look";
import type { Opt } from "../protocol/Opt";
import type { Plot } from "../protocol/Plot";
import type { Press } from "../protocol/Press";
import type { SceneAnswer } from "../protocol/SceneAnswer";
import type { Selection } from "../protocol/Selection";
import type { Span } from "../protocol/Span";
import type { View } from "../protocol/View";

/** Changes after which nothing moves by itself: the picture is already where the hand has put it. */
const PUT = ["window", "undo", "redo"];

export type Plots = ReturnType<typeof createPlots>;

export function createPlots(store: Store, pane: () => number, view: View) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const [scene, setScene] = createSignal<Scene | null>(null);
  const [answer, setAnswer] = createSignal<SceneAnswer | null>(null);
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  const [scroll, setScroll] = createSignal(0);
  let way: Tween | null = null;

  const own = () => store.state().panes[pane()];
  const run = () => own()?.run ?? 0;
  const whole = (): Span => store.whole(run()) ?? [0, 1];
  const window = createMemo<Span>(() => shown(store.scopeOf(run()).time, whole()), [0, 0], {
    equals: (a, b) => a[0] === b[0] && a[1] === b[1],
  });
  const look = createMemo<Look | null>(
    () => {
      const p = own();
      const info = p && store.runInfo(p.run);
      if (!p || !info || size().w < 10 || p.view !== view.name) return null;
      return lookOf(store.state(), info, view, p, size());
    },
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );

  /** As the marks of the picture number them. */
  const trees = createMemo<string[]>(
    () => {
      const said = answer()?.trees ?? [];
      return said.length > 0 ? said : keysOf(store.state(), run(), view, store.runInfo(run()));
    },
    [],
    { equals: (a, b) => a.join() === b.join() },
  );
  /** What the selection is asked in: the look with the trees that its marks name, and how its own was made. */
  const lightLook = createMemo<Look | null>(() => {
    const at = look();
    const of = store.state().selected;
    if (!at) return null;
    const each = (key: string): boolean => view.trees.includes(`${nameOf(key)}/*`);
    const keys = [...trees(), ...(of && of.run === run() && !each(of.tree) ? [of.tree] : [])];
    const states = keys.map((key) => [key, treeOf(store.state(), run(), key)] as const);
    return { ...at, trees: Object.fromEntries(states) };
  });

  function install({ scene: next, answer: said }: Shown): void {
    const old = scene();
    setAnswer(said);
    if (!next || next === old) return;
    const moves = old !== null && !still.matches && !PUT.includes(store.history().last.kind);
    const began = performance.now();
    const fits = moves && old.width === next.width;
    way = fits ? tween(old, next, { placed: placedNow(old, way, began), began }) : null;
    setScene(next);
    if (scroll() > overflow()) setScroll(overflow());
  }
  const answers = createAnswers(store, {
    wanted: look,
    slow: () => view.slow,
    arrived: (_, s) => install(s),
  });
  const { act } = createActs(store, { pane, look, answers, install });

  const meaning = createMeaning(store, lightLook);
  const lit = createMemo(() => {
    const s = scene();
    if (!s) return null;
    const meant = meaning();
    const found = meant
      ? bestOf(meant.answer, meant.of, trees())
      : ownLit(store.state().selected, run(), trees());
    return litIn(s, found, false);
  });

  const timed = (): boolean => scene()?.plots.some((p) => p.camera === "x") ?? false;
  const overflow = (): number => {
    const plot = scene()?.plots.find((p) => p.scroll !== null);
    return plot ? Math.max(0, (plot.scroll ?? 0) - plot.rect.h) : 0;
  };
  const offset = (plot: Plot): number => (plot.scroll === null ? 0 : Math.min(scroll(), overflow()));
  const cameras = (): (Mapping | null)[] =>
    (scene()?.plots ?? []).map((plot) => {
      if (plot.camera === "x" && plot.x) return ofWindow(plot, window(), offset(plot));
      return plot.scroll === null ? null : scrolled(offset(plot));
    });
  const setWindow = (next: Span | null, continuous = true): void => store.setWindow(run(), next, continuous);
  const scrollTo = (y: number): void => void setScroll(Math.min(overflow(), Math.max(0, y)));
  const zoomAt = (value: number, factor: number): void => setWindow(zoomed(window(), whole(), value, factor));
  const zoom = (factor: number): void => {
    if (timed()) zoomAt((window()[0] + window()[1]) / 2, factor);
  };

  const treeOption = (key: string, name: string): Opt | undefined =>
    treeDecl(store.runInfo(run()), key)?.options.find((o) => o.name === name);

  /** The wheel walks the values of an option. */
  function stepOption(name: string, up: boolean): void {
    const own = view.options.find((o) => o.name === name);
    const tree = own ? undefined : trees().find((key) => treeOption(key, name));
    const opt = own ?? (tree === undefined ? undefined : treeOption(tree, name));
    if (!opt) return;
    const s = store.state();
    const values = tree === undefined ? (s.options[view.name] ?? {}) : treeOf(s, run(), tree).with;
    const now = valueOf(opt, values);
    const next = stepped(opt, now === "auto" ? (answer()?.settled[name] ?? now) : now, up);
    if (next === null) return;
    const value = next === opt.usual ? null : next;
    if (tree !== undefined) store.setTreeOption(run(), tree, name, value, true);
    else store.update((page) => withOption(page, view.name, name, value), "option", true);
  }

  const boxIn = (s: Scene, of: Selection): number => {
    const tree = of.run === run() ? trees().indexOf(of.tree) : -1;
    return tree < 0 ? -1 : boxOf(s, firstOf(of), tree);
  };
  return {
    scene,
    answer,
    size,
    setSize,
    look,
    trees,
    run,
    whole,
    window,
    answers,
    act,
    meaning,
    lit,
    timed,
    overflow,
    scroll,
    scrollTo,
    cameras,
    setWindow,
    zoomAt,
    zoom,
    stepOption,
    tween: (): Tween | null => (way && progress(way, performance.now()) < 1 ? way : null),
    pan: (dx: number, dy: number): boolean => {
      if (dy !== 0 && overflow() > 0) scrollTo(scroll() + dy * size().h);
      else if (dy !== 0) zoom(dy < 0 ? 1.4 : 1 / 1.4);
      else if (timed()) setWindow(slid(window(), whole(), dx * length(window())));
      return true;
    },
    reveal: async (of: Selection, near = false): Promise<void> => {
      const time = (await store.about(of)).time ?? of.time;
      const [from, to] = window();
      if (time && (near || time[0] < from || time[1] > to)) setWindow(around(time, whole()), false);
    },
    press: (of: Selection): Press => {
      const s = scene();
      const box = s ? boxIn(s, of) : -1;
      return s && box >= 0 ? s.styles[s.boxes.style[box]!]!.press : "none";
    },
    first: (): Selection | null => {
      const s = scene();
      const box = s ? s.boxes.node.findIndex((node) => node !== NONE) : -1;
      const tree = s && box >= 0 ? trees()[s.boxes.tree[box]!] : undefined;
      return s && tree !== undefined ? single(run(), tree, s.boxes.node[box]!) : null;
    },
    stats: () => ({
      boxes: (scene()?.boxes.n ?? 0) + (scene()?.grids.reduce((sum, g) => sum + g.nx * g.ny, 0) ?? 0),
      links: scene()?.links.n ?? 0,
      visible: answer()?.visible ?? 0,
      serverMs: answer()?.ms ?? 0,
    }),
  };
}

/** The next value of an option, up or down; null at its end. */
export function stepped({ kind }: Opt, value: string, up: boolean): string | null {
  if (kind.is === "choice") {
    const at = kind.values.findIndex(([of]) => of === value);
    return kind.values[at + (up ? 1 : -1)]?.[0] ?? null;
  }
  if (kind.is !== "number") return null;
  const number = Number(value);
  // Things that are counted go one by one.
  const next = kind.log && kind.unit !== "count" ? number * (up ? 1.25 : 0.8) : number + (up ? 1 : -1);
  return next < kind.least || next > kind.most ? null : String(Number(next.toPrecision(4)));
}
