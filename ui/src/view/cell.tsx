// One value of a table or a fact: a number with its exact form on hover and a bar for its share, words, a
// source line, a small histogram, shares in colours, two values and how they differ.

import { For, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { plain } from "../model/sheet";
import type { Cell } from "../protocol/Cell";

type Of<K extends Cell["is"]> = Extract<Cell, { is: K }>;
const as = <K extends Cell["is"]>(cell: Cell, is: K): Of<K> | undefined =>
  cell.is === is ? (cell as Of<K>) : undefined;

/** Only what it says. */
export const CellText = (props: { cell: Cell }): JSX.Element => <>{plain(props.cell)}</>;

export function CellView(props: { cell: Cell }): JSX.Element {
  const { store } = useBench();
  const colour = (fill: number): string => store.palette()[fill] ?? "var(--muted)";
  return (
    <Switch
      fallback={
        <span class="quiet" title="not available">
          –
        </span>
      }
    >
      <Match when={as(props.cell, "number")}>
        {(c) => (
          <span class="value num" classList={{ barred: c().share !== null }} title={c().exact}>
            <Show when={c().share !== null}>
              <span
                class="share"
                style={{ width: `${100 * Math.min(1, Math.max(0, c().share!))}%` }}
                aria-hidden="true"
              />
            </Show>
            <span class="share-text">{c().text}</span>
          </span>
        )}
      </Match>
      <Match when={as(props.cell, "text")}>{(c) => <span title={c().text}>{c().text}</span>}</Match>
      <Match when={as(props.cell, "line")}>
        {(c) => <code title={`${c().file}:${c().line}`}>{c().text}</code>}
      </Match>
      <Match when={as(props.cell, "bins")}>
        {(c) => (
          <span class="bins" title={c().text}>
            <svg
              viewBox={`0 0 ${c().bins.length} 1`}
              preserveAspectRatio="none"
              role="img"
              aria-label={c().text}
            >
              <For each={c().bins}>{(h, i) => <rect x={i() + 0.06} width="0.88" y={1 - h} height={h} />}</For>
            </svg>
          </span>
        )}
      </Match>
      <Match when={as(props.cell, "shares")}>
        {(c) => (
          <span class="shares" role="img" aria-label={plain(c())}>
            <For each={c().parts}>
              {(p) => (
                <span
                  style={{ width: `${100 * p.share}%`, background: colour(p.fill) }}
                  title={`${p.name}: ${p.text}`}
                />
              )}
            </For>
          </span>
        )}
      </Match>
      <Match when={as(props.cell, "difference")}>
        {(c) => (
          <span class="difference num" classList={{ less: c().here < c().there, more: c().here > c().there }}>
            {c().text}
          </span>
        )}
      </Match>
    </Switch>
  );
}
