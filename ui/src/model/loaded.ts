// An answer that is asked for once per run: on its way, there, or refused. A question goes in, a reader comes out that
// asks the first time it is called for a run; who reads it sees the answer come.

import { createSignal } from "solid-js";

export type Loaded<A> = { state: "loading"; since: number } | { state: "ready"; value: A } | { state: "failed"; error: string };

export function oncePerRun<A>(ask: (run: number) => Promise<A>): (run: number) => Loaded<A> {
  const signals = new Map<number, () => Loaded<A>>();
  return (run) => {
    let read = signals.get(run);
    if (!read) {
      const [get, set] = createSignal<Loaded<A>>({ state: "loading", since: performance.now() });
      signals.set(run, (read = get));
      ask(run).then(
        (value) => set({ state: "ready", value }),
        (e: Error) => set({ state: "failed", error: e.message }),
      );
    }
    return read();
  };
}
