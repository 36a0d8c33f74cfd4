// A table of any length: rows come from the server in pieces, sorted and filtered there, and only those on
// the screen are in the document. A way to ask goes in; arrows walk the rows, Enter presses one.

import {
  createEffect,
  createMemo,
  createSignal,
  For,
  on,
  onCleanup,
  onMount,
  Show,
  type JSX,
} from "solid-js";
import { latest } from "../transport";
import { gridOf, nextOrder } from "../model/columns";
import { CellView } from "./cell";
import { Icon } from "./icons";
import { Waiting } from "./states";
import type { Column } from "../protocol/Column";
import type { Row } from "../protocol/Row";
import type { Table } from "../protocol/Table";

const ROW = 24;
const CHUNK = 100;
/** Levels that are told by indentation; deeper rows stand below one another. */
const DEEPEST = 8;

/** What decides which rows there are, in which order. */
export interface Order {
  sort: string;
  descending: boolean;
  filter: string;
}

export interface RowsProps {
  name: string;
  /** Changes when the rows do. */
  key: string;
  order: Order;
  setOrder: (next: Partial<Order>) => void;
  ask: (from: number, count: number) => Promise<Table>;
  /** The rows have no tree around them. */
  flat: boolean;
  selected: (row: Row) => boolean;
  /** The selection means this row. */
  meant: (row: Row) => boolean;
  onSelect: (row: Row) => void;
  onPress: (row: Row) => void;
  onShow: (row: Row) => void;
  onVisible: (rows: readonly Row[]) => void;
  empty: string;
  tools: (total: number | null) => JSX.Element;
}

export function Rows(props: RowsProps): JSX.Element {
  const [total, setTotal] = createSignal<number | null>(null);
  const [columns, setColumns] = createSignal<readonly Column[]>([]);
  const [chunks, setChunks] = createSignal(new Map<number, Row[]>());
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  /** Width of the scroll bar beside the rows: the heads end before it, too. */
  const [bar, setBar] = createSignal(0);
  const [error, setError] = createSignal<string | null>(null);
  let body!: HTMLDivElement;
  /** Only when it is another: the state changes more often than the rows. */
  const rowsKey = createMemo(() => props.key);

  const load = latest(
    (q: { key: string; chunk: number }) => props.ask(q.chunk * CHUNK, CHUNK * 2),
    (answer, q) => {
      if (q.key !== rowsKey()) return ask();
      setError(null);
      setTotal(answer.total);
      setColumns(answer.columns);
      setChunks((old) =>
        new Map(old).set(q.chunk, answer.rows.slice(0, CHUNK)).set(q.chunk + 1, answer.rows.slice(CHUNK)),
      );
    },
    (e) => setError(e.message),
  );
  const first = () => Math.max(0, Math.floor(top() / ROW) - 4);
  const last = () => Math.min(total() ?? 0, Math.ceil((top() + height()) / ROW) + 4);
  function ask(): void {
    const from = Math.floor(first() / CHUNK);
    const to = Math.floor(Math.max(first(), last() - 1) / CHUNK);
    for (let chunk = from; chunk <= to; chunk++) {
      if (!chunks().has(chunk)) return load({ key: rowsKey(), chunk });
    }
  }
  createEffect(
    on(rowsKey, (key, before) => {
      // Other rows of the same table keep their place; another order begins at the top.
      setChunks(new Map());
      if (before !== undefined && orderIn(key) !== orderIn(before)) {
        body.scrollTop = 0;
        setTop(0);
      }
      load({ key, chunk: Math.floor(first() / CHUNK) });
    }),
  );
  createEffect(on([first, last, chunks], ask, { defer: true }));
  createEffect(on(chunks, (all) => props.onVisible([...all.values()].flat())));
  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(body.clientHeight);
      setBar(body.offsetWidth - body.clientWidth);
    });
    observer.observe(body);
    onCleanup(() => observer.disconnect());
  });

  const row = (i: number): Row | undefined => chunks().get(Math.floor(i / CHUNK))?.[i % CHUNK];
  const shown = () => Array.from({ length: Math.max(0, last() - first()) }, (_, k) => first() + k);
  const place = (): number => {
    for (const [chunk, rows] of chunks()) {
      const k = rows.findIndex((r) => props.selected(r));
      if (k >= 0) return chunk * CHUNK + k;
    }
    return -1;
  };
  const key = (e: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: Math.floor(height() / ROW),
      PageUp: -Math.floor(height() / ROW),
      Home: -Infinity,
      End: Infinity,
    };
    if (e.key in steps) step(steps[e.key]!);
    else if (e.key === "Enter" && row(place())) props.onPress(row(place())!);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const step = (by: number): void => {
    const next = Math.min((total() ?? 1) - 1, Math.max(0, place() + by));
    if (next * ROW < body.scrollTop) body.scrollTop = next * ROW;
    else if ((next + 1) * ROW > body.scrollTop + body.clientHeight)
      body.scrollTop = (next + 1) * ROW - body.clientHeight;
    const to = row(next);
    if (to) props.onSelect(to);
  };
  const grid = () => gridOf(columns());
  /** Depth is counted from what is least deep: what is around all rows says nothing. */
  const shallowest = () => Math.min(...[...chunks().values()].flatMap((rows) => rows.map((r) => r.depth)));
  const indent = (r: Row): number =>
    props.order.sort === "" && !props.flat ? Math.min(DEEPEST, r.depth - shallowest()) * 10 : 0;
  const numeric = (c: Column): boolean => c.unit !== null;
  const sign = (r: Row): string => (!r.state.holds || props.flat ? "" : r.state.open ? "▾" : "▸");

  return (
    <>
      <div class="table-tools">
        <input
          type="search"
          class="field"
          placeholder="Filter rows"
          aria-label="Filter rows"
          value={props.order.filter}
          onInput={(e) => props.setOrder({ filter: e.currentTarget.value })}
        />
        {props.tools(total())}
      </div>
      <div class="table" role="table" aria-label={props.name} aria-rowcount={total() ?? 0}>
        <div class="table-head" role="row" style={{ ...grid(), "padding-right": `${bar()}px` }}>
          <For each={columns()}>
            {(c) => (
              <button
                type="button"
                role="columnheader"
                classList={{ numeric: numeric(c) }}
                title={c.about || c.title}
                disabled={!c.sorts}
                aria-sort={
                  props.order.sort === c.name ? (props.order.descending ? "descending" : "ascending") : "none"
                }
                onClick={() => props.setOrder(nextOrder(props.order, c))}
              >
                {c.title}
                <Show when={props.order.sort === c.name}>
                  <span class="sort">{props.order.descending ? " ▼" : " ▲"}</span>
                </Show>
              </button>
            )}
          </For>
        </div>
        <div
          class="table-body"
          ref={body}
          tabindex="0"
          style={{ "min-width": grid()["min-width"] }}
          onScroll={() => setTop(body.scrollTop)}
          onKeyDown={key}
        >
          <div style={{ height: `${(total() ?? 0) * ROW}px`, position: "relative" }}>
            <For each={shown()}>
              {(i) => (
                <Show
                  when={row(i)}
                  fallback={
                    <div class="table-row empty" style={{ top: `${i * ROW}px` }}>
                      …
                    </div>
                  }
                >
                  {(r) => (
                    <div
                      class="table-row"
                      role="row"
                      aria-rowindex={i + 1}
                      aria-selected={props.selected(r())}
                      classList={{
                        selected: props.selected(r()),
                        meant: props.meant(r()),
                        strong: r().state.critical,
                      }}
                      style={{ top: `${i * ROW}px`, ...grid() }}
                      onClick={() => props.onSelect(r())}
                      onDblClick={() => props.onShow(r())}
                    >
                      <For each={r().cells}>
                        {(cell, at) => (
                          <span
                            role="cell"
                            data-column={columns()[at()]?.name}
                            classList={{
                              numeric: columns()[at()]?.unit != null && at() > 0,
                              first: at() === 0,
                            }}
                          >
                            <Show when={at() === 0}>
                              <span class="indent" style={{ width: `${indent(r())}px` }} />
                              <button
                                type="button"
                                class="row-sign"
                                tabindex="-1"
                                aria-label={r().state.open ? "Close" : "Open"}
                                disabled={sign(r()) === ""}
                                onClick={(e) => {
                                  e.stopPropagation();
                                  props.onPress(r());
                                }}
                              >
                                {sign(r())}
                              </button>
                              <Show when={r().state.critical}>
                                <span class="strong-mark" title="on the longest way through the run">
                                  <Icon name="strong" />
                                </span>
                              </Show>
                              <Show when={r().state.lit}>
                                <span class="lens-mark" title="chosen by the lens">
                                  !
                                </span>
                              </Show>
                            </Show>
                            <CellView cell={cell} />
                          </span>
                        )}
                      </For>
                    </div>
                  )}
                </Show>
              )}
            </For>
          </div>
          <Show when={total() === 0 && !error()}>
            <div class="centre quiet">
              <Show when={props.order.filter !== ""} fallback={<span>{props.empty}</span>}>
                <span>
                  No row matches “{props.order.filter}”.{" "}
                  <button type="button" class="plain" onClick={() => props.setOrder({ filter: "" })}>
                    Clear the filter
                  </button>
                </span>
              </Show>
            </div>
          </Show>
          <Show when={error() ?? (total() === null ? "" : null)} keyed>
            {(e) => <Waiting what={props.name} error={e || null} />}
          </Show>
        </div>
      </div>
    </>
  );
}

/** The part of a key that says in which order the rows are. */
const orderIn = (key: string): string => JSON.stringify((JSON.parse(key) as unknown[]).at(-1));
