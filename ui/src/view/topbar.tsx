// The top bar: which run, where the selection lies in it, search, and the page's own commands. Every control
// here is also a command in the palette.

import { For, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { createAbout } from "../model/about";
import { IconButton, Menu } from "./controls";
import { Icon } from "./icons";
import { SearchBox } from "./search";
import type { Crumb } from "../protocol/Crumb";

export function TopBar(): JSX.Element {
  const { store, commands } = useBench();
  const state = store.state;
  const several = () => new Set(state().panes.map((p) => p.run)).size > 1;
  const dark = () => store.theme() === "dark";
  return (
    <header class="topbar">
      <strong class="run-name" title={`crosscut ${store.hello()?.crosscut ?? ""}`}>
        {store.runInfo(store.currentRun())?.name}
      </strong>
      <Crumbs />
      <SearchBox />
      <div class="tools">
        <IconButton
          icon="command"
          title="All commands"
          key={commands.key("palette")}
          onClick={() => commands.run("palette")}
        />
        <Show when={store.runs().length > 1}>
          <IconButton
            icon="compare"
            title="Compare runs side by side"
            key={commands.key("compare")}
            pressed={several()}
            onClick={() => commands.run("compare")}
          />
          <IconButton
            icon="link"
            title="Link zoom and window of all runs"
            key={commands.key("link")}
            pressed={state().link}
            onClick={() => commands.run("link")}
          />
        </Show>
        <ExportMenu />
        <IconButton
          icon="inspector"
          title="Inspector"
          key={commands.key("inspector")}
          pressed={state().inspector}
          onClick={() => commands.run("inspector")}
        />
        <IconButton
          icon={dark() ? "sun" : "moon"}
          title={dark() ? "Light" : "Dark"}
          key={commands.key("theme")}
          onClick={() => commands.run("theme")}
        />
        <IconButton icon="help" title="Help: keys and hands" key="?" onClick={() => commands.run("help")} />
      </div>
    </header>
  );
}

/** What is around the selection; the middle is left out when there is much. */
function Crumbs(): JSX.Element {
  const { store, hands } = useBench();
  const { sheet } = createAbout(store, () => store.state().selected);
  const path = (): Crumb[] => {
    const s = sheet();
    return s?.selection ? [...s.crumbs, { title: s.title, selection: s.selection }] : (s?.crumbs ?? []);
  };
  const short = (): { crumb: Crumb; gap: boolean; last: boolean }[] => {
    const p = path();
    const kept = p.length <= 3 ? p : [p[0]!, ...p.slice(-2)];
    return kept.map((crumb, i) => ({ crumb, gap: p.length > 3 && i === 1, last: i === kept.length - 1 }));
  };
  return (
    <nav class="crumbs" aria-label="Ancestors of the selection">
      <For each={short()}>
        {({ crumb, gap, last }) => (
          <>
            <span class="crumb-mark" aria-hidden="true">
              {gap ? "› … ›" : "›"}
            </span>
            <button
              type="button"
              class="crumb"
              classList={{ last }}
              title={crumb.title}
              onClick={() => hands.go(crumb.selection)}
            >
              <bdi>{crumb.title}</bdi>
            </button>
          </>
        )}
      </For>
    </nav>
  );
}

function ExportMenu(): JSX.Element {
  const { hands } = useBench();
  const items: [string, () => void][] = [
    ["SVG of the active pane", () => hands.picture("svg")],
    ["PNG of the active pane", () => hands.picture("png")],
    ["Copy the address of this view", () => hands.copyLink()],
  ];
  return (
    <Menu
      buttonClass="icon-button"
      name="Export the picture"
      title="Export the picture"
      label={<Icon name="export" />}
    >
      {(close) => (
        <For each={items}>
          {([title, run]) => (
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                close();
                run();
              }}
            >
              {title}
            </button>
          )}
        </For>
      )}
    </Menu>
  );
}
