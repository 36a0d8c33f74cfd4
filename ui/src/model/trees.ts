// Everything about the trees that are looked at: metrics, depth, lenses with what they choose under the value
// in use. Asked once per tree, options and lens value; the numbers of the last answer stay until the next is
// there.

import { createEffect, createRoot, createSignal, getOwner, onCleanup, runWithOwner } from "solid-js";
import { latest } from "../transport";
import { treeOf, withLens } from "../state";
import type { Store } from "../store";
import type { LensInfo } from "../protocol/LensInfo";
import type { LensSpec } from "../protocol/LensSpec";
import type { TreeAnswer } from "../protocol/TreeAnswer";

export type Asked =
  | { state: "loading"; since: number }
  | { state: "ready"; value: TreeAnswer }
  | { state: "failed"; error: string };

interface Question {
  options: Record<string, string>;
  lenses: LensSpec[];
}

export type Trees = ReturnType<typeof createTrees>;

export function createTrees(store: Store) {
  const owner = getOwner();
  const models = new Map<string, () => Asked>();
  const disposals: (() => void)[] = [];
  onCleanup(() => disposals.forEach((dispose) => dispose()));

  /** A lens that cannot be looked through, as from an address: dropped, with the reason. */
  function drop(run: number, key: string, { lenses }: TreeAnswer): void {
    const name = store.lensOf(run, key)?.name;
    if (name === undefined) return;
    const lens = lenses.find((l) => l.name === name);
    if (lens && !lens.missing) return;
    store.update((s) => withLens(s, run, key, null), "");
    store.say(lens ? `No lens for ${lens.title}: ${lens.missing}` : `There is no lens “${name}”.`);
  }

  function create(run: number, key: string): () => Asked {
    const [read, set] = createSignal<Asked>({ state: "loading", since: performance.now() });
    const ask = latest(
      ({ options, lenses }: Question) => store.asks.tree(run, key, options, lenses),
      (value) => {
        set({ state: "ready", value });
        drop(run, key, value);
      },
      (e) => set({ state: "failed", error: e.message }),
    );
    createEffect(() => {
      const { with: options, lens } = treeOf(store.state(), run, key);
      if (store.hello()) ask({ options, lenses: lens?.value === undefined ? [] : [lens] });
    });
    return read;
  }

  const of = (run: number, key: string): Asked => {
    const id = `${run}/${key}`;
    let model = models.get(id);
    if (!model) {
      model = runWithOwner(owner, () =>
        createRoot((dispose) => {
          disposals.push(dispose);
          return create(run, key);
        }),
      )!;
      models.set(id, model);
    }
    return model();
  };
  const answer = (run: number, key: string): TreeAnswer | null => {
    const asked = of(run, key);
    return asked.state === "ready" ? asked.value : null;
  };
  const available = (run: number, key: string): LensInfo[] =>
    answer(run, key)?.lenses.filter((l) => !l.missing) ?? [];

  const choose = (run: number, key: string, name: string): void =>
    store.update((s) => withLens(s, run, key, name === "" ? null : { name }), "lens");

  return {
    of,
    answer,
    available,
    choose,
    lens: (run: number, key: string): LensInfo | undefined => {
      const name = store.lensOf(run, key)?.name;
      return answer(run, key)?.lenses.find((l) => l.name === name);
    },
    /** The next lens of those that can be looked through, "none" among them. */
    step: (run: number, key: string, by: 1 | -1): void => {
      const all = ["", ...available(run, key).map((l) => l.name)];
      const at = Math.max(0, all.indexOf(store.lensOf(run, key)?.name ?? ""));
      choose(run, key, all[(at + by + all.length) % all.length]!);
    },
    setValue: (run: number, key: string, name: string, value: number | null): void =>
      store.update(
        (s) => withLens(s, run, key, value === null ? { name } : { name, value }),
        "lens-value",
        value !== null,
      ),
  };
}
