// The tooltip at the pointer: kind and name at once from the mark, numbers as soon as the server has told them. Kept
// inside the window, away from the pointer, out of the way of clicks.

import { createEffect, createSignal, For, Show, type JSX } from "solid-js";
import { quantity, three, withoutKind } from "../format";
import { tip } from "../model/overlay";
import { fetchGrain, fetchNode, knownGrain, knownNode, state } from "../page";
import type { Fact } from "../protocol/Fact";
import type { ProblemValue } from "../protocol/ProblemValue";

const WIDTH = 280;
const FACTS = 6;

export function Tooltip(): JSX.Element {
  const [info, setInfo] = createSignal<{ kind: string; title: string; facts: Fact[]; problems?: ProblemValue[] } | null>(null);
  let box: HTMLDivElement | undefined;
  const key = () => {
    const t = tip();
    return t ? `${t.view}:${t.run}:${t.node}` : "";
  };
  createEffect(() => {
    const asked = key();
    const t = tip();
    if (!t || t.own) return void setInfo(null);
    const known = t.view === "grain" ? knownGrain(t.run, t.node) : knownNode(t.run, t.node);
    setInfo(known ?? null);
    if (!known) (t.view === "grain" ? fetchGrain(t.run, t.node) : fetchNode(t.run, t.node)).then((n) => key() === asked && setInfo(n), () => {});
  });
  const place = () => {
    const t = tip()!;
    const height = box?.offsetHeight ?? 120;
    const left = t.x + 16 + WIDTH > innerWidth ? t.x - WIDTH - 12 : t.x + 16;
    const top = t.y + 16 + height > innerHeight ? Math.max(4, t.y - height - 12) : t.y + 16;
    return { left: `${Math.max(4, left)}px`, top: `${top}px` };
  };
  return (
    <Show when={tip()}>
      {(t) => (
        <div class="tooltip" ref={box} style={place()} role="tooltip">
          <div class="tooltip-title"><span class="kind">{info()?.kind ?? t().kind}</span> {withoutKind(info()?.title ?? t().title, info()?.kind ?? t().kind)}</div>
          <Show when={info()}>
            {(n) => (
              <dl class="facts tight">
                <For each={n().facts.slice(0, FACTS)}>{(f) => <><dt>{f.name}</dt><dd class="num">{quantity(f.value, f.unit)}</dd></>}</For>
              </dl>
            )}
          </Show>
          <Show when={info()?.problems?.find((p) => p.problem === state().lens && p.value !== null)}>
            {(p) => <div class="tooltip-problem" classList={{ has: p().has }}>{p().has ? "!" : "✓"} {p().metric} {three(p().value!)} <span class="quiet">(problem {p().below ? "below" : "above"} {three(p().threshold)})</span></div>}
          </Show>
          <Show when={t().detail}><div class="quiet">{t().detail}</div></Show>
        </div>
      )}
    </Show>
  );
}
