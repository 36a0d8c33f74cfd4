// The lens: which problem the grain view looks through, chosen in the top bar, and the slider of its threshold. Each
// problem says how many grains have it and what it costs; one that cannot be told says what is missing.

import { createEffect, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { keysOf } from "../commands";
import { percent, separated, three, time } from "../format";
import { chooseLens, inWords, positionOf, problemRow, problemsOf, setThreshold, STEPS, thresholdAt, usualRow } from "../model/problems";
import { clockOf, currentRun, state } from "../page";
import { named } from "./controls";
import { Icon } from "./icons";
import { Elapsed } from "./states";
import type { ProblemRow } from "../protocol/ProblemRow";

export function LensMenu(): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let list: HTMLDivElement | undefined;
  let button!: HTMLButtonElement;
  const title = () => (state().lens === "" ? "none" : inWords(state().lens));
  const choose = (problem: string): void => {
    setOpen(false);
    chooseLens(problem);
    button.blur();
  };
  createEffect(() => open() && queueMicrotask(() => list?.querySelector<HTMLElement>("[aria-checked=true]")?.focus()));
  const key = (e: KeyboardEvent): void => {
    const items = [...(list?.querySelectorAll<HTMLElement>("[role=menuitemradio]:not([aria-disabled])") ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (e.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (e.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
    else if (e.key === "Escape") {
      setOpen(false);
      button.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div class="menu lens" onFocusOut={(e) => !e.currentTarget.contains(e.relatedTarget as Node | null) && setOpen(false)} onKeyDown={key}>
      <button
        type="button" id="lens" ref={button} class="toggle lens-button" aria-haspopup="menu" aria-expanded={open()} aria-label={`Lens: ${title()}`} classList={{ on: state().lens !== "" }}
        title={named("Look through a problem: grains that have it stand out", keysOf("lens"))} onClick={() => setOpen(!open())}
      >
        <span class="choice-label">Lens</span> <span class="lens-name">{title()}</span> <Icon name="down" />
      </button>
      <Show when={open()}>
        <div class="menu-list lens-list" role="menu" ref={list}>
          <button type="button" role="menuitemradio" aria-checked={state().lens === ""} onClick={() => choose("")}>
            <span class="lens-row"><span>none</span> <span class="quiet">structure only</span></span>
          </button>
          <Problems run={currentRun()} choose={choose} />
        </div>
      </Show>
    </div>
  );
}

function Problems(props: { run: number; choose: (problem: string) => void }): JSX.Element {
  const asked = () => problemsOf(props.run);
  const ready = () => {
    const a = asked();
    return a.state === "ready" ? a.value : null;
  };
  return (
    <Switch>
      <Match when={asked().state === "loading"}><p class="quiet lens-note">Making the grain graph… <Elapsed since={(asked() as { since: number }).since} /></p></Match>
      <Match when={asked().state === "failed"}><p class="lens-note" role="alert">{(asked() as { error: string }).error}</p></Match>
      <Match when={ready()}>
        {(answer) => (
          <For each={answer().problems}>
            {(row) => (
              <button
                type="button" role="menuitemradio" aria-checked={state().lens === row.problem} aria-disabled={row.available ? undefined : true} tabindex={row.available ? undefined : -1}
                onClick={() => row.available && props.choose(row.problem)}
              >
                <span class="lens-row">
                  <span>{inWords(row.problem)}</span>
                  <Show when={row.available} fallback={<span class="quiet">cannot be told</span>}>
                    <span class="num">{row.grains === 0 ? <span class="quiet">no grain</span> : <>{separated(row.grains)} {row.grains === 1 ? "grain" : "grains"}</>}</span>
                    <span class="num quiet lens-lost">{row.time_lost > 0 ? time(row.time_lost, clockOf(props.run)) + " lost" : ""}</span>
                  </Show>
                </span>
                <Show when={!row.available}><span class="quiet lens-why">{row.why}</span></Show>
              </button>
            )}
          </For>
        )}
      </Match>
    </Switch>
  );
}

/** The threshold of the chosen problem, live: how many grains have it changes while it is dragged. */
export function ThresholdSlider(props: { run: number }): JSX.Element {
  const row = (): ProblemRow | undefined => problemRow(props.run, state().lens);
  return (
    <Show when={row()} fallback={<span class="quiet lens-empty">{state().lens === "" ? "no lens: structure only" : ""}</span>}>
      {(r) => {
        /** The run's own threshold: the server may have been started with another than the usual. */
        const own = () => usualRow(props.run, r().problem)?.threshold ?? r().threshold;
        const value = () => state().thresholds[r().problem] ?? own();
        const chosen = () => state().thresholds[r().problem] !== undefined;
        return (
          <div class="threshold">
            <span class="threshold-name" title={`${inWords(r().problem)}: ${r().metric} ${r().below ? "below" : "above"} the threshold. ${r().advice}`}>{r().metric}</span>
            <span class="num threshold-value">{r().below ? "<" : ">"} {three(value())}</span>
            <input
              type="range" min="0" max={STEPS} value={positionOf(value(), r().range)} aria-label={`Threshold of ${r().metric}`} aria-valuetext={`${r().below ? "below" : "above"} ${three(value())}, ${separated(r().grains)} grains`}
              onInput={(e) => setThreshold(r().problem, thresholdAt(Number(e.currentTarget.value), r().range))}
            />
            <span class="num threshold-count" title={`${percent(r().work)} of all work is in these grains; ${time(r().time_lost, clockOf(props.run))} lost, summed over workers`}>
              <strong>{separated(r().grains)}</strong> {r().grains === 1 ? "grain" : "grains"}
            </span>
            <button type="button" class="plain" disabled={!chosen()} title={`Back to ${three(own())}`} onClick={() => setThreshold(r().problem, null)}>reset</button>
          </div>
        );
      }}
    </Show>
  );
}
