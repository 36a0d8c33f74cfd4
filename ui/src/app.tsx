// The frame of the page: top bar, rail of views, one or two panes, inspector, time strip, and what lies over them.
// Also the one place where keys are heard.

import { createMemo, For, Index, Match, onCleanup, onMount, Show, Switch, type JSX } from "solid-js";
import { commandFor } from "./commands";
import { keyName, typing } from "./keys";
import { overlay } from "./model/overlay";
import { hello, ink, runInfo, state, update } from "./page";
import { closed, splitted, swapped, VIEW_TITLES, VIEWS, withView, type Pane, type ViewId } from "./state";
import { handBack, IconButton, named, noteStepping } from "./view/controls";
import { DagPane } from "./view/dagpane";
import { GrainPane } from "./view/grainpane";
import { Icon } from "./view/icons";
import { Inspector } from "./view/inspector";
import { OverviewPane } from "./view/overviewpane";
import { CommandPalette, Help } from "./view/palette";
import { ConnectionLost, Hints, Notices, PartialBanner, Starting } from "./view/states";
import { TablePane } from "./view/tablepane";
import { TimePane } from "./view/timepane";
import { TimeStrip } from "./view/timestrip";
import { Tooltip } from "./view/tooltip";
import { TopBar } from "./view/topbar";

export function App(): JSX.Element {
  const key = (e: KeyboardEvent): void => {
    const name = keyName(e);
    // Fields keep their letters; only commands with Ctrl reach over them.
    if (typing(e.target, name) && !name.startsWith("Ctrl+K")) return;
    // Enter and Space belong to a focused button.
    if ((name === "Enter" || name === "Space") && (e.target as HTMLElement).tagName === "BUTTON") return;
    const command = commandFor(name);
    if (!command || (overlay() && command.id !== "deselect" && command.id !== "palette" && command.id !== "help")) return;
    e.preventDefault();
    command.run();
  };
  onMount(() => {
    window.addEventListener("keydown", key);
    onCleanup(() => window.removeEventListener("keydown", key));
  });
  // The overview lists the findings itself: without a selection the inspector would say the same twice.
  const inspecting = () => state().inspector && !(state().panes.every((p) => p.view === "overview") && state().runs.every((r) => r.selected === null && r.grain === null));
  // Sets the theme on the document even before a canvas asks for its inks.
  createMemo(() => ink());
  return (
    <>
      <ConnectionLost />
      <Show when={hello()} fallback={<Starting />}>
        <TopBar />
        <PartialBanner />
        <div class="middle">
          <Rail />
          <Panes />
          <Show when={inspecting()}><Inspector /></Show>
        </div>
        <Hints />
        <TimeStrip />
      </Show>
      <Tooltip />
      <Notices />
      <Switch>
        <Match when={overlay() === "palette"}><CommandPalette /></Match>
        <Match when={overlay() === "help"}><Help /></Match>
      </Switch>
    </>
  );
}

function Rail(): JSX.Element {
  const current = (view: ViewId) => state().panes[state().active]?.view === view;
  return (
    <nav class="rail" aria-label="Views">
      <For each={VIEWS}>
        {(view, i) => (
          <button type="button" aria-current={current(view) ? "page" : undefined} title={named(VIEW_TITLES[view], String(i() + 1))} onClick={() => update((s) => withView(s, view), "view")}>
            <Icon name={view} />
            <span>{VIEW_TITLES[view]}</span>
          </button>
        )}
      </For>
    </nav>
  );
}

function Panes(): JSX.Element {
  const shown = createMemo(() => state().panes.map((pane, index) => ({ pane, index })).filter(({ index }) => !state().maximised || state().panes.length < 2 || index === state().active));
  return (
    <main class={"panes " + state().split}>
      <Index each={shown()}>{(p) => <PaneFrame pane={p().pane} index={p().index} />}</Index>
    </main>
  );
}

function PaneFrame(props: { pane: Pane; index: number }): JSX.Element {
  const active = () => state().active === props.index;
  const two = () => state().panes.length === 2;
  const activate = () => update((s) => (s.active === props.index ? s : { ...s, active: props.index }), "");
  const setView = (view: ViewId) => update((s) => ({ ...withView({ ...s, active: props.index }, view) }), "view");
  const view = () => props.pane.view;
  const run = () => props.pane.run;
  return (
    <section class="pane" classList={{ active: active() && two() }} aria-label={VIEW_TITLES[view()]} onPointerDown={activate}>
      <header class="pane-head">
        <select
          class="plain-select" aria-label="View of this pane" onKeyDown={noteStepping}
          onChange={(e) => {
            setView(e.currentTarget.value as ViewId);
            handBack(e);
          }}
        >
          <For each={VIEWS}>{(v) => <option value={v} selected={v === view()}>{VIEW_TITLES[v]}</option>}</For>
        </select>
        <Show when={state().runs.length > 1}><span class="quiet">{runInfo(run())?.name}</span></Show>
        <span class="spacer" />
        <Show
          when={two()}
          fallback={
            <>
              <IconButton icon="splitRow" title="Second pane beside" key="\" onClick={() => update((s) => splitted(s, "row"), "split")} />
              <IconButton icon="splitColumn" title="Second pane below" key="|" onClick={() => update((s) => splitted(s, "column"), "split")} />
            </>
          }
        >
          <IconButton icon={state().split === "row" ? "splitColumn" : "splitRow"} title={state().split === "row" ? "One above the other" : "Side by side"} onClick={() => update((s) => splitted(s, s.split === "row" ? "column" : "row"), "split")} />
          <IconButton icon="swap" title="Swap panes" key="X" onClick={() => update(swapped, "swap")} />
          <IconButton icon={state().maximised ? "restore" : "maximise"} title={state().maximised ? "Restore" : "Maximise"} key="M" onClick={() => update((s) => ({ ...s, active: props.index, maximised: !s.maximised }), "maximise")} />
          <IconButton icon="close" title="Close this pane" key="Q" onClick={() => update((s) => closed(s, props.index), "close-pane")} />
        </Show>
      </header>
      <Switch>
        <Match when={view() === "overview"}><OverviewPane run={run()} /></Match>
        <Match when={view() === "dag"}><DagPane run={run()} pane={props.index} /></Match>
        <Match when={view() === "grain"}><GrainPane run={run()} pane={props.index} /></Match>
        <Match when={view() === "timeline"}><TimePane run={run()} pane={props.index} /></Match>
        <Match when={view() === "table"}><TablePane run={run()} pane={props.index} /></Match>
      </Switch>
    </section>
  );
}
