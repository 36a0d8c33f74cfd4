// Speed-up against the number of workers: the band between what every greedy scheduler reaches and what none can
// exceed, the ideal, and the run itself as a point. Both axes are logarithmic, so that the ideal is a straight line.

import { For, type JSX } from "solid-js";
import { three } from "../../format";
import type { SpeedupPoint } from "../../protocol/SpeedupPoint";
import { Chart, scale } from "./chart";

const HEIGHT = 212;

export function SpeedupChart(props: { points: SpeedupPoint[]; observed: number; workers: number }): JSX.Element {
  const points = () => props.points.filter((p) => p.workers > 0 && p.high > 0);
  const most = () => Math.max(2, props.workers, ...points().map((p) => p.workers));
  const top = () => Math.max(2, props.observed, ...points().map((p) => p.high)) * 1.15;
  const low = () => Math.min(1, ...points().map((p) => p.low), Math.max(0.1, props.observed)) / 1.05;
  const powers = (to: number): number[] => {
    const list: number[] = [];
    for (let v = 1; v <= to; v *= 2) list.push(v);
    const skip = Math.ceil(list.length / 7);
    return list.filter((_, i) => i % skip === 0);
  };
  return (
    <Chart
      height={HEIGHT}
      label={`Speed-up ${three(props.observed)} on ${props.workers} workers; bounds up to ${most()} workers`}
      draw={(w) => {
        const x = () => scale(1, most(), 34, w - 16, true);
        const y = () => scale(low(), top(), HEIGHT - 38, 8, true);
        const band = () => "M" + points().map((p) => `${x()(p.workers)},${y()(p.high)}`).join("L") + "L" + points().toReversed().map((p) => `${x()(p.workers)},${y()(Math.max(low(), p.low))}`).join("L") + "Z";
        const path = (which: "low" | "high") => "M" + points().map((p) => `${x()(p.workers)},${y()(Math.max(low(), p[which]))}`).join("L");
        const ideal = () => Math.min(most(), top());
        return (
          <>
            <For each={powers(top())}>{(v) => <g><line class="grid" x1={34} x2={w - 16} y1={y()(v)} y2={y()(v)} /><text class="tick" x={28} y={y()(v) + 4} text-anchor="end">{v}</text></g>}</For>
            <For each={powers(most())}>{(v) => <text class="tick" x={x()(v)} y={HEIGHT - 22} text-anchor="middle">{v}</text>}</For>
            <text class="tick" x={w - 16} y={HEIGHT - 2} text-anchor="end">P</text>
            <path class="bound" d={`M34 ${HEIGHT - 6}h14`} /><text class="tick" x={52} y={HEIGHT - 2}>at most</text>
            <path class="bound dashed" d={`M108 ${HEIGHT - 6}h14`} /><text class="tick" x={126} y={HEIGHT - 2}>greedy, at least</text>
            <path class="ideal" d={`M224 ${HEIGHT - 6}h14`} /><text class="tick" x={242} y={HEIGHT - 2}>ideal</text>
            <path class="band" d={band()} />
            <path class="bound" d={path("high")} />
            <path class="bound dashed" d={path("low")} />
            <line class="ideal" x1={x()(1)} y1={y()(1)} x2={x()(ideal())} y2={y()(ideal())} />
            <circle class="point" cx={x()(Math.max(1, props.workers))} cy={y()(props.observed)} r="5" />
            <text class="point-text" x={x()(Math.max(1, props.workers)) + 9} y={y()(props.observed) + 12}>{three(props.observed)}× here</text>
          </>
        );
      }}
    />
  );
}
