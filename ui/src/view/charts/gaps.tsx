// The distribution of the gap between two consecutive intervals of a spine, on logarithmic axes: where the same
// worker went on and where another one did, side by side, so that stealing's price can be read off.

import { For, Show, type JSX } from "solid-js";
import { separated, short, time } from "../../format";
import type { GapBin } from "../../protocol/GapBin";
import { Chart, scale } from "./chart";

const HEIGHT = 190;

export function GapChart(props: { bins: GapBin[]; clock: string }): JSX.Element {
  const bins = () => {
    const filled = props.bins.map((b) => b.same + b.moved > 0);
    return props.bins.slice(filled.indexOf(true), filled.lastIndexOf(true) + 1);
  };
  const most = () => Math.max(1, ...bins().flatMap((b) => [b.same, b.moved]));
  const total = (which: "same" | "moved") => bins().reduce((a, b) => a + b[which], 0);
  const decades = () => {
    const list: number[] = [];
    for (let v = 1; v <= most(); v *= 10) list.push(v);
    return list.filter((_, i) => i % Math.ceil(list.length / 4) === 0);
  };
  return (
    <Show when={bins().length > 0} fallback={<p class="quiet">No gaps were recorded.</p>}>
      <Chart
        height={HEIGHT}
        label={`${separated(total("same"))} gaps on the same worker, ${separated(total("moved"))} where another went on`}
        draw={(w) => {
          const y = () => scale(0.7, most() * 1.1, HEIGHT - 36, 6, true);
          const slot = () => (w - 56) / bins().length;
          const every = () => Math.max(1, Math.ceil(64 / slot()));
          const bar = (b: GapBin, i: number, which: "same" | "moved") => {
            const wide = Math.min(14, slot() * 0.42);
            const x = 48 + slot() * (i + 0.5) + (which === "same" ? -wide : 0);
            const top = y()(Math.max(0.7, b[which]));
            return <rect class={"gap-" + which} x={x} y={top} width={Math.max(1, wide - 1)} height={Math.max(0, HEIGHT - 36 - top)}><title>{`${time(b.from, props.clock)} – ${time(b.to, props.clock)}: ${separated(b[which])} ${which === "same" ? "same worker" : "moved"}`}</title></rect>;
          };
          return (
            <>
              <For each={decades()}>{(v) => <g><line class="grid" x1={48} x2={w - 8} y1={y()(v)} y2={y()(v)} /><text class="tick" x={42} y={y()(v) + 4} text-anchor="end">{short(v)}</text></g>}</For>
              <For each={bins()}>
                {(b, i) => (
                  <g>
                    {bar(b, i(), "same")}
                    {bar(b, i(), "moved")}
                    <Show when={i() % every() === 0 && 48 + slot() * i() < w - 40}><text class="tick" x={48 + slot() * i()} y={HEIGHT - 20} text-anchor="start">{time(b.from, props.clock)}</text></Show>
                  </g>
                )}
              </For>
              <rect class="gap-same" x={48} y={HEIGHT - 11} width="10" height="9" /><text class="tick" x={62} y={HEIGHT - 3}>same worker {short(total("same"))}</text>
              <rect class="gap-moved" x={188} y={HEIGHT - 11} width="10" height="9" /><text class="tick" x={202} y={HEIGHT - 3}>moved to another {short(total("moved"))}</text>
            </>
          );
        }}
      />
    </Show>
  );
}
