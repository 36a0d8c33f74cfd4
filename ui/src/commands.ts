// Every command of the page: name, keys, what it does. The palette, the help and the keyboard read this one list, so that
// everything the mouse does has a name and a key. What views declare becomes commands here.

import {
  alone,
  closed,
  comparing,
  MOST_PANES,
  paneOf,
  split,
  swapped,
  withOption,
  withTreeOption,
  type Page,
} from "./state";
import { isShown, keysOf, listed, tableOf, treeDecl, valueOf } from "./views";
import type { Controls } from "./model/controls";
import type { Findings } from "./model/findings";
import type { Hands } from "./model/hands";
import type { Search } from "./model/search";
import type { Store } from "./store";
import type { Trees } from "./model/trees";
import type { Opt } from "./protocol/Opt";
import type { View } from "./protocol/View";

export const GROUPS = ["Views", "Open", "Move", "Find", "Look", "Page"] as const;

export interface Command {
  id: string;
  title: string;
  group: (typeof GROUPS)[number];
  keys: string[];
  run: () => void;
  when?: () => boolean;
}

/** What commands work on: the page without its commands. */
export interface Parts {
  store: Store;
  controls: Controls;
  trees: Trees;
  findings: Findings;
  search: Search;
  hands: Hands;
}

/** Depths that have a command of their own at most. */
const DEPTHS = 12;

export type Commands = ReturnType<typeof createCommands>;

export function createCommands({ store, hands, trees, findings, search, controls }: Parts) {
  const { state, update } = store;
  const several = (): boolean => state().panes.length > 1;
  const drawn = (): boolean => controls.active()?.first() != null || state().selected !== null;
  const overlay = (which: "palette" | "help"): void =>
    void store.setOverlay(store.overlay() === which ? null : which);
  const part = (selector: string): HTMLElement | null => store.host.root.querySelector<HTMLElement>(selector);

  const fixed: Command[] = [
    {
      id: "split-right",
      title: "Split: another pane beside",
      group: "Views",
      keys: ["\\"],
      run: () => divide("right"),
    },
    {
      id: "split-below",
      title: "Split: another pane below",
      group: "Views",
      keys: ["|"],
      run: () => divide("below"),
    },
    {
      id: "swap",
      title: "Swap this pane with the next",
      group: "Views",
      keys: ["X"],
      run: () => update(swapped, "swap"),
      when: several,
    },
    {
      id: "maximise",
      title: "Maximise or restore the active pane",
      group: "Views",
      keys: ["M"],
      run: () => update((s) => ({ ...s, full: !s.full }), "maximise"),
      when: several,
    },
    {
      id: "close-pane",
      title: "Close the active pane",
      group: "Views",
      keys: ["Q"],
      run: () => update((s) => closed(s, s.active), "close"),
      when: several,
    },
    {
      id: "next-pane",
      title: "Go to the next pane",
      group: "Views",
      keys: ["O"],
      run: () => store.activate((state().active + 1) % state().panes.length),
      when: several,
    },
    { id: "compare", title: "Compare runs side by side", group: "Views", keys: ["V"], run: compare },
    {
      id: "link",
      title: "Link zoom and window of all runs",
      group: "Views",
      keys: ["L"],
      run: () => update((s) => ({ ...s, link: !s.link }), "link"),
      when: () => store.runs().length > 1,
    },
    { id: "as-table", title: "This view as a table", group: "Views", keys: ["Shift+T"], run: asTable },

    {
      id: "toggle",
      title: "Open or close the selection",
      group: "Open",
      keys: ["Enter"],
      run: hands.toggleSelected,
      when: drawn,
    },
    {
      id: "below",
      title: "Open everything below the selection",
      group: "Open",
      keys: ["Shift+Enter"],
      run: () => hands.below(),
      when: drawn,
    },
    {
      id: "close-parent",
      title: "Close what is around the selection",
      group: "Open",
      keys: ["Backspace"],
      run: () => void hands.closeParent(),
      when: drawn,
    },
    {
      id: "spread",
      title: "Unfold the selected fold, or fold it again",
      group: "Open",
      keys: ["R"],
      run: hands.spread,
      when: drawn,
    },
    { id: "close-all", title: "Close all", group: "Open", keys: ["0"], run: () => hands.depth(0) },

    {
      id: "previous-sibling",
      title: "Select the previous sibling",
      group: "Move",
      keys: ["["],
      run: () => void hands.sibling(0),
      when: drawn,
    },
    {
      id: "next-sibling",
      title: "Select the next sibling",
      group: "Move",
      keys: ["]"],
      run: () => void hands.sibling(1),
      when: drawn,
    },
    {
      id: "parent",
      title: "Select what is around the selection",
      group: "Move",
      keys: ["U"],
      run: () => void hands.parent(),
      when: drawn,
    },
    { id: "left", title: "Move left", group: "Move", keys: ["A", "Left"], run: () => hands.pan(-0.12, 0) },
    { id: "right", title: "Move right", group: "Move", keys: ["D", "Right"], run: () => hands.pan(0.12, 0) },
    {
      id: "up",
      title: "Move up; along time: zoom in",
      group: "Move",
      keys: ["W", "Up"],
      run: () => hands.pan(0, -0.12),
    },
    {
      id: "down",
      title: "Move down; along time: zoom out",
      group: "Move",
      keys: ["S", "Down"],
      run: () => hands.pan(0, 0.12),
    },
    { id: "zoom-in", title: "Zoom in", group: "Move", keys: ["+", "="], run: () => hands.zoom(1.4) },
    { id: "zoom-out", title: "Zoom out", group: "Move", keys: ["-"], run: () => hands.zoom(1 / 1.4) },
    { id: "fit", title: "Fit everything", group: "Move", keys: ["F"], run: hands.fit },
    {
      id: "whole",
      title: "Show the whole run in time",
      group: "Move",
      keys: ["Home"],
      run: () => store.setWindow(store.currentRun(), null, false),
    },
    { id: "in-time", title: "The selection along time", group: "Move", keys: ["T"], run: hands.toTime },
    {
      id: "next-graph",
      title: "The selection in the next graph",
      group: "Move",
      keys: ["G"],
      run: () => hands.nextGraph(1),
    },
    {
      id: "previous-graph",
      title: "The selection in the previous graph",
      group: "Move",
      keys: ["Shift+G"],
      run: () => hands.nextGraph(-1),
    },

    { id: "search", title: "Search", group: "Find", keys: ["/"], run: focusSearch },
    { id: "next-hit", title: "Next search hit", group: "Find", keys: ["N"], run: () => search.next(1) },
    {
      id: "previous-hit",
      title: "Previous search hit",
      group: "Find",
      keys: ["Shift+N"],
      run: () => search.next(-1),
    },
    {
      id: "next-finding",
      title: "Next problem",
      group: "Find",
      keys: ["P"],
      run: () => void findings.step(1).catch(store.complain),
    },
    {
      id: "previous-finding",
      title: "Previous problem",
      group: "Find",
      keys: ["Shift+P"],
      run: () => void findings.step(-1).catch(store.complain),
    },
    { id: "next-lens", title: "Next lens", group: "Find", keys: ["."], run: () => stepLens(1) },
    { id: "previous-lens", title: "Previous lens", group: "Find", keys: [","], run: () => stepLens(-1) },
    {
      id: "lens",
      title: "Choose a lens",
      group: "Find",
      keys: ["K"],
      run: () => part(".pane.active .lens-button")?.click(),
    },
    {
      id: "deselect",
      title: "Clear the selection, close what is open",
      group: "Find",
      keys: ["Esc"],
      run: escape,
    },

    {
      id: "inspector",
      title: "Show or hide the inspector",
      group: "Look",
      keys: ["I"],
      run: () => update((s) => ({ ...s, inspector: !s.inspector }), ""),
    },
    { id: "theme", title: "Light or dark", group: "Look", keys: ["Shift+D"], run: toggleTheme },

    { id: "palette", title: "All commands", group: "Page", keys: ["Ctrl+K"], run: () => overlay("palette") },
    { id: "help", title: "Help: keys and hands", group: "Page", keys: ["?"], run: () => overlay("help") },
    { id: "undo", title: "Undo", group: "Page", keys: ["Ctrl+Z"], run: store.undo },
    { id: "redo", title: "Redo", group: "Page", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], run: store.redo },
    {
      id: "export-svg",
      title: "Export the picture as SVG",
      group: "Page",
      keys: [],
      run: () => hands.picture("svg"),
    },
    {
      id: "export-png",
      title: "Export the picture as PNG",
      group: "Page",
      keys: [],
      run: () => hands.picture("png"),
    },
    { id: "copy", title: "Copy the address of this view", group: "Page", keys: ["Y"], run: hands.copyLink },
  ];

  function divide(where: "right" | "below"): void {
    if (state().panes.length >= MOST_PANES)
      return store.say("There are four panes already: close one first.");
    const info = store.runInfo(store.currentRun());
    if (!info) return;
    update((s) => split(s, where, paneOf(another(s), store.currentRun())), "split");
  }
  /** A view that is not on the screen yet, after the active one. */
  function another(s: Page): string {
    const run = store.currentRun();
    const views = hands.listedIn(run).filter((v) => !v.slow);
    const at = views.findIndex((v) => v.name === s.panes[s.active]!.view);
    const rest = [...views.slice(at + 1), ...views.slice(0, at + 1)];
    return (
      (rest.find((v) => !s.panes.some((p) => p.view === v.name && p.run === run)) ?? rest[0])?.name ?? ""
    );
  }

  function compare(): void {
    if (store.runs().length < 2)
      return store.say("Only one run is open. Compare two with: crosscut view RUN_A RUN_B");
    const both = new Set(state().panes.map((p) => p.run)).size > 1;
    update((s) => (both ? alone(s) : comparing(s, store.available)), "compare");
  }

  function asTable(): void {
    const [info, key] = [store.runInfo(store.currentRun()), store.treeKey(state().active)];
    const table = info && key !== undefined ? tableOf(info, key) : undefined;
    if (table) store.show(table.name);
  }

  function stepLens(by: 1 | -1): void {
    const key = store.treeKey(state().active);
    if (key !== undefined) trees.step(store.currentRun(), key, by);
  }

  function focusSearch(): void {
    search.setOpen(true);
    (part("input.search-field") as HTMLInputElement | null)?.select();
  }

  function toggleTheme(): void {
    update((s) => ({ ...s, theme: store.theme() === "dark" ? "light" : "dark" }), "theme");
  }

  function escape(): void {
    if (store.overlay()) store.setOverlay(null);
    else if (state().selected) store.select(null);
    else store.tell(null);
  }

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

  /** The values of an option as commands; its key steps through them. */
  function optionCommands(opt: Opt, value: string, set: (value: string) => void, shown: boolean): Command[] {
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
          (value) =>
            update(
              (s) => withTreeOption(s, run, key, opt.name, value === opt.usual ? null : value),
              "option",
            ),
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

  /** What a view declares goes before the page's own where both have the same key. */
  const all = (): Command[] => [...views(), ...declared(), ...fixed, ...aboutTree()];
  return {
    all,
    for: (key: string): Command | undefined =>
      all().find((c) => c.keys.includes(key) && (!c.when || c.when())),
    /** The first key of a command, for tooltips. */
    key: (id: string): string => fixed.find((c) => c.id === id)?.keys[0] ?? "",
    run: (id: string): void => fixed.find((c) => c.id === id)?.run(),
  };
}
