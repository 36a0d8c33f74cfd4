// Search as you type: words go to the server, hits come back by tree; Enter walks through them and shows
// each. The newest words win; older answers are dropped.

import { createSignal } from "solid-js";
import { latest } from "../transport";
import type { Store } from "../store";
import type { Hit } from "../protocol/Hit";
import type { TreeHits } from "../protocol/TreeHits";

/** Hits of each tree at most. */
const LIMIT = 100;

export interface Found {
  run: number;
  words: string;
  trees: TreeHits[];
  /** All hits, in the order in which they are listed. */
  hits: Hit[];
  total: number;
  more: boolean;
}

export type Search = ReturnType<typeof createSearch>;

export function createSearch(store: Store, show: (hit: Hit) => void) {
  const [text, setText] = createSignal("");
  const [found, setFound] = createSignal<Found | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const [at, setAt] = createSignal(-1);
  const [open, setOpen] = createSignal(false);

  const ask = latest(
    (q: { run: number; words: string }) => store.asks.search(q.run, q.words, LIMIT),
    ({ trees: all }, q) => {
      if (q.words !== text().trim()) return;
      const trees = all.filter((t) => t.hits.length > 0);
      const total = trees.reduce((sum, t) => sum + t.total, 0);
      setError(null);
      setFound({ ...q, trees, hits: trees.flatMap((t) => t.hits), total, more: trees.some((t) => t.more) });
      setAt(-1);
    },
    (e) => setError(e.message),
  );

  function search(next: string): void {
    setText(next);
    const words = next.trim();
    if (words !== "") return ask({ run: store.currentRun(), words });
    setFound(null);
    setError(null);
  }

  function go(index: number): void {
    const hit = found()?.hits[index];
    if (!hit) return;
    setAt(index);
    show(hit);
  }

  return {
    text,
    found,
    error,
    at,
    open,
    setOpen,
    search,
    go,
    next: (by: 1 | -1): void => {
      const count = found()?.hits.length ?? 0;
      if (count > 0) go((at() + by + count) % count);
    },
  };
}
