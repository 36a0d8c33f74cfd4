// The inspector: everything about the selection, from one answer of the server. Where grains are looked at that is a
// grain or a group, else a node of the task tree; without a selection it lists the run's findings, so that it is
// never empty. Its buttons are the same commands as the keys.

import { createEffect, createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { exact, percent, place, separated, time, withoutKind } from "../format";
import { boxOf, styleOf } from "../draw/marks";
import { closeParent, goToNode, openBelow, toDag, toGrains, toggle, toTimeline } from "../model/actions";
import { dagOf } from "../model/dag";
import type { Graph } from "../model/graph";
import { findingsOf, goTo, overviewOf } from "../model/overview";
import { clockOf, currentRun, fetchGrain, fetchNode, knownGrain, knownNode, lensRequest, palette, runInfo, state, wholeRun } from "../page";
import { moment } from "../draw/axis";
import { aboutGrains } from "../state";
import type { Fact } from "../protocol/Fact";
import type { GrainAnswer } from "../protocol/GrainAnswer";
import type { MixPart } from "../protocol/MixPart";
import type { NodeAnswer } from "../protocol/NodeAnswer";
import { IconButton, Key, MEANING, Value } from "./controls";
import { GrainBody, Recurring, WorstGrains } from "./graininspector";
import { Icon } from "./icons";
import { Findings } from "./overviewpane";
import { WhatIf } from "./whatif";

export function Inspector(): JSX.Element {
  const grains = createMemo(() => aboutGrains(state()));
  return (
    <aside class="inspector" aria-label="Inspector">
      <Show
        when={grains()}
        fallback={<Selected<NodeAnswer> node={() => state().runs[currentRun()]?.selected ?? null} known={knownNode} fetch={fetchNode} what="Node">{(info, run) => <Body info={info} run={run} />}</Selected>}
      >
        <Selected<GrainAnswer> node={() => state().runs[currentRun()]?.grain ?? null} known={knownGrain} fetch={fetchGrain} again={lensRequest} what="Grain">{(info, run) => <GrainBody info={info} run={run} />}</Selected>
      </Show>
    </aside>
  );
}

/** Asks about the selection and shows the answer; the last one stays until the next is there. */
function Selected<A extends { node: number }>(props: {
  node: () => number | null;
  known: (run: number, node: number) => A | undefined;
  fetch: (run: number, node: number) => Promise<A>;
  /** Asked again when this changes. */
  again?: () => unknown;
  what: string;
  children: (info: A, run: number) => JSX.Element;
}): JSX.Element {
  const run = currentRun;
  const node = createMemo(() => props.node());
  const [info, setInfo] = createSignal<A | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  createEffect(() => {
    const [r, n] = [run(), node()];
    props.again?.();
    setError(null);
    if (n === null) return void setInfo(null);
    const known = props.known(r, n);
    if (known) return void setInfo(() => known);
    props.fetch(r, n).then(
      (answer) => node() === n && run() === r && setInfo(() => answer),
      (e: Error) => node() === n && setError(e.message),
    );
  });
  return (
    <Switch>
      <Match when={error()}>
        {(e) => <div class="inspector-body"><h2>{props.what} {node()}</h2><p>{e()}</p><p class="quiet">The address may come from another run. <Key name="Esc" /> clears the selection.</p></div>}
      </Match>
      <Match when={node() !== null && info()} keyed>{(answer) => props.children(answer as A, run())}</Match>
      <Match when={node() === null}><NothingSelected /></Match>
    </Switch>
  );
}

function NothingSelected(): JSX.Element {
  const total = () => {
    const o = overviewOf(currentRun());
    return o.state === "ready" ? o.value.accounting.workers * o.value.accounting.elapsed : 1;
  };
  return (
    <div class="inspector-body">
      <h2>Nothing selected</h2>
      <p class="quiet">Click a box, an interval or a row to see its numbers here.</p>
      <Show when={aboutGrains(state())}><WorstGrains run={currentRun()} /></Show>
      <Show when={findingsOf(currentRun()).length > 0}>
        <h3>Findings of {runInfo(currentRun())?.name}</h3>
        <Findings run={currentRun()} findings={findingsOf(currentRun())} total={total()} />
      </Show>
      <Show when={aboutGrains(state())}><Recurring run={currentRun()} /></Show>
    </div>
  );
}

/** Open, closed, a leaf, or not there: as the graph's current picture shows it. */
export type Status = "hidden" | "open" | "closed" | "leaf";
export function statusIn(graph: Graph, node: number): Status {
  const p = graph.picture();
  const i = p ? boxOf(p, node) : -1;
  if (!p || i < 0) return "hidden";
  const { shape, press } = styleOf(p, p.boxes.style[i]!);
  if (shape === "envelope") return "open";
  return press === "open" ? "closed" : "leaf";
}

function Body(props: { info: NodeAnswer; run: number }): JSX.Element {
  const n = () => props.info;
  const status = createMemo(() => statusIn(dagOf(props.run), n().node));
  const own = () => findingsOf(props.run).map((f, i) => ({ f, i })).filter(({ f }) => f.node === n().node);
  return (
    <div class="inspector-body">
      <Head kind={n().kind} title={n().title} />
      <div class="flags">
        <span class="flag num">#{n().node}</span>
        <Show when={n().critical}><span class="flag critical"><Icon name="critical" /> on the critical path</span></Show>
        <Show when={n().collapsed}><span class="flag" title="It ran on one worker, so the recorder kept its totals and dropped its inside.">collapsed</span></Show>
        <Show when={status() === "hidden"}><span class="flag">not in the DAG's cut</span></Show>
      </div>
      <div class="inspector-tools">
        <OpenButtons graph={dagOf(props.run)} node={n().node} status={status()} below={n().children > 0 && !n().collapsed} />
        <Show when={status() === "hidden"}><button type="button" title="Shift+G" onClick={toDag}><Icon name="dag" /> Show in DAG</button></Show>
        <button type="button" title="G" onClick={toGrains}><Icon name="grain" /> In grains</button>
        <button type="button" title="T" onClick={() => void toTimeline()}><Icon name="timeline" /> In time</button>
        <span class="spacer" />
        <Around path={n().path.length > 0} siblings={n().siblings} go={(node) => goToNode(props.run, node)} />
      </div>

      <For each={own()}>
        {({ f, i }) => <button type="button" class="own-finding" onClick={() => goTo(props.run, i)}><Icon name="warning" /><span><strong>{f.what}</strong> <span class="quiet">{f.advice}</span></span></button>}
      </For>

      <Facts facts={n().facts} time={n().time} run={props.run}>
        <Show when={n().children > 0}><dt>children</dt><dd class="num">{separated(n().children)}</dd></Show>
      </Facts>
      <WhatIf run={props.run} task={n().node} includes={0} />
      <Source source={n().source} />
      <Workers mix={n().mix} run={props.run} />
    </div>
  );
}

export const Head = (props: { kind: string; title: string }): JSX.Element => (
  <div class="inspector-head">
    <span class="kind">{props.kind}</span>
    <h2 title={props.title}>{withoutKind(props.title, props.kind)}</h2>
  </div>
);

export function OpenButtons(props: { graph: Graph; node: number; status: Status; below: boolean }): JSX.Element {
  return (
    <>
      <Show when={props.status === "closed" || props.status === "open"}>
        <button type="button" title="Enter" onClick={() => toggle(props.graph, props.node)}><Icon name={props.status === "open" ? "shut" : "open"} /> {props.status === "open" ? "Close" : "Open"}</button>
      </Show>
      <Show when={props.below}><button type="button" title="Shift+Enter" onClick={() => openBelow(props.graph, props.node)}><Icon name="below" /> All below</button></Show>
    </>
  );
}

/** Parent and siblings. */
export function Around(props: { path: boolean; siblings: [number | null, number | null]; go: (node: number) => void }): JSX.Element {
  return (
    <>
      <IconButton icon="up" title="Close the parent" key="Backspace" disabled={!props.path} onClick={() => void closeParent()} />
      <IconButton icon="left" title="Previous sibling" key="[" disabled={props.siblings[0] === null} onClick={() => props.go(props.siblings[0]!)} />
      <IconButton icon="right" title="Next sibling" key="]" disabled={props.siblings[1] === null} onClick={() => props.go(props.siblings[1]!)} />
    </>
  );
}

export function Facts(props: { facts: Fact[]; time: [number, number]; run: number; children?: JSX.Element }): JSX.Element {
  const clock = () => clockOf(props.run);
  return (
    <dl class="facts">
      <For each={props.facts}>{(f) => <><dt title={MEANING[f.name]}>{f.name}</dt><dd><Value value={f.value} unit={f.unit} /></dd></>}</For>
      <dt>start</dt>
      <dd class="num" title={exact(props.time[0], clock())}>{moment(props.time[0], wholeRun(props.run)[0], Math.max(1, (props.time[1] - props.time[0]) / 1000), clock())}</dd>
      {props.children}
    </dl>
  );
}

export function Source(props: { source: [string | null, string | null] }): JSX.Element {
  return (
    <Show when={props.source[0] || props.source[1]}>
      <h3>Source</h3>
      <div class="source">
        <Show when={props.source[0]}>{(s) => <div title={s()}><span class="quiet">from </span><code>{place(s())}</code></div>}</Show>
        <Show when={props.source[1] && props.source[1] !== props.source[0] ? props.source[1] : null}>{(s) => <div title={s()}><span class="quiet">to </span><code>{place(s())}</code></div>}</Show>
        <div class="quiet path">{props.source[0] ?? props.source[1]}</div>
      </div>
    </Show>
  );
}

export function Workers(props: { mix: MixPart[]; run: number }): JSX.Element {
  const clock = () => clockOf(props.run);
  const total = () => props.mix.reduce((a, m) => a + m.time, 0) || 1;
  return (
    <Show when={props.mix.length > 0}>
      <h3>{props.mix.length === 1 ? "Worker" : `${props.mix.length} workers`} <span class="quiet">share of its work</span></h3>
      <div class="workers">
        <For each={props.mix.slice(0, 16)}>
          {(m) => (
            <div class="worker" title={exact(m.time, clock())}>
              <span class="worker-name">{m.name}</span>
              <span class="worker-track"><span class="worker-bar" style={{ width: `${(100 * m.time) / total()}%`, background: palette()[m.fill] ?? "var(--muted)" }} /></span>
              <span class="num">{percent(m.time / total())}</span>
              <span class="num quiet">{time(m.time, clock())}</span>
            </div>
          )}
        </For>
        <Show when={props.mix.length > 16}><p class="quiet">and {props.mix.length - 16} more</p></Show>
      </div>
    </Show>
  );
}
