// The grid of up to four panes. Each has a head, the tools that its view declares, and a body by the kind of
// its view; nothing here knows a view by name.

import { createMemo, Index, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { places } from "../state";
import { GraphPane } from "./graphpane";
import { PaneHead } from "./panehead";
import { PlotsPane } from "./plotspane";
import { SheetPane } from "./sheetpane";
import { TablePane } from "./tablepane";
import { Toolbar } from "./toolbar";
import type { View } from "../protocol/View";

export function Panes(): JSX.Element {
  const { store } = useBench();
  const at = createMemo(() => places(store.state().grid));
  const full = () => store.state().full && store.state().panes.length > 1;
  const shown = createMemo(() =>
    store
      .state()
      .panes.map((_, index) => index)
      .filter((index) => !full() || index === store.state().active),
  );
  /** Twelve rows can be parted into one, two, three and four. */
  const area = (pane: number): JSX.CSSProperties => {
    const place = at()[pane];
    if (full() || !place) return {};
    const rows = 12 / place.rows;
    return {
      "grid-column": String(place.column + 1),
      "grid-row": `${place.row * rows + 1} / span ${rows}`,
    };
  };
  const grid = (): JSX.CSSProperties =>
    full()
      ? {}
      : {
          "grid-template-columns": `repeat(${store.state().grid.length}, minmax(0, 1fr))`,
          "grid-template-rows": "repeat(12, minmax(0, 1fr))",
        };
  return (
    <main class="panes" classList={{ several: store.state().panes.length > 1 }} style={grid()}>
      <Index each={shown()}>{(index) => <Pane index={index()} style={area(index())} />}</Index>
    </main>
  );
}

function Pane(props: { index: number; style: JSX.CSSProperties }): JSX.Element {
  const { store } = useBench();
  const active = () => store.state().active === props.index;
  const view = createMemo(() => store.view(props.index));
  const run = () => store.state().panes[props.index]?.run ?? 0;
  // Another view or another run begins anew; another camera or option does not.
  const body = createMemo(() => `${props.index} ${run()} ${view()?.name}`);
  const title = () => {
    const several = store.runs().length > 1;
    return `${view()?.title ?? ""}${several ? `, ${store.runInfo(run())?.name ?? ""}` : ""}`;
  };
  return (
    <section
      class="pane"
      classList={{ active: active() }}
      style={props.style}
      aria-label={title()}
      onPointerDown={() => store.activate(props.index)}
      onFocusIn={() => store.activate(props.index)}
    >
      <PaneHead pane={props.index} view={view()} />
      <Show when={view()} fallback={<div class="centre quiet">This run has no such view.</div>}>
        {(v) => (
          <>
            <Toolbar pane={props.index} view={v()} />
            <Show when={body()} keyed>
              {(_) => <Body view={v()} pane={props.index} />}
            </Show>
          </>
        )}
      </Show>
    </section>
  );
}

function Body(props: { view: View; pane: number }): JSX.Element {
  return (
    <Switch>
      <Match when={props.view.pane === "graph"}>
        <GraphPane pane={props.pane} view={props.view} />
      </Match>
      <Match when={props.view.pane === "plots"}>
        <PlotsPane pane={props.pane} view={props.view} />
      </Match>
      <Match when={props.view.pane === "sheet"}>
        <SheetPane pane={props.pane} view={props.view} />
      </Match>
      <Match when={props.view.pane === "table"}>
        <TablePane pane={props.pane} view={props.view} />
      </Match>
    </Switch>
  );
}
