// Search as you type: words go to the server, hits come back with their count; Enter walks through them and shows
// each in the DAG. The newest words win; older answers are dropped.

import { createSignal } from "solid-js";
import { dagOf } from "./dag";
import { grainOf, showGrain } from "./grain";
import { currentRun, select, socket, state, update } from "../page";
import { latest } from "../socket";
import { showing } from "../state";
import type { SearchAnswer } from "../protocol/SearchAnswer";

const LIMIT = 200;

export interface Found extends SearchAnswer {
  run: number;
  text: string;
}

export const [searchText, setSearchText] = createSignal("");
export const [found, setFound] = createSignal<Found | null>(null);
export const [searchError, setSearchError] = createSignal<string | null>(null);
export const [hitIndex, setHitIndex] = createSignal(-1);
export const [searchOpen, setSearchOpen] = createSignal(false);

const ask = latest(
  (q: { run: number; text: string }) => socket.search(q.run, q.text, LIMIT),
  (answer, q) => {
    if (q.text !== searchText().trim()) return;
    setSearchError(null);
    setFound({ ...answer, ...q });
    setHitIndex(-1);
  },
  (e) => setSearchError(e.message),
);

export function search(text: string): void {
  setSearchText(text);
  const words = text.trim();
  if (words === "") {
    setFound(null);
    setSearchError(null);
    return;
  }
  ask({ run: currentRun(), text: words });
}

/** Selects a hit and shows it: in the DAG unless grains, the timeline or the table are what is being looked at. */
export function goToHit(index: number): void {
  const f = found();
  const hit = f?.hits[index];
  if (!f || !hit) return;
  setHitIndex(index);
  if (hit.grain !== null) return showGrain(f.run, hit.grain);
  const view = state().panes[state().active]!.view;
  if (view === "overview") update((s) => showing(s, "dag", f.run), "view");
  select(f.run, hit.node);
  if (view === "grain") void grainOf(f.run).act({ do: "revealtask", node: hit.node }, null);
  else void dagOf(f.run).act({ do: "reveal", node: hit.node }, hit.node);
}

export function nextHit(by: 1 | -1): void {
  const count = found()?.hits.length ?? 0;
  if (count > 0) goToHit((hitIndex() + by + count) % count);
}
