// A pane that shows a sheet: its title, then its sections, findings over the whole width and the rest in
// cards.

import { createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { createActs } from "../model/act";
import { createAnswers } from "../model/answers";
import { inSteps, lookOf } from "../look";
import { sections, type Section } from "../model/sheet";
import { BlockView } from "./blocks";
import { Slow } from "./slow";
import { Waiting } from "./states";
import type { Control } from "../model/controls";
import type { Look } from "../protocol/Look";
import type { Sheet } from "../protocol/Sheet";
import type { View } from "../protocol/View";

export function SheetPane(props: { pane: number; view: View }): JSX.Element {
  const { store, controls } = useBench();
  const [sheet, setSheet] = createSignal<Sheet | null>(null);
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  let body!: HTMLDivElement;
  const pane = () => store.state().panes[props.pane];
  const look = (): Look | null => {
    const p = pane();
    const info = p && store.runInfo(p.run);
    return p && info && size().w > 0
      ? lookOf(store.state(), info, props.view, p, inSteps(size().w, size().h, 128))
      : null;
  };
  let serverMs = 0;
  const answers = createAnswers(store, {
    wanted: look,
    slow: () => props.view.slow,
    lazy: true,
    arrived: (_, shown) => {
      serverMs = shown.answer.ms;
      setSheet(shown.sheet);
    },
  });
  const { act } = createActs(store, {
    pane: () => props.pane,
    look,
    answers,
    install: (shown) => setSheet(shown.sheet),
  });
  const control: Control = {
    look,
    act,
    reveal: async () => {},
    zoom: () => {},
    pan: (_, dy) => {
      body.scrollBy({ top: dy * body.clientHeight });
      return true;
    },
    fit: () => body.scrollTo({ top: 0 }),
    press: () => "none",
    first: () => null,
    rect: () => null,
    marks: () => [],
    stats: () => ({ boxes: 0, links: 0, visible: sheet()?.blocks.length ?? 0, serverMs }),
  };
  onMount(() => {
    const observer = new ResizeObserver(() => setSize({ w: body.clientWidth, h: body.clientHeight }));
    observer.observe(body);
    const unregister = controls.register(props.pane, control);
    onCleanup(() => {
      observer.disconnect();
      unregister();
    });
  });
  const name = () => `${props.view.title} of ${store.runInfo(pane()?.run ?? 0)?.name ?? "the run"}`;
  return (
    <div class="plot">
      <div class="sheet" tabindex="0" role="region" aria-label={name()} ref={body}>
        <Show when={sheet()}>{(s) => <SheetBody sheet={s()} run={pane()?.run ?? 0} />}</Show>
      </div>
      <Slow view={props.view} answers={answers} />
      <Show when={(!sheet() && !props.view.slow) || answers.error()}>
        <Waiting what={props.view.title} error={answers.error()} />
      </Show>
    </div>
  );
}

/** The sections of a sheet, those in cards beside each other where there is room. */
export function SheetBody(props: { sheet: Sheet; run: number }): JSX.Element {
  const groups = createMemo(() => {
    const out: { wide: boolean; sections: Section[] }[] = [];
    for (const section of sections(props.sheet.blocks)) {
      const last = out.at(-1);
      if (last && !last.wide && !section.wide) last.sections.push(section);
      else out.push({ wide: section.wide, sections: [section] });
    }
    return out;
  });
  const headline = () => props.sheet.blocks.some((b) => b.is === "text" && b.tone === "headline");
  return (
    <>
      <Show when={!headline() && props.sheet.title}>
        <h1 class="headline">{props.sheet.title}</h1>
      </Show>
      <For each={groups()}>
        {(group) => (
          <div classList={{ cards: !group.wide }}>
            <For each={group.sections}>
              {(section) => (
                <section class="card">
                  <Show when={section.head}>{(head) => <h2>{head()}</h2>}</Show>
                  <For each={section.blocks}>{(block) => <BlockView block={block} run={props.run} />}</For>
                </section>
              )}
            </For>
          </div>
        )}
      </For>
    </>
  );
}
