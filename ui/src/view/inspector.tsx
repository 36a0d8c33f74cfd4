// The inspector: everything about the selected node, from one answer of the server. Its buttons are the same
// commands as the keys; without a selection it lists the run's findings, so that it is never empty.

import { createEffect, createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { exact, percent, place, separated, time } from "../format";
import { boxOf } from "../draw/marks";
import { closeParent, goToNode, openBelow, toggle, toTimeline } from "../model/actions";
import { dagOf } from "../model/dag";
import { findingsOf, goTo, overviewOf } from "../model/overview";
import { clockOf, currentRun, fetchNode, knownNode, palette, runInfo, state, update, wholeRun } from "../page";
import { moment } from "../draw/axis";
import { showing } from "../state";
import { FLAG, SHAPE } from "../scene";
import type { NodeAnswer } from "../protocol/NodeAnswer";
import { IconButton, Key, Value } from "./controls";
import { Icon } from "./icons";
import { Findings } from "./overviewpane";

export function Inspector(): JSX.Element {
  const run = currentRun;
  const node = createMemo(() => state().runs[run()]?.selected ?? null);
  const [info, setInfo] = createSignal<NodeAnswer | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  createEffect(() => {
    const [r, n] = [run(), node()];
    setError(null);
    if (n === null) return void setInfo(null);
    const known = knownNode(r, n);
    if (known) return void setInfo(known);
    fetchNode(r, n).then(
      (answer) => node() === n && run() === r && setInfo(answer),
      (e: Error) => node() === n && setError(e.message),
    );
  });
  return (
    <aside class="inspector" aria-label="Inspector">
      <Show when={!error()} fallback={<div class="inspector-body"><h2>Node {node()}</h2><p>{error()}</p><p class="quiet">The address may come from another run. <Key name="Esc" /> clears the selection.</p></div>}>
        <Show when={info() && node() !== null ? info() : null} fallback={<NothingSelected />} keyed>
          {(n) => <Body info={n} run={run()} />}
        </Show>
      </Show>
    </aside>
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
      <Show when={findingsOf(currentRun()).length > 0}>
        <h3>Findings of {runInfo(currentRun())?.name}</h3>
        <Findings run={currentRun()} findings={findingsOf(currentRun())} total={total()} />
      </Show>
    </div>
  );
}

function Body(props: { info: NodeAnswer; run: number }): JSX.Element {
  const n = () => props.info;
  const clock = () => clockOf(props.run);
  const mixTotal = () => n().mix.reduce((a, m) => a + m.time, 0) || 1;
  /** Open, closed, or a leaf: as the DAG's current picture shows it. */
  const status = createMemo(() => {
    const p = dagOf(props.run).picture();
    const i = p ? boxOf(p, n().node) : -1;
    if (!p || i < 0) return "hidden";
    if (p.boxes.shape[i] === SHAPE.envelope) return "open";
    return p.boxes.flags[i]! & FLAG.closed ? "closed" : "leaf";
  });
  const own = () => findingsOf(props.run).map((f, i) => ({ f, i })).filter(({ f }) => f.node === n().node);
  return (
    <div class="inspector-body">
      <div class="inspector-head">
        <span class="kind">{n().kind}</span>
        <h2 title={n().title}>{n().title}</h2>
      </div>
      <div class="flags">
        <span class="flag num">#{n().node}</span>
        <Show when={n().critical}><span class="flag critical"><Icon name="critical" /> on the critical path</span></Show>
        <Show when={n().collapsed}><span class="flag" title="It ran on one worker, so the recorder kept its totals and dropped its inside.">collapsed</span></Show>
        <Show when={status() === "hidden"}><span class="flag">not in the DAG's cut</span></Show>
      </div>
      <div class="inspector-tools">
        <Show when={status() === "closed" || status() === "open"}>
          <button type="button" title="Enter" onClick={() => toggle(props.run, n().node)}><Icon name={status() === "open" ? "shut" : "open"} /> {status() === "open" ? "Close" : "Open"}</button>
        </Show>
        <Show when={n().children > 0 && !n().collapsed}><button type="button" title="Shift+Enter" onClick={() => openBelow(props.run, n().node)}><Icon name="below" /> All below</button></Show>
        <Show when={status() === "hidden"}>
          <button
            type="button"
            onClick={() => {
              update((s) => showing(s, "dag", props.run), "view");
              goToNode(props.run, n().node);
            }}
          >
            <Icon name="dag" /> Show in DAG
          </button>
        </Show>
        <button type="button" title="T" onClick={() => void toTimeline()}><Icon name="timeline" /> In time</button>
        <span class="spacer" />
        <IconButton icon="up" title="Close the parent" key="Backspace" disabled={n().path.length === 0} onClick={() => void closeParent()} />
        <IconButton icon="left" title="Previous sibling" key="[" disabled={n().siblings[0] === null} onClick={() => goToNode(props.run, n().siblings[0]!)} />
        <IconButton icon="right" title="Next sibling" key="]" disabled={n().siblings[1] === null} onClick={() => goToNode(props.run, n().siblings[1]!)} />
      </div>

      <For each={own()}>
        {({ f, i }) => <button type="button" class="own-finding" onClick={() => goTo(props.run, i)}><Icon name="warning" /><span><strong>{f.what}</strong> <span class="quiet">{f.advice}</span></span></button>}
      </For>

      <dl class="facts">
        <For each={n().facts}>{(f) => <><dt>{f.name}</dt><dd><Value value={f.value} unit={f.unit} /></dd></>}</For>
        <dt>start</dt>
        <dd class="num" title={exact(n().time[0], clock())}>{moment(n().time[0], wholeRun(props.run)[0], Math.max(1, (n().time[1] - n().time[0]) / 1000), clock())}</dd>
        <Show when={n().children > 0}><dt>children</dt><dd class="num">{separated(n().children)}</dd></Show>
      </dl>

      <Show when={n().source[0] || n().source[1]}>
        <h3>Source</h3>
        <div class="source">
          <Show when={n().source[0]}>{(s) => <div title={s()}><span class="quiet">from </span><code>{place(s())}</code></div>}</Show>
          <Show when={n().source[1] && n().source[1] !== n().source[0] ? n().source[1] : null}>{(s) => <div title={s()}><span class="quiet">to </span><code>{place(s())}</code></div>}</Show>
          <div class="quiet path">{n().source[0] ?? n().source[1]}</div>
        </div>
      </Show>

      <Show when={n().mix.length > 0}>
        <h3>{n().mix.length === 1 ? "Worker" : `${n().mix.length} workers`} <span class="quiet">share of its work</span></h3>
        <div class="workers">
          <For each={n().mix.slice(0, 16)}>
            {(m) => (
              <div class="worker" title={exact(m.time, clock())}>
                <span class="worker-name">{m.name}</span>
                <span class="worker-track"><span class="worker-bar" style={{ width: `${(100 * m.time) / mixTotal()}%`, background: palette()[m.fill] ?? "var(--muted)" }} /></span>
                <span class="num">{percent(m.time / mixTotal())}</span>
                <span class="num quiet">{time(m.time, clock())}</span>
              </div>
            )}
          </For>
          <Show when={n().mix.length > 16}><p class="quiet">and {n().mix.length - 16} more</p></Show>
        </div>
      </Show>
    </div>
  );
}
