// Speed-up against the number of workers: the predicted curve of a greedy schedule, the band between what every such
// schedule reaches and what none can exceed, the ideal, and the run itself as a point. Both axes are logarithmic, so
// that the ideal is a straight line. The prediction comes later than the rest; pointer and arrow keys tell numbers.

import { createSignal, For, Show, type JSX } from "solid-js";
import { exact, three, time } from "../../format";
import type { Loaded } from "../../model/loaded";
import { onWorkers, rows, tellRow, type Row } from "../../model/whatif";
import type { Overview } from "../../protocol/Overview";
import type { WhatIfAnswer } from "../../protocol/WhatIfAnswer";
import { Chart, scale } from "./chart";

const HEIGHT = 220;
const LEFT = 34;
const RIGHT = 14;
const BOTTOM = 26;

export function SpeedupChart(props: { overview: Overview; predicted: Loaded<WhatIfAnswer>; clock: string }): JSX.Element {
  const [at, setAt] = createSignal<number | null>(null);
  const [width, setWidth] = createSignal(0);
  const a = () => props.overview.accounting;
  const observed = () => props.overview.observed;
  const own = () => Math.max(1, a().workers);
  const answer = () => (props.predicted.state === "ready" ? props.predicted.value : null);
  const list = () => rows(props.overview.speedup, answer(), a().work);
  const drawn = () => list().filter((r): r is Row & { predicted: NonNullable<Row["predicted"]> } => r.predicted !== null);
  const estimated = () => drawn().some((r) => !r.predicted.exact);

  const most = () => Math.max(2, own(), ...list().map((r) => r.workers));
  const limit = () => Math.max(1, ...list().map((r) => r.high));
  const top = () => Math.max(2, observed(), limit()) * 1.15;
  const low = () => Math.max(1 / 1024, Math.min(1, ...list().map((r) => r.low), observed()) / 1.1);
  const x = (v: number) => scale(1, most(), LEFT, width() - RIGHT, true)(v);
  const y = (v: number) => scale(low(), top(), HEIGHT - BOTTOM, 8, true)(Math.max(low(), v));
  const through = (points: readonly (readonly [number, number])[]) => points.map(([p, s]) => `${x(p)},${y(s)}`).join("L");
  /** min(P, work / span) with its corner, which need not lie at a number of workers. */
  const ceiling = () => {
    const corner = Math.min(most(), limit());
    return [[1, 1], [corner, corner], [most(), corner]] as const;
  };
  const floor = () => list().map((r) => [r.workers, r.low] as const);
  const ideal = () => Math.min(most(), top());

  const key = (e: KeyboardEvent): void => {
    const last = list().length - 1;
    const home = list().findIndex((r) => r.workers === own());
    if (e.key === "ArrowRight") setAt(at() === null ? home : Math.min(last, at()! + 1));
    else if (e.key === "ArrowLeft") setAt(at() === null ? home : Math.max(0, at()! - 1));
    else if (e.key === "Escape" && at() !== null) setAt(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const nearest = (e: PointerEvent & { currentTarget: HTMLElement }): void => {
    const px = e.clientX - e.currentTarget.getBoundingClientRect().left;
    const far = list().map((r) => Math.abs(x(r.workers) - px));
    setAt(far.indexOf(Math.min(...far)));
  };
  const name = () => {
    const best = drawn().at(-1);
    return `Speed-up ${three(observed())} ${onWorkers(own())}, recorded` + (best ? `; predicted up to ${three(Math.max(...drawn().map((r) => r.predicted.speedup)))} on ${best.workers}` : "") + ". Arrow keys tell the numbers.";
  };

  return (
    <>
      <div
        class="speedup" tabindex="0" role="group" aria-roledescription="chart" aria-label={name()}
        onKeyDown={key} onPointerMove={nearest} onPointerLeave={() => setAt(null)} onFocusOut={() => setAt(null)}
      >
        <Chart
          height={HEIGHT} label={name()}
          draw={(w) => {
            setWidth(w);
            return (
              <>
                <For each={ticks(low(), top(), HEIGHT - BOTTOM - 8)}>{(v) => <g><line class="grid" x1={LEFT} x2={w - RIGHT} y1={y(v)} y2={y(v)} /><text class="tick" x={LEFT - 6} y={y(v) + 4} text-anchor="end">{tick(v)}</text></g>}</For>
                <For each={ticks(1, most(), w - LEFT - RIGHT, 34)}>{(v) => <text class="tick" x={x(v)} y={HEIGHT - 8} text-anchor="middle">{v}</text>}</For>
                <path class="band" d={`M${through(ceiling())}L${through(floor().toReversed())}Z`} />
                <line class="ideal" x1={x(1)} y1={y(1)} x2={x(ideal())} y2={y(ideal())} />
                <path class="bound" d={"M" + through(ceiling())} />
                <path class="bound dashed" d={"M" + through(floor())} />
                <Show when={list()[at() ?? -1]}>{(r) => <line class="guide" x1={x(r().workers)} x2={x(r().workers)} y1={8} y2={HEIGHT - BOTTOM} />}</Show>
                <Show when={drawn().length > 0}>
                  <path class="predicted" d={"M" + through(drawn().map((r) => [r.workers, r.predicted.speedup]))} />
                  <For each={drawn()}>{(r) => <circle class="predicted-point" classList={{ estimate: !r.predicted.exact }} cx={x(r.workers)} cy={y(r.predicted.speedup)} r={list()[at() ?? -1]?.workers === r.workers ? 5 : 3} />}</For>
                </Show>
                <path class="point" d={diamond(x(own()), y(observed()), 6)} />
                <text class="point-text" x={x(own()) > w - 120 ? x(own()) - 10 : x(own()) + 10} y={y(observed()) + (y(observed()) + 18 > HEIGHT - BOTTOM ? 4 : 15)} text-anchor={x(own()) > w - 120 ? "end" : "start"}>{three(observed())}× recorded</text>
              </>
            );
          }}
        />
        <Show when={list()[at() ?? -1]}>
          {(r) => (
            // Below the curve: it never goes under the diagonal of the chart.
            <div class="speedup-tell num" role="status" style={{ right: `${RIGHT}px`, bottom: `${BOTTOM + 6}px` }}>
              <For each={tellRow(r(), props.clock)}>
                {(line, i) => <div classList={{ quiet: i() > 0 }}><Show when={i() === 0}><strong>P = {r().workers}</strong> · </Show>{line}</div>}
              </For>
              <Show when={r().workers === own()}><div>recorded {three(observed())}× in {time(a().elapsed, props.clock)}</div></Show>
            </div>
          )}
        </Show>
      </div>
      <div class="chart-keys" aria-hidden="true">
        <span><svg width="22" height="10"><path class="predicted" d="M0 5h22" /><circle class="predicted-point" cx="11" cy="5" r="3" /></svg>predicted</span>
        <span><svg width="14" height="12"><path class="point" d={diamond(7, 6, 5.5)} /></svg>recorded</span>
        <span><svg width="18" height="10"><path class="bound" d="M0 5h18" /></svg>at most</span>
        <span><svg width="18" height="10"><path class="bound dashed" d="M0 5h18" /></svg>at least, if greedy</span>
        <span><svg width="18" height="10"><path class="ideal" d="M0 5h18" /></svg>ideal</span>
      </div>
      <p class="quiet chart-note">
        <Show when={props.predicted.state === "failed" && props.predicted}>{(p) => <span role="alert">There is no prediction: {p().error}</span>}</Show>
        <Show when={answer()}>
          {(it) => (
            <>
              The recorded tasks under a greedy scheduler, each with this run's overhead: <span class="num" title={exact(it().overhead.create, props.clock)}>{time(it().overhead.create, props.clock)}</span> to create it,{" "}
              <span class="num" title={exact(it().overhead.sync, props.clock)}>{time(it().overhead.sync, props.clock)}</span> to wait for it.
              <Show when={estimated()}> Hollow points are estimates: there is too much to replay every interval.</Show>
            </>
          )}
        </Show>
      </p>
    </>
  );
}

const diamond = (x: number, y: number, r: number): string => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;

/** Powers of two that have room for their texts, 1 among them. */
function ticks(from: number, to: number, pixels: number, each = 22): number[] {
  const [first, last] = [Math.ceil(Math.log2(from)), Math.floor(Math.log2(to))];
  const skip = Math.max(1, Math.ceil(((last - first + 1) * each) / Math.max(1, pixels)));
  return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((e) => e % skip === 0).map((e) => 2 ** e);
}

const tick = (v: number): string => (v < 1 ? `1/${1 / v}` : String(v));
