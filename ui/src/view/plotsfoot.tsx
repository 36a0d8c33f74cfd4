// The foot of a pane of plots: legend, note, which places count, how much time is shown.

import { Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { quantity, separated } from "../format";
import { length } from "../model/time";
import { count, rangesOf } from "../selection";
import { withScope } from "../state";
import { Legend } from "./legend";
import { Busy } from "./states";
import type { Plots } from "../model/plots";
import type { Scene } from "../scene";

export function PlotsFoot(props: { scene: Scene; plots: Plots }): JSX.Element {
  const { store } = useBench();
  const run = props.plots.run;
  const all = (): void => store.update((state) => withScope(state, run(), { places: undefined }), "window");
  const everything = (): void =>
    store.update((state) => withScope(state, run(), { inside: undefined }), "window");
  return (
    <>
      <Legend scene={props.scene} />
      <Show when={props.scene.note}>
        {(text) => (
          <span class="note" title={text()}>
            {text()}
          </span>
        )}
      </Show>
      <Show when={store.scopeOf(run()).places}>
        {(text) => (
          <button type="button" class="chip" title="Only these places count: click for all" onClick={all}>
            {separated(count(rangesOf(text())))} places ×
          </button>
        )}
      </Show>
      <Show when={store.scopeOf(run()).inside}>
        {(within) => (
          <button
            type="button"
            class="chip"
            title="Only what ran inside of this counts: click for the whole run"
            onClick={everything}
          >
            inside {within().tree} {within().nodes} ×
          </button>
        )}
      </Show>
      <Show when={props.plots.overflow() > 0}>
        <span class="quiet">more below: drag, or wheel over the names</span>
      </Show>
      <Busy since={props.plots.answers.busySince()} />
      <Show when={props.plots.timed()}>
        <span class="quiet num">
          {quantity(length(props.plots.window()), store.runInfo(run())?.clock ?? "ns")} shown
        </span>
      </Show>
    </>
  );
}
