// A graph of one run as the page holds it, the task DAG or the grain graph: the picture of the current cut, the way
// there from the last one, and the actions that change the cut. Watches the view state, asks the server, keeps recent
// pictures so that undo is instant. What differs between the two graphs is a Kind (dag.ts, grain.ts).

import { createEffect, createRoot, createSignal, on } from "solid-js";
import { alike, anchored, home, kept, revealing, rootX, snug, type Size } from "../draw/camera";
import { around, boxOf, boxRect, nearest } from "../draw/marks";
import { placedNow, progress, tween, type Tween } from "../draw/tween";
import { complain, hello, history, linkedRun, socket, state, tell, update } from "../page";
import { latest } from "../socket";
import { withRun, type Camera, type GraphId, type RunState } from "../state";
import { separated } from "../format";
import type { Picture } from "../scene";
import type { Action } from "../protocol/Action";
import type { SceneRequest } from "../protocol/SceneRequest";

/** Visible nodes at which "open everything below" stops and asks. */
export const ASK_AT = 5000;
/** Nodes that the server shows at most. */
const MOST = 20_000;
const KEEP = 24;

/** Where a graph keeps its part of the view state, and what besides the cut decides its picture. */
export interface Kind {
  view: GraphId;
  cut: (r: RunState) => string;
  camera: (r: RunState) => Camera | null;
  selected: (r: RunState) => number | null;
  change: (part: { cut?: string; camera?: Camera | null; selected?: number | null }) => Partial<RunState>;
  look: (run: number) => Partial<SceneRequest>;
  /** How much of the graph a picture shows, in words. */
  shown: (run: number, picture: Picture) => string;
  /** How to see more when opening stopped. */
  goOn: string;
  /** Told after an action led to a node. */
  led?: (run: number, node: number) => void;
}

export interface Graph {
  view: GraphId;
  run: number;
  picture: () => Picture | null;
  /** Goes up whenever something has to be painted again. */
  version: () => number;
  error: () => string | null;
  /** Milliseconds since the answer that is being waited for was asked, or null. */
  busySince: () => number | null;
  tween: () => Tween | null;
  /** The camera in use: the chosen one, or where the page puts it. */
  camera: () => Camera;
  size: Size;
  selected: () => number | null;
  move: (camera: Camera | null) => void;
  /** Changes the cut; `anchor` is the node that keeps its place. Gives the new picture, or null when it failed. */
  act: (action: Action, anchor: number | null) => Promise<Picture | null>;
  /** When all actions so far are done: what is decided by the picture is decided by the newest. */
  settled: () => Promise<unknown>;
  /** Back to the cut that the graph opens with. */
  reset: () => void;
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** One model per run, made when first asked for. */
export function graphs(kind: Kind): (run: number) => Graph {
  const models = new Map<number, Graph>();
  const of = (run: number): Graph => {
    let model = models.get(run);
    if (!model) models.set(run, (model = createRoot(() => create(kind, run, of))));
    return model;
  };
  return of;
}

function create(kind: Kind, run: number, mates: (run: number) => Graph): Graph {
  const [picture, setPicture] = createSignal<Picture | null>(null);
  const [version, setVersion] = createSignal(0);
  const [error, setError] = createSignal<string | null>(null);
  const [busySince, setBusy] = createSignal<number | null>(null);
  const recent = new Map<string, Picture>();
  const size: Size = { w: 800, h: 600 };
  let shownKey = "";
  let way: Tween | null = null;
  let chain: Promise<unknown> = Promise.resolve();

  const runState = () => state().runs[run]!;
  const cut = () => kind.cut(runState());
  const chosen = () => kind.camera(runState());
  const keyWith = (text: string): string => JSON.stringify([text, kind.look(run)]);
  const extent = (p: Picture): Size => ({ w: p.width, h: p.height });
  const request = (action: Action | null): SceneRequest => ({
    run, view: kind.view, cut: cut(), action, colour: state().colour, scale: state().scale, critical: state().critical,
    window: null, width: size.w, height: size.h, focus: null, lens: null, alike: false, path_of: null, ...kind.look(run),
  });

  function homeCamera(): Camera {
    const p = picture();
    if (!p) return { x: 0, y: 0, k: 1 };
    return home(extent(p), size, rootX(p));
  }
  const camera = (): Camera => chosen() ?? homeCamera();

  function keep(key: string, p: Picture): void {
    recent.delete(key);
    recent.set(key, p);
    if (recent.size > KEEP) recent.delete(recent.keys().next().value!);
  }

  /** Puts a picture on the screen; `before` is the camera under which the old one was seen. */
  function install(key: string, p: Picture, acted: number | null, before: Camera | null): void {
    const old = picture();
    const now = performance.now();
    shownKey = key;
    keep(key, p);
    setError(null);
    if (p === old) return;
    const placed = old ? placedNow(old, way, now) : null;
    setPicture(p);
    const after = camera();
    const shift = before ? { x: after.x - before.x, y: after.y - before.y } : { x: 0, y: 0 };
    way = old && placed && !still.matches ? tween(old, p, { placed, acted, shift, began: now }) : null;
    setVersion((v) => v + 1);
  }

  /** Another look at the same cut (lens, scale, colour): what was selected or in the middle stays where it was. */
  function relook(key: string, p: Picture): void {
    const old = picture();
    const before = old ? camera() : null;
    if (old && before && !TRAVELLED.includes(history().last.kind)) {
      const after = inSight(anchored(old, p, stays(old), before) ?? before, p, stays(old));
      const same = after.x === before.x && after.y === before.y && old.width === p.width && old.height === p.height;
      shownKey = key;
      if (!same) update((s) => withRun(s, run, kind.change({ camera: after })), "");
    }
    install(key, p, null, before);
  }

  /** What should keep its place when the layout changes: the selection if it can be seen, else what is in the middle; then what holds it. */
  function stays(p: Picture): number[] {
    const c = camera();
    const node = kind.selected(runState());
    const own = node === null ? -1 : boxOf(p, node);
    const seen = own >= 0 && onScreen(boxRect(p, own), c, size);
    const i = seen ? own : nearest(p, c.x, c.y);
    return i < 0 ? [] : around(p, i).map((box) => p.boxes.node[box]!);
  }

  /** When everything that should have stayed has left the screen, the camera goes after it. */
  function inSight(c: Camera, p: Picture, nodes: number[]): Camera {
    const at = nodes.map((node) => boxOf(p, node)).find((i) => i >= 0);
    if (at === undefined) return kept(c, extent(p), size);
    return onScreen(boxRect(p, at), c, size) ? c : revealing(c, size, boxRect(p, at));
  }

  const load = latest(
    (_: { key: string; cut: string }) => {
      setBusy(performance.now());
      return socket.scene(request(null));
    },
    (p, q) => {
      setBusy(null);
      // While a slider is dragged the answer is always a little late: shown all the same.
      if (q.cut === cut()) relook(q.key, p);
      else keep(q.key, p);
    },
    (e) => {
      setBusy(null);
      if (picture()) complain(e);
      else setError(e.message);
    },
  );

  createEffect(
    on(
      () => (hello() ? keyWith(cut()) : null),
      (key) => {
        if (key === null || key === shownKey) return;
        const known = recent.get(key);
        if (!known) load({ key, cut: cut() });
        else if (TRAVELLED.includes(history().last.kind)) install(key, known, null, lastDrawn);
        else relook(key, known);
      },
    ),
  );
  // The camera under which the last frame was drawn: undo changes camera and cut at once.
  let lastDrawn: Camera | null = null;
  createEffect(() => {
    const c = camera();
    queueMicrotask(() => (lastDrawn = c));
  });

  async function perform(action: Action, anchor: number | null): Promise<Picture | null> {
    setBusy(performance.now());
    try {
      const before = camera();
      const old = picture();
      const p = await socket.scene(request(action));
      const target = p.select ?? (action.do === "reveal" ? action.node : null);
      const after = action.do === "depth" ? null : afterAction(action, old, p, before, anchor, target);
      const key = keyWith(p.cut);
      // Known before the state changes, so that the effect finds it and does not ask again.
      shownKey = key;
      const led = p.select === null ? {} : { selected: p.select };
      update((s) => withRun(s, run, kind.change({ cut: p.cut, camera: after, ...led })), action.do);
      install(key, p, anchor, before);
      if (p.select !== null) kind.led?.(run, p.select);
      if (p.stopped) sayStopped(action, p, anchor);
      setBusy(null);
      return p;
    } catch (e) {
      complain(e);
    }
    setBusy(null);
    return null;
  }

  /** There was no room for everything: how much is open, and how to go on. */
  function sayStopped(action: Action, p: Picture, anchor: number | null): void {
    const more = action.do === "below" ? action.limit * 4 : 0;
    tell({
      text: `Stopped before there would be too much to see: ${kind.shown(run, p)}. ${kind.goOn}`, problem: false,
      action: action.do === "below" && action.limit < MOST ? { title: `Open up to ${separated(Math.min(MOST, more))}`, run: () => void act({ ...action, limit: Math.min(MOST, more) }, anchor) } : undefined,
    });
  }

  /** Unchanged things stay where they are; where the action leads comes into sight. */
  function afterAction(action: Action, old: Picture | null, p: Picture, before: Camera, anchor: number | null, target: number | null): Camera | null {
    let after = chosen() ?? (old ? before : null);
    const rect = (node: number | null) => {
      const i = node === null ? -1 : boxOf(p, node);
      return i < 0 ? null : boxRect(p, i);
    };
    if (after && old) {
      const to = target === null ? -1 : boxOf(p, target);
      const nodes = to >= 0 ? around(p, to).map((i) => p.boxes.node[i]!) : anchor === null ? stays(old) : [anchor];
      const moved = anchored(old, p, nodes, after);
      const own = rect(anchor);
      if (!moved && own) after = revealing(after, size, own);
      else after = moved ?? after;
      if (action.do === "close" && own) after = revealing(after, size, own);
    }
    const goal = rect(target);
    return goal ? snug(revealing(after ?? before, size, goal), extent(p), size) : after;
  }

  // One after the other: each action starts from the cut that the one before it made.
  const act = (action: Action, anchor: number | null): Promise<Picture | null> => {
    const done = chain.then(() => perform(action, anchor));
    chain = done;
    return done;
  };

  function move(to: Camera | null): void {
    const other = linkedRun(run);
    const p = picture();
    const next = to && p ? kept(to, extent(p), size) : to;
    update((s) => {
      const changed = withRun(s, run, kind.change({ camera: next }));
      const mate = other === null ? null : mates(other).picture();
      if (other === null || !mate || !p) return changed;
      return withRun(changed, other, kind.change({ camera: next && alike(next, extent(p), extent(mate)) }));
    }, "camera", true);
  }

  return {
    view: kind.view, run, picture, version, error, busySince, camera, size, move, act,
    selected: () => kind.selected(runState()),
    settled: () => chain,
    tween: () => (way && progress(way, performance.now()) < 1 ? way : null),
    reset: () => update((s) => withRun(s, run, kind.change({ cut: "", camera: null })), "cut"),
  };
}

/** Changes of the view state that bring their own camera along. */
const TRAVELLED = ["undo", "redo", "address", "alike"];

function onScreen(r: { x: number; y: number; w: number; h: number }, c: Camera, v: Size): boolean {
  const [w, h] = [v.w / c.k / 2, v.h / c.k / 2];
  return r.x < c.x + w && r.x + r.w > c.x - w && r.y < c.y + h && r.y + r.h > c.y - h;
}
