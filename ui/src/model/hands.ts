// What hands can do to the selection and to the active pane, for keys, palette, inspector and pointer alike.
// Each reads the state, changes it or asks for an act, and returns nothing.

import { around } from "./time";
import { ASK_AT } from "./act";
import { showing, treeOf, withPane } from "../state";
import { listed, nameOf, viewOf } from "../views";
import { withSelected } from "../look";
import type { Controls } from "./controls";
import type { Store } from "../store";
import type { Hit } from "../protocol/Hit";
import type { Selection } from "../protocol/Selection";
import type { View } from "../protocol/View";

export type Hands = ReturnType<typeof createHands>;

export function createHands(store: Store, controls: Controls) {
  const selected = (): Selection | null => store.state().selected;
  const listedIn = (run: number): View[] => {
    const info = store.runInfo(run);
    return info ? listed(info) : [];
  };

  /** Keys that act on the selection begin with the first thing on the screen when there is none. */
  function subject(): Selection | null {
    const of = selected();
    if (of) return of;
    const first = controls.active()?.first() ?? null;
    if (first) store.select(first);
    return null;
  }

  const guarded = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (e) {
      store.complain(e);
    }
  };

  /** Opens a closed thing, closes an open one; what is folded is shown. */
  async function toggle(of: Selection): Promise<void> {
    const control = controls.active();
    await control?.settled?.();
    const press = control?.press(of) ?? "none";
    if (press === "hidden") await control?.reveal(of);
    else if (press !== "none") await control?.act({ name: press, on: of, numbers: [] });
  }

  /** Selects something and makes sure that it can be seen where one looks. */
  function go(to: Selection): void {
    store.select(to);
    void guarded(async () => controls.active()?.reveal(to));
  }

  /** Shows a view of a run, and does something there. */
  function showIn(view: string, of: Selection, act = "reveal"): void {
    store.select(of);
    store.update((s) => showing(s, view, of.run), "view");
    const control = controls.active();
    void guarded(async () =>
      act === "reveal" ? control?.reveal(of, true) : control?.act({ name: act, on: of, numbers: [] }),
    );
  }

  /** The view in which a selection is looked at when the one on the screen cannot show it. */
  function viewFor(of: Selection): View | undefined {
    const views = listedIn(of.run).filter((v) => !v.slow);
    const own = (v: View): boolean => v.trees.some((tree) => nameOf(tree) === nameOf(of.tree));
    return (
      views.find((v) => v.pane === "graph" && own(v)) ??
      views.find((v) => v.pane !== "sheet" && own(v)) ??
      views.find((v) => v.pane === "graph")
    );
  }

  const besides = async (
    which: (of: Selection) => Promise<Selection | null>,
    none: string,
  ): Promise<void> => {
    const of = subject();
    if (!of) return;
    const next = await which(of);
    if (next) go(next);
    else store.say(none);
  };
  const parentOf = async (of: Selection): Promise<Selection | null> =>
    (await store.about(of)).crumbs.at(-1)?.selection ?? null;

  function pan(dx: number, dy: number): void {
    const moved = controls.active()?.pan(dx, dy) ?? false;
    // Nowhere to move to: the arrows begin with a selection instead.
    if (!moved) subject();
  }

  async function toTime(): Promise<void> {
    const of = selected();
    const run = of?.run ?? store.currentRun();
    const shown = store
      .state()
      .panes.find((p) => p.run === run && viewOf(store.runInfo(run), p.view)?.pane === "plots");
    const view = shown?.view ?? listedIn(run).find((v) => v.pane === "plots" && !v.slow)?.name;
    if (!view) return store.say("This run has no view along time.");
    const time = of ? ((await store.about(of)).time ?? of.time) : null;
    const whole = store.whole(run);
    store.update((s) => showing(s, view, run), "view");
    if (time && whole) store.setWindow(run, around(time, whole), false);
  }

  /** Shows the selection in the next view that draws a graph. */
  function nextGraph(by: 1 | -1): void {
    const run = selected()?.run ?? store.currentRun();
    const graphs = listedIn(run).filter((v) => v.pane === "graph");
    if (graphs.length === 0) return;
    const at = graphs.findIndex((v) => v.name === store.activePane().view);
    const next = graphs[at < 0 ? 0 : (at + by + graphs.length) % graphs.length]!;
    const of = selected();
    if (of) showIn(next.name, of);
    else store.update((s) => showing(s, next.name, run), "view");
  }

  function picture(format: "svg" | "png"): void {
    const look = controls.active()?.look();
    const view = store.activeView();
    if (!look || !view || (view.pane !== "graph" && view.pane !== "plots")) {
      return store.say("Only a picture can be exported: make a pane that draws one the active pane.");
    }
    if (store.transport.picture === null)
      return store.say("Pictures are made by the program: open the run with it.");
    const text = JSON.stringify(withSelected(look, selected()));
    const query = new URLSearchParams({ format, theme: store.theme(), look: text });
    const name = `${store.runInfo(look.run)?.name ?? "crosscut"}-${view.name.replace(/[^\w-]+/g, "-")}.${format}`;
    store.transport.picture(query).then(
      (file) => save(file, name),
      (error: Error) => store.say(error.message),
    );
  }

  function save(file: Blob, name: string): void {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(file);
    a.download = name;
    a.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
  }

  function copyLink(): void {
    // The address is written with a delay; the copy must not be older than the view.
    setTimeout(() => {
      const copied = navigator.clipboard?.writeText(store.host.link());
      const told =
        "Address copied. It holds the view, not your access: others need the server's launch link too.";
      if (!copied)
        return store.say("The browser did not allow copying; take the address from its address bar.");
      copied.then(
        () => store.say(told),
        () => store.say("The browser did not allow copying."),
      );
    }, 200);
  }

  return {
    toggle,
    go,
    showIn,
    pan,
    nextGraph,
    picture,
    copyLink,
    viewFor,
    listedIn,
    toggleSelected: () => {
      const of = subject();
      if (of) void guarded(() => toggle(of));
    },
    below: (of = subject()) => {
      if (of) void controls.active()?.act({ name: "below", on: of, numbers: [ASK_AT] });
    },
    /** Closes what holds the selection and selects it. */
    closeParent: () =>
      guarded(async () => {
        const of = subject();
        const parent = of && (await parentOf(of));
        if (!parent) return;
        store.select(parent);
        await controls.active()?.act({ name: "close", on: parent, numbers: [] });
      }),
    sibling: (which: 0 | 1) =>
      guarded(() =>
        besides(
          async (of) => (await store.about(of)).siblings[which],
          which === 0 ? "This is the first of its siblings." : "This is the last of its siblings.",
        ),
      ),
    parent: () => guarded(() => besides(parentOf, "Nothing is around this.")),
    /** Shows what is folded into something one by one; where nothing is, folds what was shown. */
    spread: () =>
      guarded(async () => {
        const of = subject();
        const control = controls.active();
        if (!of || !control) return;
        const cut = (): string => treeOf(store.state(), of.run, of.tree).cut;
        const before = cut();
        await control.act({ name: "spread", on: of, numbers: [] });
        if (cut() === before) await control.act({ name: "gather", on: of, numbers: [] });
      }),
    depth: (depth: number) => void controls.active()?.act({ name: "depth", numbers: [depth] }),
    act: (name: string, onSelection: boolean) => {
      const on = onSelection ? subject() : null;
      if (onSelection && !on) return;
      void controls.active()?.act({ name, ...(on ? { on } : {}), numbers: [] });
    },
    toTime: () => void guarded(toTime),
    /** Selects a hit and shows it: where one looks if that view can, else in one that can. */
    showHit: ({ selection: of }: Hit) => {
      const view = store.activeView();
      const here = view !== undefined && view.pane !== "sheet" && store.currentRun() === of.run;
      const other = here ? undefined : viewFor(of);
      if (other) showIn(other.name, of);
      else go(of);
    },
    zoom: (factor: number) => controls.active()?.zoom(factor),
    fit: () => controls.active()?.fit(),
    compareWith: (pane: number, against: readonly number[] | "rest" | null) =>
      store.update((s) => withPane(s, pane, { against }), "compare"),
  };
}
