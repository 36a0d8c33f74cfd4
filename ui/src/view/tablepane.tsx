// The table form of both graphs: the cut of the DAG, or the grains, whichever was looked at last. Linked to the
// selection like every other view.

import { createMemo, Show, type JSX } from "solid-js";
import { exact, place, separated, shortKind, three, time } from "../format";
import { toggle } from "../model/actions";
import { dagOf } from "../model/dag";
import { goToGrain, showGrain } from "../model/grain";
import { inWords, problemRow } from "../model/problems";
import { clockOf, lensRequest, select, socket, state, update, wholeRun } from "../page";
import type { GrainRow } from "../protocol/GrainRow";
import type { TableRow } from "../protocol/TableRow";
import type { GraphId } from "../state";
import { Rows, type Column } from "./rows";

/** Room for a head: its longest word, since heads are broken between words. */
const headRoom = (title: string): number => 14 + 7.3 * Math.max(...title.split(" ").map((word) => word.length));

/** A column of times. */
const span = <R, F extends keyof R & string>(id: F, title: string): Column<R> => {
  const of = (row: R) => row[id] as number | null;
  return {
    id, title, numeric: true, wide: [1.2, Math.max(64, headRoom(title))],
    text: (row, run) => (of(row) === null ? "–" : time(of(row)!, clockOf(run))), hover: (row, run) => (of(row) === null ? "" : exact(of(row)!, clockOf(run))),
  };
};
/** A column of numbers without a unit. */
const number = <R, F extends keyof R & string>(id: F, title: string, small = false): Column<R> => {
  const of = (row: R) => row[id] as number | null;
  return { id, title, small, numeric: true, wide: [0.9, headRoom(title)], text: (row) => (of(row) === null ? "–" : three(of(row)!)), hover: (row) => (of(row) === null ? "has no meaning here" : exact(of(row)!, "ratio")) };
};
/** When it started, counted from the start of the run. */
const start = <R extends { start: number }>(): Column<R> => ({
  id: "start", title: "Start", numeric: true, wide: [1.2, 64], text: (r, run) => time(r.start - wholeRun(run)[0], clockOf(run)), hover: (r, run) => exact(r.start, clockOf(run)),
});

const NODES: Column<TableRow>[] = [
  { id: "kind", title: "Node", numeric: false, wide: [3, 180], text: (r) => r.kind },
  { id: "source", title: "Source", numeric: false, wide: [1.6, 96], text: (r) => place(r.source), hover: (r) => r.source },
  { id: "worker", title: "Worker", numeric: false, wide: [1, 72], text: (r) => r.worker },
  start(), span("elapsed", "Elapsed"), span("work", "Work"), span("span", "T∞"),
  { id: "tasks", title: "Tasks", numeric: true, wide: [0.8, 64], text: (r) => separated(r.tasks) },
];

const GRAINS: Column<GrainRow>[] = [
  { id: "kind", title: "Grain or group", numeric: false, wide: [2.6, 156], text: (r) => shortKind(r.kind), hover: (r) => `${r.kind} #${r.node}, depth ${r.depth}` },
  { id: "source", title: "Source", numeric: false, wide: [1.6, 84], text: (r) => place(r.source), hover: (r) => r.source },
  { id: "core", title: "Core", numeric: true, wide: [0.6, 44], text: (r) => (r.core === null ? "–" : String(r.core)) },
  start(), span("work", "Work"), span("path", "Path of grains"),
  number("benefit", "Benefit", true), number("balance", "Balance"), number("scatter", "Scatter"), number("parallelism", "Parallelism", true), number("deviation", "Deviation"),
  { id: "grains", title: "Grains", numeric: true, wide: [0.8, 58], text: (r) => separated(r.grains) },
];

export function TablePane(props: { run: number; pane: number }): JSX.Element {
  return (
    <div class="table-pane" onPointerDown={() => update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "")}>
      <Show when={state().table === "grain"} fallback={<NodeTable run={props.run} />}><GrainTable run={props.run} /></Show>
    </div>
  );
}

/** Which graph the rows come from. */
function Of(): JSX.Element {
  const set = (table: GraphId): void => update((s) => ({ ...s, table }), "table");
  return (
    <span class="segments" role="group" aria-label="Rows of">
      <button type="button" aria-pressed={state().table === "dag"} onClick={() => set("dag")}>DAG</button>
      <button type="button" aria-pressed={state().table === "grain"} onClick={() => set("grain")}>Grains</button>
    </span>
  );
}

function NodeTable(props: { run: number }): JSX.Element {
  const run = () => state().runs[props.run]!;
  return (
    <Rows
      run={props.run} sign="#" name="Visible nodes of the cut" columns={NODES} key={JSON.stringify([props.run, run().cut])} placeholder="Filter rows: source, kind, worker"
      ask={(order, offset, limit) => socket.table({ run: props.run, cut: run().cut, ...order, filter: state().filter, offset, limit })}
      selected={run().selected} onSelect={(node) => select(props.run, node)} onOpen={(node) => toggle(dagOf(props.run), node)}
      tools={(total) => <><Of /><span class="quiet num"><Show when={total !== null}>{separated(total!)} rows of the current cut</Show></span></>}
    />
  );
}

function GrainTable(props: { run: number }): JSX.Element {
  const run = () => state().runs[props.run]!;
  const all = () => state().all && state().lens !== "";
  // Without a baseline there is no deviation, and its room is the others'.
  const columns = createMemo(() => GRAINS.filter((c) => c.id !== "deviation" || problemRow(props.run, "work-deviation")?.available === true));
  const setAll = (value: boolean): void => update((s) => ({ ...s, all: value }), "table");
  return (
    <Rows
      run={props.run} sign="g" name={all() ? `Grains with ${inWords(state().lens)}` : "Visible grains and groups"} columns={columns()} flat={all()} placeholder="Filter rows: source, kind"
      key={JSON.stringify([props.run, all() ? "" : run().grainCut, lensRequest(), state().alike, all()])}
      ask={(order, offset, limit) => socket.grainTable({ run: props.run, cut: run().grainCut, lens: lensRequest(), alike: state().alike, all: all(), ...order, filter: state().filter, offset, limit })}
      selected={run().grain} onSelect={(node) => goToGrain(props.run, node)} onOpen={(node) => showGrain(props.run, node)}
      tools={(total) => (
        <>
          <Of />
          <span class="segments" role="group" aria-label="Which grains">
            <button type="button" aria-pressed={!all()} onClick={() => setAll(false)}>visible</button>
            <button type="button" aria-pressed={all()} disabled={state().lens === ""} title={state().lens === "" ? "Choose a lens first" : undefined} onClick={() => setAll(true)}>
              {state().lens === "" ? "all with the problem" : `all with ${inWords(state().lens)}`}
            </button>
          </span>
          <span class="quiet num"><Show when={total !== null}>{separated(total!)} {all() ? "grains" : "rows"} · double click shows one in the graph</Show></span>
        </>
      )}
      empty={<span>No grain has {inWords(state().lens)} at this threshold.</span>}
    />
  );
}
