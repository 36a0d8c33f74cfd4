// The DAG of one run as the page holds it: the picture of the current cut, the way there from the last one, and the
// actions that change the cut. Watches the view state, asks the server, keeps recent pictures so that undo is instant.

import { createEffect, createRoot, createSignal, on } from "solid-js";
import { alike, home, kept, revealing, type Size } from "../draw/camera";
import { placedNow } from "../draw/dag";
import { boxOf, rectOf } from "../draw/marks";
import { progress, tween, type Tween } from "../draw/tween";
import { complain, hello, linkedRun, socket, state, tell, update } from "../page";
import { latest } from "../socket";
import { withRun, type Camera } from "../state";
import { separated } from "../format";
import type { Picture } from "../scene";
import type { Action } from "../protocol/Action";
import type { SceneRequest } from "../protocol/SceneRequest";

/** Visible nodes at which "open everything below" stops and asks. */
export const ASK_AT = 5000;
const KEEP = 24;

export interface Dag {
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
  move: (camera: Camera | null) => void;
  act: (action: Action, anchor: number | null) => Promise<void>;
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
const models = new Map<number, Dag>();

export function dagOf(run: number): Dag {
  let model = models.get(run);
  if (!model) models.set(run, (model = createRoot(() => create(run))));
  return model;
}

function create(run: number): Dag {
  const [picture, setPicture] = createSignal<Picture | null>(null);
  const [version, setVersion] = createSignal(0);
  const [error, setError] = createSignal<string | null>(null);
  const [busySince, setBusy] = createSignal<number | null>(null);
  const recent = new Map<string, Picture>();
  const size: Size = { w: 800, h: 600 };
  let shownKey = "";
  let way: Tween | null = null;
  let chain: Promise<void> = Promise.resolve();

  const runState = () => state().runs[run]!;
  const keyWith = (cut: string): string => JSON.stringify([cut, state().colour, state().scale, state().critical]);
  const extent = (p: Picture): Size => ({ w: p.head.width, h: p.head.height });

  const request = (action: Action | null): SceneRequest => ({
    run, view: "dag", cut: runState().cut, action, colour: state().colour, scale: state().scale,
    window: null, width: size.w, height: size.h, critical: state().critical, focus: null,
  });

  function homeCamera(): Camera {
    const p = picture();
    if (!p) return { x: 0, y: 0, k: 1 };
    const rootX = p.boxes.n > 0 ? p.boxes.x[0]! + p.boxes.w[0]! / 2 : p.head.width / 2;
    return home(extent(p), size, rootX);
  }
  const camera = (): Camera => runState().camera ?? homeCamera();

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
    way = old && placed && !still.matches ? tween(old, placed, p, acted, shift, now) : null;
    setVersion((v) => v + 1);
  }

  const load = latest(
    (key: string) => {
      setBusy(performance.now());
      return socket.scene(request(null)).then((p) => ({ p, key }));
    },
    ({ p, key }) => {
      setBusy(null);
      if (key === keyWith(runState().cut)) install(key, p, null, picture() ? camera() : null);
      else keep(key, p);
    },
    (e) => {
      setBusy(null);
      setError(e.message);
    },
  );

  createEffect(
    on(
      () => (hello() ? keyWith(runState().cut) : null),
      (key) => {
        if (key === null || key === shownKey) return;
        const known = recent.get(key);
        if (known) install(key, known, null, lastDrawn);
        else load(key);
      },
    ),
  );
  // The camera under which the last frame was drawn: undo changes camera and cut at once.
  let lastDrawn: Camera | null = null;
  createEffect(() => {
    const c = camera();
    queueMicrotask(() => (lastDrawn = c));
  });

  async function perform(action: Action, anchor: number | null): Promise<void> {
    setBusy(performance.now());
    try {
      const before = camera();
      const old = picture();
      const p = await socket.scene(request(action));
      const from = anchor === null || !old ? -1 : boxOf(old, anchor);
      const to = anchor === null ? -1 : boxOf(p, anchor);
      let after: Camera | null = runState().camera ?? (old ? before : null);
      if (after && to >= 0) {
        const rect = rectOf(p, to);
        if (from >= 0 && old) {
          const was = rectOf(old, from);
          after = { ...after, x: after.x + rect.x + rect.w / 2 - was.x - was.w / 2, y: after.y + rect.y - was.y };
          if (action.do === "close") after = revealing(after, size, rect);
        } else {
          after = revealing(after, size, rect);
        }
      }
      if (action.do === "reveal" && to >= 0) after = revealing(after ?? before, size, rectOf(p, to));
      if (action.do === "depth") after = null;
      const key = keyWith(p.cut);
      // Known before the state changes, so that the effect finds it and does not ask again.
      shownKey = key;
      update((s) => withRun(s, run, { cut: p.cut, camera: after }), action.do);
      install(key, p, anchor, before);
      if (action.do === "below" && p.visible >= action.limit) {
        const more = action.limit * 4;
        tell({
          text: `Stopped at ${separated(p.visible)} visible nodes; more lie below.`, problem: false,
          action: action.limit < 20_000 ? { title: `Open up to ${separated(more)}`, run: () => void act({ ...action, limit: more }, anchor) } : undefined,
        });
      }
    } catch (e) {
      complain(e);
    }
    setBusy(null);
  }
  // One after the other: each action starts from the cut that the one before it made.
  const act = (action: Action, anchor: number | null): Promise<void> => (chain = chain.then(() => perform(action, anchor)));

  function move(to: Camera | null): void {
    const other = linkedRun(run);
    const p = picture();
    const next = to && p ? kept(to, extent(p), size) : to;
    update((s) => {
      const changed = withRun(s, run, { camera: next });
      const mate = other === null ? null : dagOf(other).picture();
      if (other === null || !mate || !p) return changed;
      return withRun(changed, other, { camera: next && alike(next, extent(p), extent(mate)) });
    }, "camera", true);
  }

  return {
    picture, version, error, busySince, camera, size, move, act,
    tween: () => (way && progress(way, performance.now()) < 1 ? way : null),
  };
}
