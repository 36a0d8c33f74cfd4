// Commands made from what views and trees declare: views to show, acts, options with their values, depths,
// lenses.

import { withOption } from "../state";
import { isShown, keysOf, listed, treeDecl, valueOf } from "../views";
import type { Command, Parts } from "./command";
import type { Opt } from "../protocol/Opt";
import type { View } from "../protocol/View";

/** Depths that have a command of their own at most. */
const DEPTHS = 12;

/** The values of an option as commands; its key steps through them. */
export function optionCommands(
  opt: Opt,
  value: string,
  set: (value: string) => void,
  shown: boolean,
): Command[] {
  const id = `option-${opt.name}`;
  const base = { group: "Look" as const, when: () => shown };
  if (opt.kind.is === "flag") {
    const on = value === "true";
    return [
      {
        ...base,
        id,
        title: `${opt.title}: ${on ? "off" : "on"}`,
        keys: opt.key ? [opt.key] : [],
        run: () => set(on ? "false" : "true"),
      },
    ];
  }
  if (opt.kind.is !== "choice") return [];
  const { values } = opt.kind;
  const at = values.findIndex(([of]) => of === value);
  const next = values[(at + 1) % values.length]!;
  const step: Command = {
    ...base,
    id,
    title: `${opt.title}: next`,
    keys: opt.key ? [opt.key] : [],
    run: () => set(next[0]),
  };
  const each = values.map(([of, title]): Command => ({
    ...base,
    id: `${id}-${of}`,
    title: `${opt.title}: ${title}`,
    keys: [],
    run: () => set(of),
  }));
  return opt.key ? [step, ...each] : each;
}

/** Commands for the view and the trees of the active pane, as they are now. */
export function createDeclared({ store, hands, trees }: Parts): () => Command[] {
  const { state, update } = store;

  const views = (): Command[] => {
    const info = store.runInfo(store.currentRun());
    if (!info) return [];
    return listed(info).map((view, i): Command => ({
      id: `view-${view.name}`,
      title: `Show ${view.title}`,
      group: "Views",
      keys: i < 9 ? [String(i + 1)] : [],
      run: () => store.show(view.name),
    }));
  };

  const declared = (): Command[] => {
    const view = store.activeView();
    const run = store.currentRun();
    if (!view) return [];
    const own = state().options[view.name] ?? {};
    const acts = view.acts.map((act): Command => ({
      id: `act-${act.name}`,
      title: act.title,
      group: "Open",
      keys: act.key ? [act.key] : [],
      run: () => hands.act(act.name, act.on === "selection"),
    }));
    const options = view.options.flatMap((opt) =>
      optionCommands(
        opt,
        valueOf(opt, own),
        (value) =>
          update((s) => withOption(s, view.name, opt.name, value === opt.usual ? null : value), "option"),
        isShown(opt, view.options, own),
      ),
    );
    return [...acts, ...options, ...treeOptions(view, run)];
  };
  const treeOptions = (view: View, run: number): Command[] =>
    keysOf(state(), run, view, store.runInfo(run)).flatMap((key) => {
      const options = treeDecl(store.runInfo(run), key)?.options ?? [];
      const own = state().runs[run]?.trees[key]?.with ?? {};
      return options.flatMap((opt) =>
        optionCommands(
          opt,
          valueOf(opt, own),
          (value) => store.setTreeOption(run, key, opt.name, value === opt.usual ? null : value),
          isShown(opt, options, own),
        ),
      );
    });

  const aboutTree = (): Command[] => {
    const [run, key, view] = [store.currentRun(), store.treeKey(state().active), store.activeView()];
    if (key === undefined || !view || view.pane === "sheet") return [];
    const depth = Math.min(DEPTHS, trees.answer(run, key)?.depth ?? -1);
    const depths = Array.from({ length: depth + 1 }, (_, d): Command => ({
      id: `depth-${d}`,
      title: `Open to depth ${d}`,
      group: "Open",
      keys: [],
      run: () => hands.depth(d),
    }));
    const lenses = trees.available(run, key).map((lens): Command => ({
      id: `lens-${lens.name}`,
      title: `Lens: ${lens.title}`,
      group: "Find",
      keys: [],
      run: () => trees.choose(run, key, lens.name),
    }));
    const none: Command = {
      id: "lens-none",
      title: "Lens: none",
      group: "Find",
      keys: [],
      run: () => trees.choose(run, key, ""),
      when: () => store.lensOf(run, key) !== undefined,
    };
    return lenses.length > 0 ? [...depths, ...lenses, none] : depths;
  };

  return () => [...views(), ...declared(), ...aboutTree()];
}
