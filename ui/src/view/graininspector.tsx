// What the inspector says about a grain or a group: its metrics, what each problem's threshold says about it, how many
// are like it, its members, its lines of code, who created it, who ran it.

import { createMemo, For, Show, type JSX } from "solid-js";
import { boxOf, styleOf } from "../draw/marks";
import { exact, separated, three, time, withoutKind } from "../format";
import { goToNode, openAlike, openPath, spreadSelected, toDag, toTimeline } from "../model/actions";
import { goToGrain, grainOf } from "../model/grain";
import { amountOf, chooseLens, inWords, problemRow, problemsOf } from "../model/problems";
import { clockOf, state, update } from "../page";
import { showing } from "../state";
import { Icon } from "./icons";
import { WhatIf } from "./whatif";
import { Around, Facts, Head, OpenButtons, Source, statusIn, Workers } from "./inspector";
import type { Code } from "../protocol/Code";
import type { GrainAnswer } from "../protocol/GrainAnswer";
import type { Member } from "../protocol/Member";
import type { ProblemValue } from "../protocol/ProblemValue";

export function GrainBody(props: { info: GrainAnswer; run: number }): JSX.Element {
  const n = () => props.info;
  const graph = () => grainOf(props.run);
  const status = createMemo(() => statusIn(graph(), n().node));
  /** It stands for several siblings. */
  const folded = createMemo(() => {
    const p = graph().picture();
    const i = p ? boxOf(p, n().node) : -1;
    if (i < 0) return false;
    const { sheets, press } = styleOf(p!, p!.boxes.style[i]!);
    return sheets > 0 || press === "spread";
  });
  /** Something in the cut was unfolded; the server knows what. */
  const spreadOut = () => state().runs[props.run]!.grainCut.includes("!");
  const group = () => n().member_count > 0;
  return (
    <div class="inspector-body">
      <Head kind={n().kind} title={n().title} />
      <div class="flags">
        <span class="flag num" title={`grain graph node ${n().node}, task tree node ${n().task}`}>g{n().node}</span>
        <Show when={n().critical}><span class="flag critical"><Icon name="critical" /> on the path of grains</span></Show>
        <Show when={n().collapsed}><span class="flag" title="The recorder kept totals and dropped the inside.">folded while recording</span></Show>
        <Show when={status() === "hidden"}><span class="flag">not shown at this cut</span></Show>
      </div>
      <div class="inspector-tools">
        <OpenButtons graph={graph()} node={n().node} status={status()} below={group()} />
        <Show when={folded()}><button type="button" title="Shows the folded siblings one by one (R)" onClick={spreadSelected}><Icon name="open" /> Unfold</button></Show>
        <Show when={!folded() && status() !== "hidden" && spreadOut()}><button type="button" title="Folds its siblings again (R)" onClick={spreadSelected}><Icon name="shut" /> Fold</button></Show>
        <Show when={status() === "hidden"}><button type="button" title="G" onClick={() => goToGrain(props.run, n().node)}><Icon name="grain" /> Show</button></Show>
        <Show when={group()}><button type="button" title="Shift+L" onClick={() => openPath(props.run, n().node)}><Icon name="critical" /> Its path</button></Show>
        <button type="button" title="Shift+G" onClick={toDag}><Icon name="dag" /> In DAG</button>
        <button type="button" title="T" onClick={() => void toTimeline()}><Icon name="timeline" /> In time</button>
        <span class="spacer" />
        <Around path={n().path.some((c) => c.node !== n().node)} siblings={n().siblings} go={(node) => goToGrain(props.run, node)} />
      </div>
      <Alike info={n()} run={props.run} />
      <Problems list={n().problems} group={group()} />
      <WhatIf run={props.run} task={n().task} includes={n().includes} group={group()} note={folded() ? "Of the folded siblings it means the first." : undefined} />
      <h3>Metrics</h3>
      <Facts facts={n().facts} time={n().time} run={props.run} />
      <Creator info={n()} run={props.run} />
      <After info={n()} run={props.run} />
      <Show when={n().code} fallback={<Source source={n().source} />}>{(code) => <Lines code={code()} source={n().source} />}</Show>
      <Members info={n()} run={props.run} />
      <Workers mix={n().mix} run={props.run} />
    </div>
  );
}

/** "12 of 14 siblings alike · 96 groups in the run". */
function Alike(props: { info: GrainAnswer; run: number }): JSX.Element {
  const same = () => props.info.alike.siblings;
  const groups = () => props.info.alike.groups;
  return (
    <Show when={same()[0] > 1 || groups() > 1}>
      <p class="alike">
        <span class="num">
          {same()[1] > 1 ? `${separated(same()[0])} of ${separated(same()[1])} siblings alike` : ""}
          {same()[1] > 1 && groups() > 0 ? " · " : ""}
          {groups() > 0 ? `${separated(groups())} ${groups() === 1 ? "group" : "groups"} in the run` : ""}
        </span>
        <Show when={groups() > 1}><button type="button" title="Opens all groups of this shape the way this one is open (E)" onClick={() => openAlike(props.run, props.info.node)}>Open all alike</button></Show>
      </p>
    </Show>
  );
}

/** Every problem with its value against its threshold; a click looks through it. */
function Problems(props: { list: ProblemValue[]; group: boolean }): JSX.Element {
  const threshold = (p: ProblemValue) => state().thresholds[p.problem] ?? p.threshold;
  // The server was told the threshold of the lens only; of a group it gives the worst value.
  const has = (p: ProblemValue) => (state().thresholds[p.problem] === undefined ? p.has : p.value !== null && (p.below ? p.value < threshold(p) : p.value > threshold(p)));
  return (
    <Show when={props.list.length > 0}>
      <h3>Problems <span class="quiet">{props.group ? "worst value inside" : "value against threshold"}</span></h3>
      <ul class="problems">
        <For each={props.list}>
          {(p) => (
            <li>
              <button type="button" aria-pressed={state().lens === p.problem} classList={{ has: has(p) }} title={`${p.metric}: look through ${inWords(p.problem)}`} onClick={() => chooseLens(p.problem)}>
                <span class="problem-sign" role="img" aria-label={has(p) ? "problem" : "no problem"}>{has(p) ? "!" : p.value === null ? "·" : "✓"}</span>
                <span class="problem-name">{inWords(p.problem)}<Show when={props.group && p.grains > 0}><span class="quiet num"> {separated(p.grains)}</span></Show></span>
                <span class="num" title={p.value === null ? "has no meaning here" : exact(p.value, "ratio")}>{p.value === null ? "–" : three(p.value)}</span>
                <span class="num quiet">{p.below ? "<" : ">"} {three(threshold(p))}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Creator(props: { info: GrainAnswer; run: number }): JSX.Element {
  const go = (node: number): void => {
    update((s) => showing(s, "dag", props.run), "view");
    goToNode(props.run, node);
  };
  return (
    <Show when={props.info.creator}>
      {(c) => <p class="creator"><span class="quiet">created by </span><button type="button" class="plain" title="Drawn where it is waited for; this shows who created it, in the DAG" onClick={() => go(c().node)}>{c().title}</button></p>}
    </Show>
  );
}

/** What it depends on beside its fork. */
function After(props: { info: GrainAnswer; run: number }): JSX.Element {
  return (
    <Show when={props.info.after.length > 0}>
      <h3>Needs <span class="quiet">dependences, {separated(props.info.after.length)}</span></h3>
      <ul class="members">
        <For each={props.info.after}>
          {(c) => <li><button type="button" title="Had to end before this could begin" onClick={() => goToGrain(props.run, c.node)}><span /><span class="problem-name">{c.title}</span><span class="quiet num">g{c.node}</span></button></li>}
        </For>
      </ul>
    </Show>
  );
}

/** The lines around where it began, the line itself marked. */
function Lines(props: { code: Code; source: [string | null, string | null] }): JSX.Element {
  return (
    <>
      <h3>Source</h3>
      <div class="source"><code title={props.code.file}>{props.code.file.split("/").at(-1)}:{props.code.mark}</code></div>
      <pre class="code" tabindex="0" aria-label={`${props.code.file}, line ${props.code.mark}`}>
        <For each={props.code.lines}>
          {(line, i) => <div class="code-line" classList={{ mark: props.code.first + i() === props.code.mark }}><span class="code-number">{props.code.first + i()}</span>{line || " "}</div>}
        </For>
      </pre>
      <Show when={props.source[1] && props.source[1] !== props.source[0] ? props.source[1] : null}>{(to) => <div class="quiet path">ends at {to()}</div>}</Show>
      <div class="quiet path">{props.code.file}</div>
    </>
  );
}

/** Without a selection: the grains that cost most under the lens. */
export function WorstGrains(props: { run: number }): JSX.Element {
  const row = () => problemRow(props.run, state().lens);
  return (
    <Show when={row()}>
      {(r) => (
        <Show when={r().worst.length > 0}>
          <h3>Worst of {separated(r().grains)} by {amountOf(r().problem)} <span class="quiet">{inWords(r().problem)} · {r().advice}</span></h3>
          <ul class="members">
            <For each={r().worst}>
              {(w) => (
                <li>
                  <button type="button" title={`${w.title} ${w.place ?? ""} · ${exact(w.cost, clockOf(props.run))} ${amountOf(r().problem)}`} onClick={() => goToGrain(props.run, w.node)}>
                    <span class="problem-sign has">!</span>
                    <span class="problem-name">{w.title} <span class="quiet num">g{w.node}</span></span>
                    <span class="num">{time(w.cost, clockOf(props.run))}</span>
                  </button>
                </li>
              )}
            </For>
          </ul>
        </Show>
      )}
    </Show>
  );
}

/** Without a selection: shapes that many groups have. */
export function Recurring(props: { run: number }): JSX.Element {
  const classes = () => {
    const a = problemsOf(props.run);
    return a.state === "ready" ? a.value.classes.filter((c) => c.count > 1) : [];
  };
  return (
    <Show when={classes().length > 0}>
      <h3>What recurs <span class="quiet">groups of one shape</span></h3>
      <ul class="members">
        <For each={classes()}>
          {(c) => (
            <li>
              <button type="button" title="Shows the first of them" onClick={() => goToGrain(props.run, c.node)}>
                <span />
                <span class="problem-name">{c.title}</span>
                <span class="num">× {separated(c.count)}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Members(props: { info: GrainAnswer; run: number }): JSX.Element {
  const list = () => props.info.members;
  const name = (m: Member): string => (m.grains > 1 ? `${separated(m.grains)} grains` : m.kind);
  return (
    <Show when={list().length > 0}>
      <h3>{separated(props.info.member_count)} members <span class="quiet">{list().length < props.info.member_count ? `${list().length} with most work` : "most work first"}</span></h3>
      <ul class="members">
        <For each={list()}>
          {(m) => (
            <li>
              <button type="button" classList={{ has: m.problem }} title={`${m.kind} ${m.title} · ${exact(m.work, clockOf(props.run))}`} onClick={() => goToGrain(props.run, m.node)}>
                <span class="problem-sign">{m.problem ? "!" : ""}</span>
                <span class="problem-name">{withoutKind(m.title, m.kind)} <span class="quiet">{name(m)}</span></span>
                <span class="num">{time(m.work, clockOf(props.run))}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
