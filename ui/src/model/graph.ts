// A graph in a pane: the picture of its look, the way there from the last one, the camera over it. Watches
// the state, and keeps what should stay where it was when the layout changes.

import { createMemo, createSignal } from "solid-js";
import {
  alike,
  anchored,
  fitted,
  home,
  kept,
  panned,
  revealing,
  rootX,
  snug,
  zoomedAt,
} from "../draw/camera";
import { around, boxOf, nearest, rectOf } from "../draw/marks";
import { placedNow, progress, tween, type Tween } from "../draw/tween";
import { mates, withPane, type Camera } from "../state";
import { inSteps, keyOf, lookOf } from "../look";
import { firstOf, single } from "../selection";
import { NONE, type Scene } from "../scene";
import { keysOf } from "../views";
import { createActs } from "./act";
import { createAnswers } from "./answers";
import type { Bench } from "../bench";
import type { Shown } from "../ask";
import type { ActCall } from "../protocol/ActCall";
import type { Look } from "../protocol/Look";
import type { Press } from "../protocol/Press";
import type { SceneAnswer } from "../protocol/SceneAnswer";
import type { Selection } from "../protocol/Selection";
import type { View } from "../protocol/View";

interface Size {
  w: number;
  h: number;
}

export type Graph = ReturnType<typeof createGraph>;

/** Changes of the state that bring their own camera along. */
const TRAVELLED = ["undo", "redo", "address", "look", "view"];

export function createGraph(
  { store, controls }: Pick<Bench, "store" | "controls">,
  pane: () => number,
  view: View,
) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const [scene, setScene] = createSignal<Scene | null>(null);
  const [answer, setAnswer] = createSignal<SceneAnswer | null>(null);
  const [version, setVersion] = createSignal(0);
  const [acting, setActing] = createSignal<number | null>(null);
  const [size, setSize] = createSignal<Size>(
    { w: 0, h: 0 },
    { equals: (a, b) => a.w === b.w && a.h === b.h },
  );
  let way: Tween | null = null;

  const own = () => store.state().panes[pane()];
  const run = () => own()?.run ?? 0;
  const trees = createMemo(() => keysOf(store.state(), run(), view, store.runInfo(run())), [], {
    equals: (a, b) => a.join() === b.join(),
  });
  const look = createMemo<Look | null>(
    () => {
      const p = own();
      const info = p && store.runInfo(p.run);
      if (!p || !info || size().w < 10 || p.view !== view.name) return null;
      return lookOf(store.state(), info, view, p, inSteps(size().w, size().h));
    },
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );

  const extent = (s: Scene): Size => ({ w: s.width, h: s.height });
  const chosen = (): Camera | null => own()?.camera ?? null;
  const camera = (): Camera => {
    const s = scene();
    return chosen() ?? (s ? home(extent(s), size(), rootX(s)) : { x: 0, y: 0, k: 1 });
  };
  const treeAt = (of: Selection): number => (of.run === run() ? trees().indexOf(of.tree) : -1);
  const boxIn = (s: Scene, of: Selection | null): number => {
    const tree = of ? treeAt(of) : -1;
    return of && tree >= 0 ? boxOf(s, firstOf(of), tree) : -1;
  };
  const rectAt = (s: Scene, box: number) => rectOf(s, { kind: "boxes", index: box });

  /** Puts a picture on the screen; `before` is the camera under which the old one was seen. */
  function install(shown: Shown, acted: Selection | null, before: Camera | null): void {
    const old = scene();
    const next = shown.scene;
    setAnswer(shown.answer);
    if (!next || next === old) return;
    const began = performance.now();
    const placed = old ? placedNow(old, way, began) : undefined;
    setScene(next);
    const after = camera();
    const shift = before ? { x: after.x - before.x, y: after.y - before.y } : { x: 0, y: 0 };
    const tree = acted ? treeAt(acted) : -1;
    const at = acted && tree >= 0 ? { acted: firstOf(acted), tree } : {};
    way = old && !still.matches ? tween(old, next, { placed, ...at, shift, began }) : null;
    setVersion((v) => v + 1);
  }

  /**
   * Another look at the same thing (lens, options): what was selected or in the middle stays where it was.
   */
  function relook(shown: Shown): void {
    const old = scene();
    const next = shown.scene;
    const before = old ? camera() : null;
    if (old && before && next && !TRAVELLED.includes(store.history().last.kind)) {
      const nodes = stays(old);
      const after = inSight(anchored(old, next, nodes, before) ?? before, next, nodes);
      const same =
        after.x === before.x &&
        after.y === before.y &&
        old.width === next.width &&
        old.height === next.height;
      if (!same) store.update((s) => withPane(s, pane(), { camera: after }), "");
    }
    install(shown, null, before);
  }

  /**
   * What should keep its place: the selection if it can be seen, else what is in the middle; then what holds
   * it.
   */
  function stays(s: Scene): number[] {
    const c = camera();
    const box = boxIn(s, store.state().selected);
    const seen = box >= 0 && isSeen(rectAt(s, box), c, size());
    const at = seen ? box : nearest(s, c.x, c.y);
    return at < 0 ? [] : around(s, at).map((i) => s.boxes.node[i]!);
  }

  /** When everything that should have stayed has left the screen, the camera goes after it. */
  function inSight(c: Camera, s: Scene, nodes: number[]): Camera {
    const at = nodes.map((node) => boxOf(s, node)).find((i) => i >= 0);
    if (at === undefined) return kept(c, extent(s), size());
    return isSeen(rectAt(s, at), c, size()) ? c : revealing(c, size(), rectAt(s, at));
  }

  const answers = createAnswers(store, {
    wanted: look,
    slow: () => view.slow,
    lazy: true,
    arrived: (_, shown) => relook(shown),
  });

  /** Unchanged things stay where they are; where an act leads comes into sight. */
  function afterAct({ scene: next, answer: said }: Shown, call: ActCall): Camera | null | undefined {
    const old = scene();
    if (call.name === "depth" || !next) return null;
    const before = camera();
    let after = chosen() ?? (old ? before : null);
    const target = said.select ?? (call.name === "reveal" ? (call.on ?? null) : null);
    const [to, acted] = [boxIn(next, target), boxIn(next, call.on ?? null)];
    if (after && old) {
      const nodes =
        to >= 0
          ? around(next, to).map((i) => next.boxes.node[i]!)
          : acted >= 0
            ? [next.boxes.node[acted]!]
            : stays(old);
      const moved = anchored(old, next, nodes, after);
      if (!moved && acted >= 0) after = revealing(after, size(), rectAt(next, acted));
      else after = moved ?? after;
      if (call.name === "close" && acted >= 0) after = revealing(after, size(), rectAt(next, acted));
    }
    return to >= 0 ? snug(revealing(after ?? before, size(), rectAt(next, to)), extent(next), size()) : after;
  }
  let beforeAct: Camera | null = null;
  const acts = createActs(store, {
    pane,
    look,
    answers,
    busy: setActing,
    camera: (shown, call) => {
      beforeAct = scene() ? camera() : null;
      return afterAct(shown, call);
    },
    install: (shown, call) => install(shown, call.on ?? null, beforeAct),
  });

  /** Moves the camera, and those of other runs that are linked to it. */
  function move(to: Camera | null): void {
    const s = scene();
    const next = to && s ? kept(to, extent(s), size()) : to;
    store.update(
      (state) => {
        let changed = withPane(state, pane(), { camera: next });
        for (const mate of mates(state, pane())) {
          const there = controls.of(mate)?.extent?.();
          if (there && s)
            changed = withPane(changed, mate, { camera: next && alike(next, extent(s), there) });
        }
        return changed;
      },
      "camera",
      true,
    );
  }
  const whole = (): boolean => {
    const [s, c, v] = [scene(), camera(), size()];
    if (!s) return true;
    const [w, h] = [v.w / 2 / c.k, v.h / 2 / c.k];
    return w >= c.x && h >= c.y && w >= s.width - c.x && h >= s.height - c.y;
  };

  return {
    scene,
    answer,
    version,
    size,
    setSize,
    look,
    trees,
    run,
    answers,
    camera,
    move,
    boxIn,
    busySince: () => acting() ?? answers.busySince(),
    tween: (): Tween | null => (way && progress(way, performance.now()) < 1 ? way : null),
    act: acts.act,
    settled: acts.settled,
    extent: (): Size | undefined => {
      const s = scene();
      return s ? extent(s) : undefined;
    },
    zoom: (factor: number): void => move(zoomedAt(camera(), size(), size().w / 2, size().h / 2, factor)),
    pan: (dx: number, dy: number): boolean => {
      if (whole()) return false;
      move(panned(camera(), -dx * size().w, -dy * size().h));
      return true;
    },
    fit: (): void => {
      const s = scene();
      if (s) move(fitted(extent(s), size()));
    },
    press: (of: Selection): Press | "hidden" => {
      const s = scene();
      const box = s ? boxIn(s, of) : -1;
      return s && box >= 0 ? s.styles[s.boxes.style[box]!]!.press : "hidden";
    },
    /** The root, or what comes first in the tree. */
    first: (): Selection | null => {
      const [s, tree] = [scene(), trees()[0]];
      if (!s || tree === undefined) return null;
      let least = NONE;
      for (let i = 0; i < s.boxes.n; i++)
        if (s.boxes.tree[i] === 0) least = Math.min(least, s.boxes.node[i]!);
      return least === NONE ? null : single(run(), tree, least);
    },
  };
}

function isSeen(r: { x: number; y: number; w: number; h: number }, c: Camera, v: Size): boolean {
  const [w, h] = [v.w / c.k / 2, v.h / c.k / 2];
  return r.x < c.x + w && r.x + r.w > c.x - w && r.y < c.y + h && r.y + r.h > c.y - h;
}
