// The grain pane: a graph pane in which one click opens or closes a group and selects it, with the buttons of what
// opens more than one group, and the lens with its threshold over it.

import { createMemo, Show, type JSX } from "solid-js";
import { keysOf } from "../commands";
import { styleOf } from "../draw/marks";
import { percent, separated } from "../format";
import { openAlike, openBelow, openCritical, openPath, openWorst, spread, toDepth, toggle, toggleAlike } from "../model/actions";
import { grainOf, selectGrain } from "../model/grain";
import { amountOf, inWords, problemsOf, shownOf } from "../model/problems";
import { fetchGrain, state, update } from "../page";
import type { Picture } from "../scene";
import { withRun } from "../state";
import { named } from "./controls";
import { DepthChoice, GraphPane, type Touched } from "./graphpane";
import { Icon } from "./icons";
import { GRAIN_SHAPES } from "./legend";
import { ThresholdSlider } from "./lens";
import { Waiting } from "./states";

/** Height of the strip at the top of an open group that stands for the group itself, in scene units. */
const TITLE = 18;

/** What one click on a mark does. */
type Does = "open" | "close" | "spread" | "select";

function does({ picture, box, fromTop }: Touched): Does {
  const { shape, press } = styleOf(picture, picture.boxes.style[box]!);
  // The inside of an open group is the ground on which its members stand: only its title and its joints are the group.
  if (shape === "envelope" && fromTop > TITLE) return "select";
  return press === "none" ? "select" : press;
}

const TELL: Record<Does, string | undefined> = { open: "click opens, Shift click opens all below", close: "click closes", spread: "click shows them one by one", select: undefined };

function detail(at: Touched): string | undefined {
  const { meaning } = styleOf(at.picture, at.picture.boxes.style[at.box]!);
  return meaning.includes("folded while recording") ? "folded while recording" : TELL[does(at)];
}

export function GrainPane(props: { run: number; pane: number }): JSX.Element {
  const graph = createMemo(() => grainOf(props.run));
  const lens = createMemo(() => ({ lens: state().lens !== "" }));
  let opened = false;
  const click = (at: Touched | null, e: MouseEvent): void => {
    // What opens under the pointer must not be hit by the second half of a double click.
    if (e.detail > 1 && opened) return;
    opened = false;
    if (!at) return selectGrain(props.run, null);
    const what = does(at);
    selectGrain(props.run, at.node);
    const again = what === "select" && e.detail === 2 && styleOf(at.picture, at.picture.boxes.style[at.box]!).shape === "envelope";
    if (what === "select" && !again) return;
    opened = true;
    if (e.shiftKey && what === "open") openBelow(graph(), at.node);
    else if (what === "spread") spread(graph(), at.node);
    else toggle(graph(), at.node, at.box);
  };
  const reset = (): void => {
    update((s) => ({ ...s, lens: "", thresholds: {} }), "lens");
    graph().reset();
  };
  const summary = (p: Picture | null): string => {
    if (!p) return "Grain graph, loading";
    return `Grain graph, ${shownOf(props.run, p)}${state().lens ? `, lens ${inWords(state().lens)}` : ""}. Its table form is view 5.`;
  };
  return (
    <>
      <Tools run={props.run} pane={props.pane} />
      <GraphPane
        graph={graph()} pane={props.pane} grains={lens()} shapes={GRAIN_SHAPES} detail={detail} about={(node) => fetchGrain(props.run, node)} onClick={click} summary={summary}
        waiting={<NotYet run={props.run} error={graph().error()} reset={reset} />}
        foot={(p) => <Foot run={props.run} picture={p} />}
      />
    </>
  );
}

function Tools(props: { run: number; pane: number }): JSX.Element {
  const grain = () => state().runs[props.run]!.grain;
  const pathOf = () => (state().critical ? state().runs[props.run]!.pathOf : null);
  return (
    <div class="graph-tools" role="toolbar" aria-label="Opening groups">
      <button type="button" title={named(state().lens ? `Open to the grain with most ${amountOf(state().lens)} because of ${inWords(state().lens)}` : "Look through the problem that costs most and open to its worst grain", keysOf("worst"))} onClick={() => void openWorst(props.run)}><Icon name="warning" /> Worst</button>
      <button type="button" title={named("Open along the critical path", keysOf("open-critical"))} onClick={openCritical}><Icon name="critical" /> Critical</button>
      <button type="button" class="roomy" disabled={grain() === null} title={named("Open along the selected group's own critical path", keysOf("path"))} onClick={() => openPath(props.run)}>Local path</button>
      <button type="button" class="roomy" disabled={grain() === null} title={named("Open everything alike to the selected group the same way", keysOf("open-alike"))} onClick={() => openAlike(props.run)}>Open alike</button>
      <DepthChoice run={props.run} pane={props.pane} />
      <button type="button" title={named("Close all", keysOf("close-all"))} onClick={() => toDepth(0)}><Icon name="shut" /> Close all</button>
      <label class="check roomy" title={named("Draw siblings that are alike as one mark", keysOf("alike"))}>
        <input type="checkbox" checked={state().alike} onChange={toggleAlike} /> Fold alike
      </label>
      <Show when={pathOf() !== null}>
        <button type="button" class="chip" title="Mark the critical path of the run instead" onClick={() => update((s) => withRun(s, props.run, { pathOf: null }), "critical")}>path of g{pathOf()} <span aria-hidden="true">×</span></button>
      </Show>
      <span class="spacer" />
      <ThresholdSlider run={props.run} />
    </div>
  );
}

/** Almost everything is not everything. */
const saved = (share: number): string => (share > 0.99 && share < 1 ? `${(Math.floor(share * 10_000) / 100).toFixed(2)} %` : percent(share));

/** What the reduction to groups was worth: θ is how many nodes must be seen at most to find any grain. */
function Foot(props: { run: number; picture: Picture }): JSX.Element {
  const problems = createMemo(() => {
    const a = problemsOf(props.run);
    return a.state === "ready" ? a.value : null;
  });
  const merit = () => problems()!.problems.find((r) => r.problem === state().lens) ?? problems()!;
  return (
    <>
      <Show when={problems()}>
        {(a) => (
          <span
            class="quiet num merit"
            title={`${separated(a().grains)} grains in ${separated(a().groups)} groups, ${separated(a().raw_nodes)} nodes before reduction. To find any grain${state().lens ? " with this problem" : ""} at most θ = ${separated(merit().theta)} nodes have to be seen: ${saved(merit().savings)} less than all.`}
          >
            {separated(a().grains)} {a().grains === 1 ? "grain" : "grains"} · {separated(a().groups)} {a().groups === 1 ? "group" : "groups"} · {separated(a().raw_nodes)} raw nodes · max θ {separated(merit().theta)} · saves {saved(merit().savings)}
          </span>
        )}
      </Show>
      <span class="chip num" role="status" title={props.picture.note ?? undefined}>{shownOf(props.run, props.picture)}</span>
    </>
  );
}

/** Before there is a picture: the grains are being made, there are none, or it went wrong. */
function NotYet(props: { run: number; error: string | null; reset: () => void }): JSX.Element {
  const none = () => {
    const a = problemsOf(props.run);
    return a.state === "ready" && a.value.grains === 0;
  };
  return (
    <Show
      when={none()}
      fallback={<Waiting what="grain graph" doing="Making the grain graph…" error={props.error} next={{ title: "Show what the grain view opens with", run: props.reset }} />}
    >
      <div class="centre">
        <div class="state-card plain">
          <strong>This run has no grains.</strong>
          <p>Grains are tasks and chunks of loops. This recording holds neither, so there is nothing to group.</p>
          <p class="quiet">The timeline and the DAG show what was recorded.</p>
        </div>
      </div>
    </Show>
  );
}
