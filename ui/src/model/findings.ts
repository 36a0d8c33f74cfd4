// The findings of each run, from its first sheet: what the inspector lists when nothing is selected, and what
// the keys for the next and the previous problem walk through.

import { createSignal } from "solid-js";
import { applied, showing, type Pane } from "../state";
import type { Controls } from "./controls";
import type { Store } from "../store";
import type { Finding } from "../protocol/Finding";
import type { Look } from "../protocol/Look";
import type { Sheet } from "../protocol/Sheet";

export const findingsIn = (sheet: Sheet): Finding[] => sheet.blocks.filter((b) => b.is === "finding");

export type Findings = ReturnType<typeof createFindings>;

export function createFindings(store: Store, controls: Controls) {
  const known = new Map<number, () => Finding[] | null>();
  const [current, setCurrent] = createSignal<{ run: number; number: number } | null>(null);

  /** null while they are on their way. */
  const of = (run: number): Finding[] | null => {
    let read = known.get(run);
    if (!read) {
      const [get, set] = createSignal<Finding[] | null>(null);
      known.set(run, (read = get));
      store.asks.overview(run).then(
        (sheet) => set(findingsIn(sheet)),
        () => set([]),
      );
    }
    return read();
  };

  /** Opens a look: in a pane that shows it already, else in the active one. */
  function open(look: Look): void {
    store.update((s) => {
      const next = applied(showing(s, look.view, look.run), look);
      const panes = next.panes.map((p, i) =>
        i === next.active ? { ...p, camera: null, against: againstOf(look) } : p,
      );
      return { ...next, panes, selected: look.selected ?? null };
    }, "look");
    // What is meant may be folded away there.
    const pane = store.activeView()?.pane;
    if (look.selected && (pane === "graph" || pane === "table"))
      controls.active()?.reveal(look.selected).catch(store.complain);
  }
  const againstOf = ({ against }: Look): Pane["against"] =>
    !against ? null : against === "rest" ? "rest" : against.runs;

  const go = (run: number, finding: Finding): void => {
    setCurrent({ run, number: finding.number });
    open(finding.show);
  };

  return {
    of,
    open,
    go,
    current,
    step: async (by: 1 | -1): Promise<void> => {
      const run = store.currentRun();
      const list = findingsIn(await store.asks.overview(run));
      if (list.length === 0) return store.say("No problem costs more than a small share of this run.");
      const at = list.findIndex((f) => current()?.run === run && f.number === current()?.number);
      const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length;
      go(run, list[next]!);
    },
  };
}
