// "What if this were k× faster": a slider and a field for k, and what the run would take then. The question is about a
// node of the task tree with everything in it. The last answer stays, marked as old, until the next is there.

import { createEffect, createSignal, createUniqueId, For, on, onCleanup, Show, type JSX } from "solid-js";
import { exact, three, time } from "../format";
import { positionOf, STEPS, thresholdAt } from "../model/problems";
import { difference, factor, GONE, limit, outcome, readFactor, sentence, setFaster, SLIDER, speed, withAllBelow } from "../model/whatif";
import { clockOf, fetchWhatIf, state } from "../page";
import type { WhatIfAnswer } from "../protocol/WhatIfAnswer";
import { latest } from "../socket";
import { MEANING } from "./controls";
import { Busy } from "./states";

/** A slider on its way asks when it rests. */
const REST_MS = 120;

interface Question {
  run: number;
  task: number;
  faster: number;
}

export function WhatIf(props: { run: number; task: number; /** Tasks, lanes and chunks in it. */ includes: number; group?: boolean; note?: string }): JSX.Element {
  const id = createUniqueId();
  const k = () => state().faster;
  const clock = () => clockOf(props.run);
  const [answer, setAnswer] = createSignal<{ q: Question; value: WhatIfAnswer } | null>(null);
  /** As if nothing of it were left. */
  const [gone, setGone] = createSignal<WhatIfAnswer | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const [since, setSince] = createSignal<number | null>(null);
  let alive = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => {
    alive = false;
    clearTimeout(timer);
  });

  const isNow = (q: Question): boolean => alive && q.run === props.run && q.task === props.task;
  const ask = latest(
    (q: Question) => fetchWhatIf(q.run, q.task, q.faster),
    (value, q) => {
      if (!isNow(q)) return;
      setAnswer({ q, value });
      setError(null);
      if (q.faster === k()) setSince(null);
      if (gone() === null) fetchWhatIf(q.run, q.task, GONE).then((all) => isNow(q) && setGone(all), () => {});
    },
    (e, q) => {
      if (!isNow(q)) return;
      setError(e.message);
      setSince(null);
    },
  );
  createEffect(on(() => [props.run, props.task, k()] as const, ([run, task, faster], before) => {
    const other = !before || before[0] !== run || before[1] !== task;
    clearTimeout(timer);
    if (other) setGone(null);
    if (!other && answer()?.q.faster === faster) return void setSince(null);
    setSince(performance.now());
    timer = setTimeout(() => ask({ run, task, faster }), other ? 0 : REST_MS);
  }));

  const result = () => {
    const it = answer();
    return it ? outcome(it.value) : null;
  };
  const least = () => {
    const it = gone();
    return it ? outcome(it) : null;
  };
  const [wrong, setWrong] = createSignal<string | null>(null);
  const typed = (e: InputEvent & { currentTarget: HTMLInputElement }): void => {
    const wanted = readFactor(e.currentTarget.value);
    e.currentTarget.setAttribute("aria-invalid", String(wanted === null));
    setWrong(wanted === null ? e.currentTarget.value.trim() : null);
    if (wanted !== null) setFaster(wanted);
  };
  /** What cannot be asked goes back to what was asked last. */
  const left = (e: FocusEvent & { currentTarget: HTMLInputElement }): void => {
    e.currentTarget.value = String(k());
    e.currentTarget.removeAttribute("aria-invalid");
  };
  return (
    <section class="whatif" aria-labelledby={id}>
      <h3 id={id}>What if this were {speed(k())} <Busy since={since()} /></h3>
      <Show when={withAllBelow(props.includes, props.group ? "group" : "task")}>{(all) => <p class="quiet">{all()}</p>}</Show>
      <div class="whatif-controls">
        <input
          type="range" min="0" max={STEPS} value={positionOf(k(), SLIDER)} aria-label="How many times as fast" aria-valuetext={`${factor(k())} times as fast`}
          onInput={(e) => {
            setWrong(null);
            setFaster(thresholdAt(Number(e.currentTarget.value), SLIDER));
          }}
        />
        <input
          type="text" inputmode="decimal" class="field" value={String(k())} aria-label="How many times as fast, as a number" title="0.001 to 1 000 000; below 1 is slower"
          onInput={typed} onBlur={left} onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
        />
        <span aria-hidden="true">×</span>
      </div>
      <Show when={wrong() !== null}>
        <p role="alert" class="whatif-wrong">{wrong() === "" ? "Nothing" : `“${wrong()}”`} is no number from 0.001 to 1 000 000; still {factor(k())}. 2 is twice as fast, 0.5 half as fast.</p>
      </Show>
      <Show when={error()}>{(e) => <p role="alert">{e()}</p>}</Show>
      <Show when={error() === null && result()} fallback={<Show when={error() === null}><p class="whatif-says quiet">Replaying the run…</p></Show>}>
        {(o) => (
          <>
            <p class="whatif-says" classList={{ old: since() !== null }} role="status">
              <For each={sentence(o(), clock())}>{(part, i) => <Show when={i() % 2 === 1} fallback={part}><strong class="num">{part}</strong></Show>}</For>
            </p>
            <dl class="facts">
              <dt title="However fast it gets; the overhead of its tasks stays">if it took no time</dt>
              <dd class="num"><Show when={least()} fallback="…">{(l) => <><span title={exact(l().after, clock())}>{time(l().after, clock())}</span> <span class="quiet">{inBrackets(l().change)}</span></>}</Show></dd>
              <Show when={answer()!.value.after_limits}>
                {(l) => (
                  <>
                    <dt title={MEANING["T∞ with overhead"]}>T∞ with overhead</dt>
                    <dd class="num"><span title={exact(l().span, clock())}>{time(l().span, clock())}</span> <span class="quiet">{inBrackets(difference(answer()!.value.limits.span, l().span))}</span></dd>
                    <dt title="Work / T∞, both with overhead: more workers do not help beyond it">speed-up limit</dt>
                    <dd class="num">{three(limit(l()))}× <span class="quiet">(now {three(limit(answer()!.value.limits))}×)</span></dd>
                  </>
                )}
              </Show>
            </dl>
            <p class="quiet whatif-note">
              Predicted, not measured: this and everything in it {speed(answer()!.q.faster)}, a greedy schedule, this run's overhead per task. The recording took {time(answer()!.value.observed, clock())}.
              <Show when={!o().exact}> It is an estimate: there is too much to replay every interval.</Show>
              <Show when={props.note}> {props.note}</Show>
            </p>
          </>
        )}
      </Show>
    </section>
  );
}

const inBrackets = (text: string): string => `(${text === "" ? "no change" : text})`;
