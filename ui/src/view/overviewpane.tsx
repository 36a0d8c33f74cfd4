// The first screen of a run: how good it was, where P × elapsed went, what costs most. Numbers come from the
// server's overview answer; this pane arranges them and links every finding to the view that shows it.

import { For, Match, Show, Switch, type JSX } from "solid-js";
import { exact, percent, place, quantity, three, time } from "../format";
import { findingsOf, goTo, isCurrent, overviewOf, type Listed } from "../model/overview";
import { usualProblemsOf } from "../model/problems";
import { curveOf } from "../model/whatif";
import { clockOf, runInfo } from "../page";
import type { Overview } from "../protocol/Overview";
import { GapChart } from "./charts/gaps";
import { MigrationChart } from "./charts/migrations";
import { SpeedupChart } from "./charts/speedup";
import { WorkerBars } from "./charts/workers";
import { Key, MEANING, Value } from "./controls";
import { Elapsed, Waiting } from "./states";

export function OverviewPane(props: { run: number }): JSX.Element {
  const loaded = () => overviewOf(props.run);
  return (
    <Switch>
      <Match when={loaded().state === "loading"}><div class="plot"><Waiting what="overview" /></div></Match>
      <Match when={loaded().state === "failed"}><div class="plot"><Waiting what="overview" error={(loaded() as { error: string }).error} /></div></Match>
      <Match when={loaded().state === "ready"}>
        <Page run={props.run} overview={(loaded() as { value: Overview }).value} />
      </Match>
    </Switch>
  );
}

function Page(props: { run: number; overview: Overview }): JSX.Element {
  const clock = () => clockOf(props.run);
  /** Problems of grains come a moment later than the rest of a large run. */
  const grainsOnTheWay = () => {
    const p = usualProblemsOf(props.run);
    return p.state === "loading" ? p.since : null;
  };
  const curveOnTheWay = () => {
    const p = curveOf(props.run);
    return p.state === "loading" ? p.since : null;
  };
  return (
    <div class="overview" tabindex="0" role="region" aria-label={`Overview of ${runInfo(props.run)?.name ?? "the run"}`}>
      <Accounting run={props.run} overview={props.overview} />
      <div class="cards">
        <section class="card findings-card">
          <h2>
            What costs most <span class="quiet">worst first · <Key name="P" /> next</span>
            <Show when={grainsOnTheWay()}>{(since) => <span class="quiet" role="status">making the grain graph… <Elapsed since={since()} /></span>}</Show>
          </h2>
          <Findings run={props.run} findings={findingsOf(props.run)} total={props.overview.accounting.workers * props.overview.accounting.elapsed} />
        </section>
        <section class="card">
          <h2>
            Speed-up <span class="quiet">by number of workers P</span>
            <Show when={curveOnTheWay()}>{(since) => <span class="quiet" role="status">predicting… <Elapsed since={since()} /></span>}</Show>
          </h2>
          <SpeedupChart overview={props.overview} predicted={curveOf(props.run)} clock={clock()} />
        </section>
        <section class="card">
          <h2>Workers <span class="quiet">busy, of {time(props.overview.accounting.elapsed, clock())} elapsed</span></h2>
          <WorkerBars rows={props.overview.workers} elapsed={props.overview.accounting.elapsed} clock={clock()} />
        </section>
        <section class="card">
          <h2>Gaps between intervals <span class="quiet">of one task's spine</span></h2>
          <GapChart bins={props.overview.gaps} clock={clock()} />
        </section>
        <section class="card">
          <MigrationChart migrations={props.overview.migrations} workers={props.overview.workers} />
        </section>
        <section class="card">
          <h2>Counted</h2>
          <dl class="facts">
            <For each={props.overview.facts}>{(fact) => <><dt title={MEANING[fact.name]}>{fact.name}</dt><dd><Value value={fact.value} unit={fact.unit} /></dd></>}</For>
          </dl>
        </section>
      </div>
    </div>
  );
}

/** work + delay + no-work = P × elapsed, as one bar and one sentence. */
function Accounting(props: { run: number; overview: Overview }): JSX.Element {
  const a = () => props.overview.accounting;
  const clock = () => clockOf(props.run);
  const total = () => a().workers * a().elapsed;
  const parts = () => [
    { name: "work", value: a().work, tell: "in the program's own code" },
    { name: "delay", value: a().delay, tell: "something was ready, a worker did not run it" },
    { name: "no work", value: a().no_work, tell: "nothing was ready for an idle worker" },
  ];
  return (
    <section class="accounting" aria-label="Where the time went">
      <h1>
        <span title={exact(props.overview.observed, "ratio")}>{three(props.overview.observed)}×</span> on {a().workers} {a().workers === 1 ? "worker" : "workers"},{" "}
        {percent(a().work / total())} of P × elapsed was work
      </h1>
      <p class="quiet num">
        of {a().workers} × {time(a().elapsed, clock())} = {time(total(), clock())} · <span title={MEANING["T∞"]}>T∞</span> {time(a().span, clock())} · parallelism (work / T∞) {three(a().work / a().span)}
      </p>
      <div class="bar" role="img" aria-label={parts().map((p) => `${p.name} ${percent(p.value / total())}`).join(", ")}>
        <For each={parts()}>
          {(p) => <div class={"bar-part " + p.name.replace(" ", "-")} style={{ "flex-grow": String(Math.max(0, p.value)) }} title={`${p.name}: ${exact(p.value, clock())}`} />}
        </For>
      </div>
      <div class="bar-keys">
        <For each={parts()}>
          {(p) => (
            <div class="bar-key">
              <span class={"bar-swatch " + p.name.replace(" ", "-")} aria-hidden="true" />
              <strong>{p.name}</strong> <span class="num" title={exact(p.value, clock())}>{percent(p.value / total())} · {time(p.value, clock())}</span>
              <span class="quiet">{p.tell}</span>
            </div>
          )}
        </For>
      </div>
    </section>
  );
}

const SEVERITY: Record<string, string> = { high: "▲", medium: "◆", low: "·" };

export function Findings(props: { run: number; findings: Listed[]; total: number }): JSX.Element {
  const most = () => Math.max(1e-9, ...props.findings.map((f) => f.cost));
  return (
    <Show when={props.findings.length > 0} fallback={<p class="quiet">No problem costs more than a small share of this run.</p>}>
      <ol class="findings">
        <For each={props.findings}>
          {(f, i) => (
            <li>
              <button
                type="button" class="finding" classList={{ current: isCurrent(props.run, f), [f.severity]: true }}
                title={f.advice} onClick={() => goTo(props.run, i())}
              >
                <span class="severity" aria-label={f.severity + " severity"}>{SEVERITY[f.severity] ?? "·"}</span>
                <span class="finding-what">{f.what}</span>
                <span class="finding-cost num" title={`${exact(f.cost, clockOf(props.run))}, summed over workers; of P × elapsed`}>
                  {quantity(f.cost, clockOf(props.run))}
                  <span class="quiet"> {percent(f.cost / props.total)}</span>
                </span>
                <span class="finding-advice quiet">
                  <Show when={f.place}>{(p) => <code title={p()}>{place(p())}</code>}</Show> {f.advice}
                </span>
                <span class="finding-bar" style={{ width: `${(100 * f.cost) / most()}%` }} aria-hidden="true" />
              </button>
            </li>
          )}
        </For>
      </ol>
    </Show>
  );
}
