// Hints for first use: one for each kind of pane, until it is dismissed; remembered by the host.

import { createSignal, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { Key } from "./controls";
import type { Pane } from "../protocol/Pane";

const HINTS: Record<Pane, () => JSX.Element> = {
  sheet: () => (
    <>
      What costs most comes first. Click it: the view that shows it opens, with the place selected.{" "}
      <Key name="P" /> goes to the next.
    </>
  ),
  graph: () => (
    <>
      Double click opens or closes, <Key name="Shift" /> click opens all below. Wheel zooms, drag moves,{" "}
      <Key name="F" /> fits. <Key name="K" /> looks through a problem, <Key name="T" /> shows the selection in
      time.
    </>
  ),
  plots: () => (
    <>
      Wheel zooms at the pointer, drag moves, <Key name="Shift" /> drag selects a stretch. The strip below is
      the whole run: its frame is this window.
    </>
  ),
  table: () => (
    <>
      A click on a head sorts, the worst first. Arrows walk the rows, <Key name="Enter" /> opens one, a double
      click shows it in a graph.
    </>
  ),
};
const SEEN = "crosscut.hints";

export function Hints(): JSX.Element {
  const { store } = useBench();
  const [seen, setSeen] = createSignal(store.host.remembered(SEEN).split(",").filter(Boolean));
  const kind = (): Pane | undefined => store.activeView()?.pane;
  const dismiss = (which: string[]): void => {
    const next = [...new Set([...seen(), ...which])];
    setSeen(next);
    store.host.remember(SEEN, next.join(","));
  };
  return (
    <Show when={kind() !== undefined && !seen().includes(kind()!) ? kind() : undefined} keyed>
      {(of) => (
        <div class="hint" role="note">
          <span>{HINTS[of]()}</span>
          <button type="button" onClick={() => dismiss([of])}>
            Got it
          </button>
          <button type="button" class="plain" onClick={() => dismiss(Object.keys(HINTS))}>
            No hints
          </button>
        </div>
      )}
    </Show>
  );
}
