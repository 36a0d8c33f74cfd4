// What a pane shows of its look: asked for when the look changes, one question under way, recent answers kept
// so that undo is instant. Slow views are asked for on demand, with progress, and given up when the look
// changes.

import { createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import { keyOf } from "../look";
import { GivenUp, latest } from "../transport";
import type { Shown } from "../ask";
import type { Store } from "../store";
import type { Look } from "../protocol/Look";
import type { Progress } from "../protocol/Progress";

/** Pictures kept per pane. */
const KEEP = 24;
/** What is slow or lazy is not begun while a hand still moves. */
const SETTLE_MS = 250;

export interface Wishes {
  /** What is to be seen; null while that is not known. */
  wanted: () => Look | null;
  slow: () => boolean;
  /** While only the scope changes, as in zooming along time, this is not asked for until it rests. */
  lazy?: boolean;
  /** An answer to what is wanted, or to what was wanted a moment ago. */
  arrived: (key: string, shown: Shown) => void;
}

export type Answers = ReturnType<typeof createAnswers>;

export function createAnswers(store: Store, { wanted, slow, lazy, arrived }: Wishes) {
  const [error, setError] = createSignal<string | null>(null);
  const [busySince, setBusy] = createSignal<number | null>(null);
  const [progress, setProgress] = createSignal<Progress | null>(null);
  const [started, setStarted] = createSignal(false);
  const recent = new Map<string, Shown>();
  let shownKey = "";
  let asked: Look | null = null;
  let underWay: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function keep(key: string, shown: Shown): void {
    recent.delete(key);
    recent.set(key, shown);
    if (recent.size > KEEP) recent.delete(recent.keys().next().value!);
  }
  function install(key: string, shown: Shown): void {
    shownKey = key;
    setError(null);
    arrived(key, shown);
  }
  function failed(e: Error): void {
    setBusy(null);
    if (!(e instanceof GivenUp)) setError(e.message);
  }

  const load = latest(
    ({ key, look }: { key: string; look: Look }) => {
      setBusy(performance.now());
      // What has to wait for something shows what is known until then, unless something else is wanted by now.
      const draft = (shown: Shown): void => {
        const now = wanted();
        if (now && keyOf(now) === key && shownKey !== key) arrived(key, shown);
      };
      return store.asks.scene(look, undefined, { draft });
    },
    (shown, { key, look }) => {
      setBusy(null);
      keep(key, shown);
      // While something is dragged the answer is always a little late: shown all the same if it is of the
      // same view.
      const now = wanted();
      if (
        now &&
        now.view === look.view &&
        now.run === look.run &&
        (keyOf(now) === key || !recent.has(keyOf(now)))
      ) {
        install(key, shown);
      }
    },
    failed,
  );

  function stop(): void {
    clearTimeout(timer);
    underWay?.abort();
    underWay = null;
    setProgress(null);
    setBusy(null);
  }
  async function work(key: string, look: Look): Promise<void> {
    const own = new AbortController();
    underWay = own;
    setBusy(performance.now());
    setProgress({ share: 0, what: "" });
    const draft = (shown: Shown): void => arrived(key, shown);
    try {
      const shown = await store.asks.scene(look, undefined, {
        signal: own.signal,
        progress: setProgress,
        draft,
      });
      keep(key, shown);
      install(key, shown);
    } catch (e) {
      failed(e as Error);
    }
    if (underWay !== own) return;
    underWay = null;
    setProgress(null);
    setBusy(null);
  }

  function ask(key: string, look: Look): void {
    const same = asked !== null && keyOf({ ...look, scope: asked.scope }) === keyOf(asked);
    asked = look;
    if (slow()) {
      stop();
      if (started()) timer = setTimeout(() => void work(key, look), SETTLE_MS);
      return;
    }
    clearTimeout(timer);
    if (lazy && same) timer = setTimeout(() => load({ key, look }), SETTLE_MS);
    else load({ key, look });
  }

  const wantedKey = createMemo(() => {
    const look = wanted();
    return look && store.hello() ? keyOf(look) : null;
  });
  createEffect(
    on(wantedKey, (key) => {
      const look = untrack(wanted);
      if (key === null || !look || key === shownKey) return;
      const known = recent.get(key);
      if (known) install(key, known);
      else ask(key, look);
    }),
  );
  onCleanup(stop);

  return {
    error,
    busySince,
    progress,
    /** A slow view that nobody asked for yet, or that was given up. */
    waitsForStart: () => slow() && !started(),
    start: () => {
      setStarted(true);
      const look = wanted();
      if (look) void work(keyOf(look), look);
    },
    cancel: () => {
      setStarted(false);
      stop();
    },
    /** Takes over an answer that came by an act, before the state changes: it is not asked again. */
    take: (key: string, shown: Shown) => {
      keep(key, shown);
      shownKey = key;
      setError(null);
    },
    again: () => {
      setError(null);
      const look = wanted();
      if (look) ask(keyOf(look), look);
    },
  };
}
