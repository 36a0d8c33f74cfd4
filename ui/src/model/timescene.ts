// Time pictures for a pane: which request belongs to the window on the screen, asked again when it changes, one in
// flight. A description of what is wanted goes in as a function of signals, the newest picture comes out as a signal.

import { createEffect, createSignal, untrack } from "solid-js";
import { asked, length } from "./time";
import { hello, socket, state, wholeRun } from "../page";
import { latest } from "../socket";
import type { Picture } from "../scene";
import type { Span } from "../state";
import type { SceneRequest } from "../protocol/SceneRequest";

export interface Wanted {
  run: number;
  view: "timeline" | "profile";
  /** What is on the screen; more is asked, so that panning finds something to draw. */
  window: Span;
  width: number;
  height: number;
  /** What the server takes from the width for names. */
  sides: number;
  focus: number | null;
}

export interface TimeScene {
  picture: () => Picture | null;
  error: () => string | null;
}

/** The window is asked in steps of an eighth of its length, so that a slow pan does not ask for every pixel. */
function coarse(window: Span, whole: Span): Span {
  const grid = 2 ** Math.floor(Math.log2(Math.max(1e-9, length(window)))) / 8;
  const wide = asked(window, whole);
  return [Math.max(whole[0], Math.floor(wide[0] / grid) * grid), Math.min(whole[1], Math.ceil(wide[1] / grid) * grid)];
}

export function timeScene(wanted: () => Wanted | null): TimeScene {
  const [picture, setPicture] = createSignal<Picture | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  let askedFor = "";
  let run = -1;
  const send = latest(
    (q: SceneRequest) => socket.scene(q),
    (p, q) => {
      if (q.run !== run) return;
      setError(null);
      setPicture(p);
    },
    (e) => setError(e.message),
  );
  createEffect(() => {
    const w = wanted();
    if (!w || !hello() || w.width < 10 || w.height < 10) return;
    const s = state();
    const window = coarse(w.window, wholeRun(w.run));
    const request: SceneRequest = {
      run: w.run, view: w.view, cut: "", action: null, colour: s.colour, scale: s.scale,
      window: [window[0], window[1]], width: Math.round((w.width * length(window)) / Math.max(1e-9, length(w.window))) + w.sides, height: Math.round(w.height),
      critical: w.view === "timeline" && s.critical, focus: w.view === "timeline" ? w.focus : null, lens: null, alike: false, path_of: null,
    };
    const key = JSON.stringify(request);
    if (key === askedFor) return;
    askedFor = key;
    if (run !== w.run) {
      run = w.run;
      if (untrack(picture)) setPicture(null);
    }
    send(request);
  });
  return { picture, error };
}
