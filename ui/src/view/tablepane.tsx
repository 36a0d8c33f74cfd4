// The rows of a tree: what is visible, or everything that the lens chooses. Columns come with the answer,
// sort and filter are options of the view, and the selection is that of every other pane.

import { createMemo, createSignal, onCleanup, onMount, Show, For, type JSX } from "solid-js";
import { useBench } from "../bench";
import { separated } from "../format";
import { keyOf, lookOf } from "../look";
import { createMeaning } from "../model/light";
import { has, rangesOf, same } from "../selection";
import { applied, withOption } from "../state";
import { ownerOf, tableTree, treeDecl, TREE_OPTION } from "../views";
import { Rows, type Order } from "./rows";
import type { Control } from "../model/controls";
import type { ActCall } from "../protocol/ActCall";
import type { Look } from "../protocol/Look";
import type { Row } from "../protocol/Row";
import type { View } from "../protocol/View";

const SIZE = { w: 1200, h: 640 };

export function TablePane(props: { pane: number; view: View }): JSX.Element {
  const { store, controls, hands, trees } = useBench();
  const [visible, setVisible] = createSignal<readonly Row[]>([]);
  const own = () => store.state().panes[props.pane];
  const run = () => own()?.run ?? 0;
  /** As chosen, else as the view declares it. */
  const option = (name: string): string =>
    store.state().options[props.view.name]?.[name] ??
    props.view.options.find((o) => o.name === name)?.usual ??
    "";
  const set = (name: string, value: string | null): void =>
    store.update((s) => withOption(s, props.view.name, name, value), "table");
  const info = () => store.runInfo(run());
  const tree = (): string => tableTree(store.state(), props.view, info());
  /** Trees whose rows can be chosen here. */
  const choices = () =>
    props.view.trees.length > 0
      ? props.view.trees
      : (info()?.trees ?? []).filter((t) => !t.parameter).map((t) => t.name);
  const decl = () => treeDecl(info(), tree());
  const lens = () => trees.lens(run(), tree());
  const flat = () => option("flat") === "true" && lens() !== undefined;
  const owner = () => ownerOf(info()!, tree(), props.view);
  /** Rows are asked for with the look of the view that draws the tree: its options may fold it. */
  const look = createMemo<Look | null>(
    () => {
      const p = own();
      return p && info() ? lookOf(store.state(), info()!, owner(), p, SIZE) : null;
    },
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );
  const order = (): Order => ({
    sort: option("sort"),
    descending: option("down") !== "false",
    filter: option("filter"),
  });
  const setOrder = (next: Partial<Order>): void =>
    store.update(
      (s) => {
        const to = { ...order(), ...next };
        const sorted = withOption(s, props.view.name, "sort", to.sort === "" ? null : to.sort);
        const down = withOption(
          sorted,
          props.view.name,
          "down",
          to.sort === "" || to.descending ? null : "false",
        );
        return withOption(down, props.view.name, "filter", to.filter === "" ? null : to.filter);
      },
      "table",
      next.filter !== undefined,
    );

  const meaning = createMeaning(store, look);
  /** The row of the selection, and rows that it means. */
  const selected = (row: Row): boolean =>
    row.selection !== null && same(row.selection, store.state().selected);
  const meant = (row: Row): boolean => {
    const found = meaning()?.answer.trees.find((of) => owner().trees[of.tree] === tree());
    return (
      !!found &&
      row.selection !== null &&
      has(rangesOf(found.nodes), rangesOf(row.selection.nodes)[0]?.[0] ?? -1)
    );
  };

  /** Acts change the cut of the tree, which is what the rows are. */
  async function act(call: ActCall): Promise<void> {
    const at = look();
    if (!at) return;
    try {
      const { answer } = await store.asks.scene(at, call);
      store.update((s) => ({ ...applied(s, answer.look), selected: answer.select ?? s.selected }), "act");
      if (answer.notice) store.say(answer.notice);
    } catch (e) {
      store.complain(e);
    }
  }
  /** Opens or closes a row; one that holds nothing is shown in a graph. */
  function press(row: Row): void {
    if (!row.selection) return;
    if (row.state.holds && !flat())
      void act({ name: row.state.open ? "close" : "open", on: row.selection, numbers: [] });
    else show(row);
  }
  function show(row: Row): void {
    if (row.selection && owner() !== props.view) hands.showIn(owner().name, row.selection);
    else if (row.selection) store.select(row.selection);
  }
  const control: Control = {
    look,
    act,
    reveal: (of) => act({ name: "reveal", on: of, numbers: [] }),
    zoom: () => {},
    pan: () => false,
    fit: () => {},
    press: (of) => {
      const row = visible().find((r) => same(r.selection, of));
      return !row ? "hidden" : !row.state.holds ? "none" : row.state.open ? "close" : "open";
    },
    first: () => visible().find((r) => r.selection)?.selection ?? null,
    rect: () => null,
    marks: () => [],
    stats: () => ({ boxes: visible().length, links: 0, visible: visible().length, serverMs: 0 }),
  };
  onMount(() => onCleanup(controls.register(props.pane, control)));

  const key = () => {
    const at = look();
    return JSON.stringify([at && keyOf(at), tree(), flat(), order()]);
  };
  const counted = (total: number): string =>
    `${separated(total)} ${flat() ? (decl()?.node[total === 1 ? 0 : 1] ?? "rows") : total === 1 ? "row" : "rows"}`;
  return (
    <div class="table-pane">
      <Rows
        name={`${decl()?.title ?? props.view.title}${flat() ? ` with ${lens()!.title}` : ""}`}
        key={key()}
        order={order()}
        setOrder={setOrder}
        ask={(from, count) =>
          store.asks.table({
            look: look()!,
            tree: tree(),
            sort: order().sort,
            descending: order().sort !== "" && order().descending,
            filter: order().filter,
            flat: flat(),
            from,
            count,
          })
        }
        flat={flat()}
        selected={selected}
        meant={meant}
        onSelect={(row) => row.selection && store.select(row.selection)}
        onPress={press}
        onShow={show}
        onVisible={setVisible}
        empty={
          flat() ? `No ${decl()?.node[0] ?? "row"} has ${lens()!.title} at this value.` : "There are no rows."
        }
        tools={(total) => (
          <>
            <Show when={choices().length > 1}>
              <span class="segments" role="group" aria-label="Rows of">
                <For each={choices()}>
                  {(of) => (
                    <button type="button" aria-pressed={tree() === of} onClick={() => set(TREE_OPTION, of)}>
                      {treeDecl(info(), of)?.title ?? of}
                    </button>
                  )}
                </For>
              </span>
            </Show>
            <span class="segments" role="group" aria-label="Which rows">
              <button type="button" aria-pressed={!flat()} onClick={() => set("flat", null)}>
                visible
              </button>
              <button
                type="button"
                aria-pressed={flat()}
                disabled={!lens()}
                title={lens() ? undefined : "Choose a lens first"}
                onClick={() => set("flat", "true")}
              >
                {lens() ? `all with ${lens()!.title}` : "all of the lens"}
              </button>
            </span>
            <span class="quiet num">
              <Show when={total !== null}>
                {counted(total!)}
                {owner() === props.view ? "" : " · double click shows one"}
              </Show>
            </span>
          </>
        )}
      />
    </div>
  );
}
