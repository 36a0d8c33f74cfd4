// The blocks of a sheet: text, facts, findings, tables, pictures that ask for their own look, code. The
// inspector, the first sheet of a run and every other sheet are made of these.

import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { sorted } from "../model/sheet";
import { same } from "../selection";
import { CellView } from "./cell";
import { FindingBlock } from "./finding";
import { Gutter } from "./gutter";
import { Picture } from "./picture";
import type { Block } from "../protocol/Block";
import type { Code } from "../protocol/Code";
import type { Fact } from "../protocol/Fact";
import type { Table } from "../protocol/Table";

type Of<K extends Block["is"]> = Extract<Block, { is: K }>;
const as = <K extends Block["is"]>(block: Block, is: K): Of<K> | undefined =>
  block.is === is ? (block as Of<K>) : undefined;

export function BlockView(props: { block: Block; run: number; small?: boolean }): JSX.Element {
  return (
    <Switch>
      <Match when={as(props.block, "head")}>{(b) => <h3>{b().text}</h3>}</Match>
      <Match when={as(props.block, "text")}>
        {(b) => (
          <Show when={b().tone !== "headline" || props.small} fallback={<h1 class="headline">{b().text}</h1>}>
            <p class={`sheet-text ${b().tone}`}>{b().text}</p>
          </Show>
        )}
      </Match>
      <Match when={as(props.block, "facts")}>{(b) => <Facts facts={b().rows} />}</Match>
      <Match when={as(props.block, "finding")}>
        {(b) => <FindingBlock finding={b()} run={props.run} small={props.small} />}
      </Match>
      <Match when={as(props.block, "table")}>{(b) => <SheetTable table={b().table} />}</Match>
      <Match when={as(props.block, "show")}>
        {(b) => <Picture title={b().title} look={b().look} height={b().height} slow={b().slow} />}
      </Match>
      <Match when={as(props.block, "code")}>{(b) => <CodeBlock code={b()} />}</Match>
    </Switch>
  );
}

export function Facts(props: { facts: readonly Fact[]; most?: number; tight?: boolean }): JSX.Element {
  return (
    <dl class="facts" classList={{ tight: props.tight === true }}>
      <For each={props.facts.slice(0, props.most)}>
        {(f) => (
          <>
            <dt title={f.about || undefined}>{f.name}</dt>
            <dd>
              <CellView cell={f.value} />
            </dd>
          </>
        )}
      </For>
    </dl>
  );
}

/**
 * A small table, all of it in the sheet: a click on a head sorts, one on a row selects what it stands for.
 */
function SheetTable(props: { table: Table }): JSX.Element {
  const { store, hands } = useBench();
  const [by, setBy] = createSignal<{ column: number; descending: boolean } | null>(null);
  const rows = createMemo(() => {
    const order = by();
    return order ? sorted(props.table.rows, order.column, order.descending) : props.table.rows;
  });
  const sort = (column: number): void => {
    const now = by();
    if (now?.column !== column) setBy({ column, descending: props.table.columns[column]!.unit !== null });
    else
      setBy(
        now.descending === (props.table.columns[column]!.unit !== null)
          ? { column, descending: !now.descending }
          : null,
      );
  };
  const arrow = (column: number): string => (by()?.column === column ? (by()!.descending ? " ▼" : " ▲") : "");
  const numeric = (column: number): boolean => props.table.columns[column]?.unit != null;
  return (
    <div class="sheet-table">
      <table>
        <thead>
          <tr>
            <For each={props.table.columns}>
              {(c, i) => (
                <th
                  classList={{ numeric: numeric(i()) }}
                  title={c.about || undefined}
                  aria-sort={
                    by()?.column === i() ? (by()!.descending ? "descending" : "ascending") : undefined
                  }
                >
                  <Show when={c.sorts} fallback={c.title}>
                    <button type="button" class="plain" onClick={() => sort(i())}>
                      {c.title}
                      {arrow(i())}
                    </button>
                  </Show>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={rows()}>
            {(row) => (
              <tr
                classList={{
                  selected: same(row.selection, store.state().selected) && row.selection !== null,
                  link: row.selection !== null,
                }}
                tabindex={row.selection ? 0 : undefined}
                onClick={() => row.selection && store.select(row.selection)}
                onDblClick={() =>
                  row.selection &&
                  hands.showHit({ selection: row.selection, title: "", value: { is: "none" } })
                }
                onKeyDown={(e) => {
                  if (e.key !== "Enter" || !row.selection) return;
                  e.stopPropagation();
                  store.select(row.selection);
                }}
              >
                <For each={row.cells}>
                  {(cell, i) => (
                    <td classList={{ numeric: numeric(i()) }}>
                      <CellView cell={cell} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.table.rows.length < props.table.total}>
        <p class="quiet">
          {props.table.rows.length} of {props.table.more ? "at least " : ""}
          {props.table.total} rows
        </p>
      </Show>
    </div>
  );
}

function CodeBlock(props: { code: Code }): JSX.Element {
  const beside = createMemo(() => new Map(props.code.beside.map((b) => [b.line, b.bars])));
  return (
    <div class="code" role="group" aria-label={`${props.code.file}, line ${props.code.mark}`} tabindex="0">
      <For each={props.code.lines}>
        {(line, i) => (
          <div class="code-line" classList={{ mark: props.code.first + i() === props.code.mark }}>
            <Show when={props.code.beside.length > 0}>
              <Gutter bars={beside().get(props.code.first + i()) ?? []} />
            </Show>
            <span class="code-number">{props.code.first + i()}</span>
            {line}
          </div>
        )}
      </For>
      <Show when={props.code.scale}>
        {(scale) => (
          <p class="quiet code-scale">work solid, lost time hatched · the whole width is {scale()}</p>
        )}
      </Show>
    </div>
  );
}
