// Busy time of each worker as a bar of the elapsed time, in the worker's colour. Many workers get thin bars and a
// scroll bar; the spread between the least and the most busy is said in words.

import { For, Show, type JSX } from "solid-js";
import { exact, percent, separated, time } from "../../format";
import type { WorkerRow } from "../../protocol/WorkerRow";
import { palette } from "../../page";

export function WorkerBars(props: { rows: WorkerRow[]; elapsed: number; clock: string }): JSX.Element {
  const share = (row: WorkerRow) => row.busy / Math.max(1e-9, props.elapsed);
  const least = () => Math.min(...props.rows.map(share));
  const most = () => Math.max(...props.rows.map(share));
  return (
    <>
      <div class="workers" classList={{ many: props.rows.length > 16 }}>
        <For each={props.rows}>
          {(row) => (
            <div class="worker" title={`${row.name}: busy ${exact(row.busy, props.clock)}, ${separated(row.intervals)} intervals`}>
              <span class="worker-name">{row.name}</span>
              <span class="worker-track"><span class="worker-bar" style={{ width: `${Math.min(100, 100 * share(row))}%`, background: palette()[row.fill] ?? "var(--muted)" }} /></span>
              <span class="num">{percent(share(row))}</span>
              <span class="num quiet">{time(row.busy, props.clock)}</span>
            </div>
          )}
        </For>
      </div>
      <Show when={props.rows.length > 1}><p class="quiet num">from {percent(least())} to {percent(most())} busy</p></Show>
    </>
  );
}
