// The cut as a table: one row per visible node, sorted and filtered by the server, only the rows on the screen in
// the document. Linked to the selection like every other view.

import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { exact, place, separated, time } from "../format";
import { toggle } from "../model/actions";
import { clockOf, select, socket, state, update, wholeRun } from "../page";
import { latest } from "../socket";
import type { TableAnswer } from "../protocol/TableAnswer";
import type { TableRow } from "../protocol/TableRow";
import { Icon } from "./icons";
import { Waiting } from "./states";

const ROW = 24;
const CHUNK = 100;

interface Column {
  id: string;
  title: string;
  numeric: boolean;
  text: (row: TableRow, run: number) => string;
  hover?: (row: TableRow, run: number) => string;
}

const span = (field: "elapsed" | "work" | "span") => ({
  text: (row: TableRow, run: number) => time(row[field], clockOf(run)),
  hover: (row: TableRow, run: number) => exact(row[field], clockOf(run)),
});

const COLUMNS: Column[] = [
  { id: "kind", title: "Node", numeric: false, text: (r) => r.kind },
  { id: "source", title: "Source", numeric: false, text: (r) => place(r.source), hover: (r) => r.source },
  { id: "worker", title: "Worker", numeric: false, text: (r) => r.worker },
  { id: "start", title: "Start", numeric: true, text: (r, run) => time(r.start - wholeRun(run)[0], clockOf(run)), hover: (r, run) => exact(r.start, clockOf(run)) },
  { id: "elapsed", title: "Elapsed", numeric: true, ...span("elapsed") },
  { id: "work", title: "Work", numeric: true, ...span("work") },
  { id: "span", title: "Critical path", numeric: true, ...span("span") },
  { id: "tasks", title: "Tasks", numeric: true, text: (r) => separated(r.tasks) },
];

export function TablePane(props: { run: number; pane: number }): JSX.Element {
  const [total, setTotal] = createSignal<number | null>(null);
  const [chunks, setChunks] = createSignal(new Map<number, TableRow[]>());
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [error, setError] = createSignal<string | null>(null);
  let body!: HTMLDivElement;
  const selected = createMemo(() => state().runs[props.run]!.selected);
  const query = createMemo(() => JSON.stringify([props.run, state().runs[props.run]!.cut, state().sort, state().descending, state().filter]));

  const load = latest(
    (q: { key: string; chunk: number }) =>
      socket.table({
        run: props.run, cut: state().runs[props.run]!.cut, sort: state().sort, descending: state().sort !== "" && state().descending, filter: state().filter, offset: q.chunk * CHUNK, limit: CHUNK * 2,
      }),
    (answer: TableAnswer, q) => {
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
    const observer = new ResizeObserver(() => setHeight(body.clientHeight));
    observer.observe(body);
    onCleanup(() => observer.disconnect());
  });

  const sortBy = (id: string): void =>
    update((s) => (s.sort !== id ? { ...s, sort: id, descending: true } : s.descending ? { ...s, descending: false } : { ...s, sort: "", descending: true }), "sort");
  const row = (i: number): TableRow | undefined => chunks().get(Math.floor(i / CHUNK))?.[i % CHUNK];
  const visible = () => Array.from({ length: Math.max(0, last() - first()) }, (_, k) => first() + k);
  const key = (e: KeyboardEvent): void => {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    e.preventDefault();
    e.stopPropagation();
    let at = -1;
    for (const [c, rows] of chunks()) {
      const k = rows.findIndex((r) => r.node === selected());
      if (k >= 0) at = c * CHUNK + k;
    }
    const next = Math.min((total() ?? 1) - 1, Math.max(0, at + (e.key === "ArrowDown" ? 1 : -1)));
    const to = row(next);
    if (to) select(props.run, to.node);
    if (next * ROW < body.scrollTop) body.scrollTop = next * ROW;
    else if ((next + 1) * ROW > body.scrollTop + body.clientHeight) body.scrollTop = (next + 1) * ROW - body.clientHeight;
  };

  return (
    <div class="table-pane" onPointerDown={() => update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "")}>
      <div class="table-tools">
        <input type="search" class="field" placeholder="Filter rows: source, kind, worker" aria-label="Filter rows" value={state().filter} onInput={(e) => update((s) => ({ ...s, filter: e.currentTarget.value }), "filter", true)} />
        <span class="quiet num"><Show when={total() !== null}>{separated(total()!)} rows of the current cut</Show></span>
      </div>
      <div class="table" role="table" aria-label="Visible nodes of the cut" aria-rowcount={total() ?? 0}>
        <div class="table-head" role="row">
          <For each={COLUMNS}>
            {(c) => (
              <button type="button" role="columnheader" class={c.numeric ? "numeric" : ""} aria-sort={state().sort === c.id ? (state().descending ? "descending" : "ascending") : "none"} onClick={() => sortBy(c.id)}>
                {c.title}
                <Show when={state().sort === c.id}><span class="sort">{state().descending ? " ▼" : " ▲"}</span></Show>
              </button>
            )}
          </For>
        </div>
        <div class="table-body" ref={body} tabindex="0" onScroll={() => setTop(body.scrollTop)} onKeyDown={key}>
          <div style={{ height: `${(total() ?? 0) * ROW}px`, position: "relative" }}>
            <For each={visible()}>
              {(i) => (
                <Show when={row(i)} fallback={<div class="table-row empty" style={{ top: `${i * ROW}px` }}>…</div>}>
                  {(r) => (
                    <div
                      class="table-row" role="row" aria-rowindex={i + 1} aria-selected={selected() === r().node} classList={{ selected: selected() === r().node, critical: r().critical }}
                      style={{ top: `${i * ROW}px` }} onClick={() => select(props.run, r().node)} onDblClick={() => toggle(props.run, r().node)}
                    >
                      <For each={COLUMNS}>
                        {(c) => (
                          <span role="cell" class={"col-" + c.id + (c.numeric ? " numeric" : "")} title={c.hover?.(r(), props.run)}>
                            <Show when={c.id === "kind"}>
                              <span class="indent" style={{ width: `${state().sort === "" ? Math.min(20, r().depth) * 8 : 0}px` }} />
                              <Show when={r().critical}><span class="critical-mark" title="on the critical path"><Icon name="critical" /></span></Show>
                            </Show>
                            {c.text(r(), props.run)}
                            <Show when={c.id === "kind"}><span class="quiet num"> #{r().node}</span></Show>
                          </span>
                        )}
                      </For>
                    </div>
                  )}
                </Show>
              )}
            </For>
          </div>
          <Show when={total() === 0 && !error()}><div class="centre quiet">No row matches “{state().filter}”. <button type="button" class="plain" onClick={() => update((s) => ({ ...s, filter: "" }), "filter")}>Clear the filter</button></div></Show>
          <Show when={error() ?? (total() === null ? "" : null)} keyed>{(e) => <Waiting what="table" error={e || null} />}</Show>
        </div>
      </div>
    </div>
  );
}
