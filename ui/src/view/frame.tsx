// The frame of the page: top bar, rail of views, grid of panes, inspector, time strip, and what lies over
// them. Also the one place where keys are heard.

import { createMemo, Match, onCleanup, onMount, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { keyName, typing } from "../keys";
import { Inspector } from "./inspector";
import { CommandPalette, Help } from "./palette";
import { Panes } from "./panes";
import { Rail } from "./rail";
import { Hints } from "./hints";
import { ConnectionLost, DamageBanner, KernelBusy, Notices, PartialBanner, Starting } from "./states";
import { Strip } from "./strip";
import { Tooltip } from "./tooltip";
import { TopBar } from "./topbar";

/** Commands that work while something lies over the page. */
const OVER = ["deselect", "palette", "help"];

export function Frame(): JSX.Element {
  const { store, commands } = useBench();
  const key = (event: Event): void => {
    const e = event as KeyboardEvent;
    const name = keyName(e);
    // Fields keep their letters; only the palette reaches over them.
    if (typing(e.target, name) && name !== "Ctrl+K") return;
    // Enter and Space belong to a focused button.
    if ((name === "Enter" || name === "Space") && (e.target as HTMLElement).tagName === "BUTTON") return;
    const command = commands.for(name);
    if (!command || (store.overlay() && !OVER.includes(command.id))) return;
    e.preventDefault();
    command.run();
  };
  onMount(() => {
    store.host.keys.addEventListener("keydown", key);
    onCleanup(() => store.host.keys.removeEventListener("keydown", key));
  });
  // Sheets say themselves what is worth knowing: beside them alone the inspector waits for a selection.
  const inspecting = () =>
    store.state().inspector &&
    (store.state().selected !== null || store.state().panes.some((_, i) => store.view(i)?.pane !== "sheet"));
  // Sets the theme on the root even before a canvas asks for its inks.
  createMemo(() => store.ink());
  return (
    <>
      <ConnectionLost />
      <KernelBusy />
      <Show when={store.hello()} fallback={<Starting />}>
        <TopBar />
        <DamageBanner />
        <PartialBanner />
        <div class="middle">
          <Show when={!store.host.cell}>
            <Rail />
          </Show>
          <Panes />
          <Show when={inspecting()}>
            <Inspector />
          </Show>
        </div>
        <Hints />
        <Strip />
      </Show>
      <Tooltip />
      <Notices />
      <Switch>
        <Match when={store.overlay() === "palette"}>
          <CommandPalette />
        </Match>
        <Match when={store.overlay() === "help"}>
          <Help />
        </Match>
      </Switch>
    </>
  );
}
