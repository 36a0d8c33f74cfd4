// A table of any length: rows come from the server in pieces, sorted and filtered there, and only those on the screen
// are in the document. Columns and a way to ask go in; sort and filter are view state.

import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { state, update } from "../page";
import { latest } from "../socket";
import { Icon } from "./icons";
import { Waiting } from "./states";

const ROW = 24;
const CHUNK = 100;
/** Levels that are told by indentation; deeper rows stand below one another. */
const DEEPEST = 5;

export interface Row {
  node: number;
  depth: number;
  critical: boolean;
  problem?: boolean;
}

export interface Column<R> {
  id: string;
  title: string;
  numeric: boolean;
  text: (row: R, run: number) => string;
  hover?: (row: R, run: number) => string;
  /** Share of the width, and the least in pixels. */
  wide: [number, number];
  /** Small values are the bad ones: the first click puts them first. */
  small?: boolean;
}

/** What decides the order; columns of another table are ignored. */
export interface Order {
  sort: string;
  descending: boolean;
}

export interface RowsProps<R extends Row> {
  run: number;
  name: string;
  columns: Column<R>[];
  /** Changes when the rows do; sort and filter are added. */
  key: string;
  ask: (order: Order, offset: number, limit: number) => Promise<{ total: number; rows: R[] }>;
  selected: number | null;
  onSelect: (node: number) => void;
  onOpen: (node: number) => void;
  tools: (total: number | null) => JSX.Element;
  placeholder: string;
  /** What stands before the number of a node. */
  sign: "#" | "g";
  /** The rows have no tree around them. */
  flat?: boolean;
  empty?: JSX.Element;
}

export function Rows<R extends Row>(props: RowsProps<R>): JSX.Element {
  const [total, setTotal] = createSignal<number | null>(null);
  const [chunks, setChunks] = createSignal(new Map<number, R[]>());
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  /** Width of the scroll bar beside the rows: the heads end before it, too. */
  const [bar, setBar] = createSignal(0);
  const [error, setError] = createSignal<string | null>(null);
  let body!: HTMLDivElement;
  const order = (): Order => {
    const sort = props.columns.some((c) => c.id === state().sort) ? state().sort : "";
    return { sort, descending: sort !== "" && state().descending };
  };
  const query = createMemo(() => JSON.stringify([props.key, order(), state().filter]));

  const load = latest(
    (q: { key: string; chunk: number }) => props.ask(order(), q.chunk * CHUNK, CHUNK * 2),
    (answer, q) => {
      if (q.key !== query()) return ask();
      setError(null);
      setTotal(answer.total);
      setChunks((old) => new Map(old).set(q.chunk, answer.rows.slice(0, CHUNK)).set(q.chunk + 1, answer.rows.slice(CHUNK)));
    },
    (e) => setError(e.message),
  );
  const first = () => Math.max(0, Math.floor(top() / ROW) - 4);
  const last = () => Math.min(total() ?? 0, Math.ceil((top() + height()) / ROW) + 4);
  function ask(): void {
    const from = Math.floor(first() / CHUNK);
    const to = Math.floor(Math.max(first(), last() - 1) / CHUNK);
    for (let c = from; c <= to; c++) {
      if (!chunks().has(c)) return load({ key: query(), chunk: c });
    }
  }
  createEffect(on(query, () => {
    setChunks(new Map());
    body.scrollTop = 0;
    setTop(0);
    ask();
  }));
  createEffect(on([first, last, chunks], ask, { defer: true }));
  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(body.clientHeight);
      setBar(body.offsetWidth - body.clientWidth);
    });
    observer.observe(body);
    onCleanup(() => observer.disconnect());
  });

  /** The worst first, then the other way round, then the order of the tree. */
  const sortBy = ({ id, small }: Column<R>): void =>
    update((s) => (s.sort !== id ? { ...s, sort: id, descending: !small } : s.descending === !small ? { ...s, descending: small === true } : { ...s, sort: "", descending: true }), "sort");
  const indent = (r: R): number => (order().sort === "" && !props.flat ? Math.min(DEEPEST, r.depth) * 6 : 0);
  const row = (i: number): R | undefined => chunks().get(Math.floor(i / CHUNK))?.[i % CHUNK];
  const visible = () => Array.from({ length: Math.max(0, last() - first()) }, (_, k) => first() + k);
  const place = (): number => {
    for (const [c, rows] of chunks()) {
      const k = rows.findIndex((r) => r.node === props.selected);
      if (k >= 0) return c * CHUNK + k;
    }
    return -1;
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === "Enter" && props.selected !== null && place() >= 0) props.onOpen(props.selected);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") step(e.key === "ArrowDown" ? 1 : -1);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const step = (by: number): void => {
    const next = Math.min((total() ?? 1) - 1, Math.max(0, place() + by));
    const to = row(next);
    if (to) props.onSelect(to.node);
    if (next * ROW < body.scrollTop) body.scrollTop = next * ROW;
    else if ((next + 1) * ROW > body.scrollTop + body.clientHeight) body.scrollTop = (next + 1) * ROW - body.clientHeight;
  };
  const grid = () => ({
    "grid-template-columns": props.columns.map((c) => `minmax(${c.wide[1]}px, ${c.wide[0]}fr)`).join(" "),
    "min-width": `${props.columns.reduce((a, c) => a + c.wide[1], 0)}px`,
  });

  return (
    <>
      <div class="table-tools">
        <input type="search" class="field" placeholder={props.placeholder} aria-label="Filter rows" value={state().filter} onInput={(e) => update((s) => ({ ...s, filter: e.currentTarget.value }), "filter", true)} />
        {props.tools(total())}
      </div>
      <div class="table" role="table" aria-label={props.name} aria-rowcount={total() ?? 0}>
        <div class="table-head" role="row" style={{ ...grid(), "padding-right": `${bar()}px` }}>
          <For each={props.columns}>
            {(c) => (
              <button type="button" role="columnheader" class={c.numeric ? "numeric" : ""} aria-sort={order().sort === c.id ? (state().descending ? "descending" : "ascending") : "none"} title={c.title} onClick={() => sortBy(c)}>
                {c.title}
                <Show when={order().sort === c.id}><span class="sort">{state().descending ? " ▼" : " ▲"}</span></Show>
              </button>
            )}
          </For>
        </div>
        <div class="table-body" ref={body} tabindex="0" style={{ "min-width": grid()["min-width"] }} onScroll={() => setTop(body.scrollTop)} onKeyDown={key}>
          <div style={{ height: `${(total() ?? 0) * ROW}px`, position: "relative" }}>
            <For each={visible()}>
              {(i) => (
                <Show when={row(i)} fallback={<div class="table-row empty" style={{ top: `${i * ROW}px` }}>…</div>}>
                  {(r) => (
                    <div
                      class="table-row" role="row" aria-rowindex={i + 1} aria-selected={props.selected === r().node} classList={{ selected: props.selected === r().node, critical: r().critical }}
                      style={{ top: `${i * ROW}px`, ...grid() }} onClick={() => props.onSelect(r().node)} onDblClick={() => props.onOpen(r().node)}
                    >
                      <For each={props.columns}>
                        {(c, at) => (
                          <span role="cell" class={"col-" + c.id + (c.numeric ? " numeric" : "") + (at() === 0 ? " first" : "")} title={c.hover?.(r(), props.run)}>
                            <Show when={at() === 0}>
                              <span class="indent" style={{ width: `${indent(r())}px` }} />
                              <Show when={r().critical}><span class="critical-mark" title="on the critical path"><Icon name="critical" /></span></Show>
                              <Show when={r().problem}><span class="problem-sign has" title="has the lens's problem">!</span></Show>
                            </Show>
                            <Show when={at() === 0} fallback={c.text(r(), props.run)}>
                              <span class="row-name">{c.text(r(), props.run)}</span> <span class="quiet num row-id">{props.sign}{r().node}</span>
                            </Show>
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
              <Show when={state().filter !== "" || !props.empty} fallback={props.empty}>
                <span>No row matches “{state().filter}”. <button type="button" class="plain" onClick={() => update((s) => ({ ...s, filter: "" }), "filter")}>Clear the filter</button></span>
              </Show>
            </div>
          </Show>
          <Show when={error() ?? (total() === null ? "" : null)} keyed>{(e) => <Waiting what="table" error={e || null} />}</Show>
        </div>
      </div>
    </>
  );
}
