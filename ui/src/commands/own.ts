// The page's own commands: panes, opening and moving, finding, looks, the page itself. Every one has a name;
// keys as in the help.

import { alone, closed, comparing, MOST_PANES, paneOf, split, swapped, type Page } from "../state";
import { tableOf } from "../views";
import type { Command, Group, Parts } from "./command";

/** A command in one line: id, title, keys, what it does, when it can. */
type Line = [string, string, string[], () => void, (() => boolean)?];

export function createOwn({ store, hands, trees, findings, search, controls }: Parts): Command[] {
  const { state, update } = store;
  const several = (): boolean => state().panes.length > 1;
  const runs = (): boolean => store.runs().length > 1;
  const drawn = (): boolean => controls.active()?.first() != null || state().selected !== null;
  const overlay = (which: "palette" | "help") => (): void =>
    void store.setOverlay(store.overlay() === which ? null : which);
  const part = (selector: string): HTMLElement | null => store.host.root.querySelector<HTMLElement>(selector);
  const finding = (by: 1 | -1) => (): void => void findings.step(by).catch(store.complain);

  const views: Line[] = [
    ["split-right", "Split: another pane beside", ["\\"], () => divide("right")],
    ["split-below", "Split: another pane below", ["|"], () => divide("below")],
    ["swap", "Swap this pane with the next", ["X"], () => update(swapped, "swap"), several],
    ["maximise", "Maximise or restore the active pane", ["M"], maximise, several],
    [
      "close-pane",
      "Close the active pane",
      ["Q"],
      () => update((s) => closed(s, s.active), "close"),
      several,
    ],
    ["next-pane", "Go to the next pane", ["O"], nextPane, several],
    ["compare", "Compare runs side by side", ["V"], compare],
    ["link", "Link zoom and window of all runs", ["L"], link, runs],
    ["as-table", "This view as a table", ["Shift+T"], asTable],
  ];
  const open: Line[] = [
    ["toggle", "Open or close the selection", ["Enter"], hands.toggleSelected, drawn],
    ["below", "Open everything below the selection", ["Shift+Enter"], () => hands.below(), drawn],
    [
      "close-parent",
      "Close what is around the selection",
      ["Backspace"],
      () => void hands.closeParent(),
      drawn,
    ],
    ["spread", "Unfold the selected fold, or fold it again", ["R"], () => void hands.spread(), drawn],
    ["close-all", "Close all", ["0"], () => hands.depth(0)],
  ];
  const move: Line[] = [
    ["previous-sibling", "Select the previous sibling", ["["], () => void hands.sibling(0), drawn],
    ["next-sibling", "Select the next sibling", ["]"], () => void hands.sibling(1), drawn],
    ["parent", "Select what is around the selection", ["U"], () => void hands.parent(), drawn],
    ["left", "Move left", ["A", "Left"], () => hands.pan(-0.12, 0)],
    ["right", "Move right", ["D", "Right"], () => hands.pan(0.12, 0)],
    ["up", "Move up; along time: zoom in", ["W", "Up"], () => hands.pan(0, -0.12)],
    ["down", "Move down; along time: zoom out", ["S", "Down"], () => hands.pan(0, 0.12)],
    ["zoom-in", "Zoom in", ["+", "="], () => hands.zoom(1.4)],
    ["zoom-out", "Zoom out", ["-"], () => hands.zoom(1 / 1.4)],
    ["fit", "Fit everything", ["F"], () => hands.fit()],
    ["whole", "Show the whole run in time", ["Home"], () => store.setWindow(store.currentRun(), null, false)],
    ["in-time", "The selection along time", ["T"], hands.toTime],
    ["next-graph", "The selection in the next graph", ["G"], () => hands.nextGraph(1)],
    ["previous-graph", "The selection in the previous graph", ["Shift+G"], () => hands.nextGraph(-1)],
  ];
  const find: Line[] = [
    ["search", "Search", ["/"], focusSearch],
    ["next-hit", "Next search hit", ["N"], () => search.next(1)],
    ["previous-hit", "Previous search hit", ["Shift+N"], () => search.next(-1)],
    ["next-finding", "Next problem", ["P"], finding(1)],
    ["previous-finding", "Previous problem", ["Shift+P"], finding(-1)],
    ["next-lens", "Next lens", ["."], () => stepLens(1)],
    ["previous-lens", "Previous lens", [","], () => stepLens(-1)],
    ["lens", "Choose a lens", ["K"], () => part(".pane.active .lens-button")?.click()],
    ["deselect", "Clear the selection, close what is open", ["Esc"], escape],
  ];
  const look: Line[] = [
    ["inspector", "Show or hide the inspector", ["I"], inspector],
    ["note", "Write a note on the selection", [";"], note, () => state().selected !== null],
    ["theme", "Light or dark", ["Shift+D"], toggleTheme],
  ];
  const page: Line[] = [
    ["palette", "All commands", ["Ctrl+K"], overlay("palette")],
    ["help", "Help: keys and hands", ["?"], overlay("help")],
    ["undo", "Undo", ["Ctrl+Z"], store.undo],
    ["redo", "Redo", ["Ctrl+Shift+Z", "Ctrl+Y"], store.redo],
    ["export-svg", "Export the picture as SVG", [], () => hands.picture("svg")],
    ["export-png", "Export the picture as PNG", [], () => hands.picture("png")],
    ["copy", "Copy the address of this view", ["Y"], hands.copyLink],
  ];

  function note(): void {
    update((s) => ({ ...s, inspector: true }), "");
    // The sheet of the selection may have to come first.
    const focus = (tries: number): void => {
      const field = part(".note-field");
      if (field) field.focus();
      else if (tries > 0) setTimeout(() => focus(tries - 1), 50);
    };
    focus(40);
  }
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

  function maximise(): void {
    update((s) => ({ ...s, full: !s.full }), "maximise");
  }
  function nextPane(): void {
    store.activate((state().active + 1) % state().panes.length);
  }
  function link(): void {
    update((s) => ({ ...s, link: !s.link }), "link");
  }
  function inspector(): void {
    update((s) => ({ ...s, inspector: !s.inspector }), "");
  }

  const groups: [Group, Line[]][] = [
    ["Views", views],
    ["Open", open],
    ["Move", move],
    ["Find", find],
    ["Look", look],
    ["Page", page],
  ];
  return groups.flatMap(([group, lines]) =>
    lines.map(([id, title, keys, run, when]) => ({ id, title, group, keys, run, when })),
  );
}
