// The head of a pane: which view of which run, what it is compared with, the lens; and at its end what can be
// done with the pane itself: split, swap, maximise, close.

import { For, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { comparedWith, isPaired } from "../look";
import { MOST_PANES, closed, paneOf, swapped, withPane } from "../state";
import { keysOf, listed, treeDecl } from "../views";
import { handBack, IconButton, noteStepping } from "./controls";
import { Lens } from "./lens";
import type { View } from "../protocol/View";

export function PaneHead(props: { pane: number; view: View | undefined }): JSX.Element {
  const { store } = useBench();
  const run = () => store.state().panes[props.pane]?.run ?? 0;
  const views = (): View[] => {
    const info = store.runInfo(run());
    const all = info ? listed(info) : [];
    return props.view && !all.includes(props.view) ? [...all, props.view] : all;
  };
  const choose = (name: string): void => {
    store.activate(props.pane);
    store.show(name);
  };
  /** Trees that can be looked through: the one that is looked at, and those that need no time to make. */
  const lensed = (): string[] => {
    const v = props.view;
    if (!v || v.pane === "sheet") return [];
    return keysOf(store.state(), run(), v, store.runInfo(run())).filter(
      (key, i) => i === 0 || treeDecl(store.runInfo(run()), key)?.slow === false,
    );
  };
  return (
    <header class="pane-head">
      <select
        class="plain-select"
        aria-label="View of this pane"
        onKeyDown={noteStepping}
        onChange={(e) => {
          choose(e.currentTarget.value);
          handBack(e);
        }}
      >
        <For each={views()}>
          {(v) => (
            <option value={v.name} selected={v.name === props.view?.name}>
              {v.title}
            </option>
          )}
        </For>
      </select>
      <Show when={store.runs().length > 1}>
        <RunChoice pane={props.pane} run={run()} />
      </Show>
      <Show when={props.view && props.view.compares !== "no"}>
        <Against pane={props.pane} view={props.view!} run={run()} />
      </Show>
      <For each={lensed()}>{(key, i) => <Lens run={run()} tree={key} first={i() === 0} />}</For>
      <PaneTools pane={props.pane} />
    </header>
  );
}

function RunChoice(props: { pane: number; run: number }): JSX.Element {
  const { store } = useBench();
  const choose = (run: number): void =>
    store.update((s) => {
      const view = store.available(run, s.panes[props.pane]!.view)
        ? s.panes[props.pane]!.view
        : store.runInfo(run)!.views[0]!.name;
      return withPane(s, props.pane, paneOf(view, run));
    }, "run");
  return (
    <select
      class="plain-select run-choice"
      aria-label="Run of this pane"
      onKeyDown={noteStepping}
      onChange={(e) => {
        choose(Number(e.currentTarget.value));
        handBack(e);
      }}
    >
      <For each={store.runs()}>
        {(r, i) => (
          <option value={i()} selected={i() === props.run}>
            {r.name}
          </option>
        )}
      </For>
    </select>
  );
}

/** What the view is compared with: nothing, another run, all others, or the places that do not count. */
function Against(props: { pane: number; view: View; run: number }): JSX.Element {
  const { store, hands } = useBench();
  const others = () =>
    store
      .runs()
      .map((_, i) => i)
      .filter((i) => i !== props.run && store.available(i, props.view.name));
  const value = (): string => {
    const pane = store.state().panes[props.pane];
    const against = pane ? comparedWith(store.state(), props.view, pane) : null;
    return against === null ? "" : against === "rest" ? "rest" : against.join("-");
  };
  const all = () => others().join("-");
  const set = (text: string): void =>
    hands.compareWith(
      props.pane,
      text === "" ? null : text === "rest" ? "rest" : text.split("-").map(Number),
    );
  const rest = () => store.scopeOf(props.run).places !== undefined;
  return (
    <Show when={others().length > 0 || rest() || value() !== ""}>
      <label class="choice">
        <span class="choice-label">against</span>
        <select
          aria-label="Compared with"
          onKeyDown={noteStepping}
          onChange={(e) => {
            set(e.currentTarget.value);
            handBack(e);
          }}
        >
          <Show when={!isPaired(props.view)}>
            <option value="" selected={value() === ""}>
              nothing
            </option>
          </Show>
          <For each={others()}>
            {(i) => (
              <option value={i} selected={value() === String(i)}>
                {store.runInfo(i)?.name}
              </option>
            )}
          </For>
          <Show when={props.view.compares === "many" && others().length > 1}>
            <option value={all()} selected={value() === all()}>
              all other runs
            </option>
          </Show>
          <Show when={rest() || value() === "rest"}>
            <option value="rest" selected={value() === "rest"}>
              the other places
            </option>
          </Show>
        </select>
      </label>
    </Show>
  );
}

function PaneTools(props: { pane: number }): JSX.Element {
  const { store, commands } = useBench();
  const state = store.state;
  const several = () => state().panes.length > 1;
  const here = (id: string) => (): void => {
    store.activate(props.pane);
    commands.run(id);
  };
  return (
    <div class="pane-tools">
      <Show when={state().panes.length < MOST_PANES}>
        <IconButton icon="splitRight" title="Another pane beside" key="\" onClick={here("split-right")} />
        <IconButton icon="splitBelow" title="Another pane below" key="|" onClick={here("split-below")} />
      </Show>
      <Show when={several()}>
        <IconButton
          icon="swap"
          title="Swap with the next pane"
          key="X"
          onClick={() => store.update((s) => swapped({ ...s, active: props.pane }), "swap")}
        />
        <IconButton
          icon={state().full ? "restore" : "maximise"}
          title={state().full ? "Restore" : "Maximise"}
          key="M"
          onClick={() => store.update((s) => ({ ...s, active: props.pane, full: !s.full }), "maximise")}
        />
        <IconButton
          icon="close"
          title="Close this pane"
          key="Q"
          onClick={() => store.update((s) => closed(s, props.pane), "close")}
        />
      </Show>
    </div>
  );
}
