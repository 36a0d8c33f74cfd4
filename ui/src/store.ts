// The store of one mounted page: its state with history and address, the connection, what the server said
// about the runs, and what lies over the page. Parts read signals from here and change the state through
// `update`.

import { createMemo, createSignal, onCleanup } from "solid-js";
import { createAsks, type Seen } from "./ask";
import { readInk, type Ink } from "./draw/ink";
import { begin, change, redo, undo, type History } from "./history";
import {
  activePane,
  activeRun,
  activated,
  firstPage,
  treeOf,
  withCarried,
  withOption,
  withTreeOption,
  withView,
  withWindow,
  type Page,
  type Theme,
} from "./state";
import { same } from "./selection";
import { settled } from "./model/time";
import { decode, encode } from "./url";
import { keysOf, TREE_OPTION, viewOf } from "./views";
import type { Host } from "./host";
import type { Link, Transport } from "./transport";
import type { Hello } from "./protocol/Hello";
import type { RunInfo } from "./protocol/RunInfo";
import type { Selection } from "./protocol/Selection";
import type { Span } from "./protocol/Span";
import type { View } from "./protocol/View";

/** How long until it is asked again whether a run is sound, in milliseconds. */
const CHECK_AGAIN = 2000;

export interface Notice {
  text: string;
  /** Problems stay until dismissed. */
  problem: boolean;
  action?: { title: string; run: () => void };
}

export type Overlay = "palette" | "help" | null;

/** What is under the pointer. */
export interface Tip {
  selection: Selection | null;
  /** What the mark itself tells, shown at once. */
  title: string;
  detail?: string;
  /** What it says is all there is: nothing is asked about it. */
  own?: boolean;
  x: number;
  y: number;
}

/** Kinds of changes that lead to another place, which the browser's Back leaves again. */
const PLACES = new Set([
  "view",
  "lens",
  "look",
  "compare",
  "split",
  "close",
  "run",
  "act",
  "option",
  "table",
]);

const NOTICE_MS = 6000;
const ADDRESS_MS = 150;

export type Store = ReturnType<typeof createStore>;

export function createStore(host: Host, transport: Transport) {
  const asks = createAsks(transport);
  const [link, setLink] = createSignal<Link>({ state: "connecting" });
  const [hello, setHello] = createSignal<Hello | null>(null);
  const [failure, setFailure] = createSignal<string | null>(null);
  const [history, setHistory] = createSignal<History<Page>>(begin(firstPage([])));
  const [notice, setNotice] = createSignal<Notice | null>(null);
  const [overlay, setOverlay] = createSignal<Overlay>(null);
  const [tip, setTip] = createSignal<Tip | null>(null);
  const [dark, setDark] = createSignal(host.dark());

  const state = createMemo(() => history().present);
  const theme = createMemo<Theme>(() => state().theme ?? (dark() ? "dark" : "light"));
  const palette = createMemo(() => hello()?.palettes[theme()] ?? []);
  const ink = createMemo<Ink>(() => {
    host.root.dataset.theme = theme();
    return readInk(palette(), host.root);
  });

  const runs = (): RunInfo[] => hello()?.runs ?? [];
  const runInfo = (run: number): RunInfo | undefined => hello()?.runs[run];
  const whole = (run: number): Span | null => runInfo(run)?.time ?? null;
  const currentRun = createMemo(() => activeRun(state()));
  const view = (pane: number): View | undefined => {
    const p = state().panes[pane];
    return p && viewOf(runInfo(p.run), p.view);
  };
  const available = (run: number, name: string): boolean => viewOf(runInfo(run), name) !== undefined;
  const encoded = (s: Page): string => encode(s, runs());
  const alike = (a: Page, b: Page): boolean => encoded(a) === encoded(b);

  let noticeTimer: ReturnType<typeof setTimeout> | undefined;
  const tell = (next: Notice | null): void => {
    clearTimeout(noticeTimer);
    setNotice(next);
    if (next && !next.problem) noticeTimer = setTimeout(() => setNotice(null), NOTICE_MS);
  };
  const say = (text: string, action?: Notice["action"]): void => tell({ text, problem: false, action });
  const complain = (error: unknown): void =>
    tell({ text: error instanceof Error ? error.message : String(error), problem: true });

  let addressTimer: ReturnType<typeof setTimeout> | undefined;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  /** The address that is on its way is that of another place. */
  let another = false;
  const putAddress = (): void => {
    clearTimeout(addressTimer);
    addressTimer = undefined;
    host.write(encoded(state()), another);
    another = false;
  };
  /**
   * Browsers refuse more than a hundred address changes in a few seconds, so the address follows with a
   * delay.
   */
  const writeAddress = (): void => {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(putAddress, ADDRESS_MS);
  };

  /**
   * Changes the state. `kind` names the step for undo; "" makes no step; continuous kinds join into one step.
   */
  function update(to: (s: Page) => Page, kind: string, continuous = false): void {
    const next = to(state());
    if (next === state()) return;
    if (PLACES.has(kind) && !continuous) {
      // What was there before keeps its own address.
      if (addressTimer !== undefined && !another) putAddress();
      another = true;
    }
    setHistory((h) => change(h, next, kind, continuous, performance.now(), alike));
    writeAddress();
  }
  const step = (by: typeof undo): void => {
    setHistory((h) => by(h, alike));
    writeAddress();
  };

  const select = (selected: Selection | null): void =>
    update((s) => (same(s.selected, selected) ? s : { ...s, selected }), "select");

  function setWindow(run: number, window: Span | null, continuous = true): void {
    const all = whole(run);
    const set = window && all ? settled(window, all) : null;
    update((s) => withWindow(s, run, set, whole), "window", continuous);
  }

  /**
   * Changes an option of a tree; null goes back to what is usual. What was unfolded and selected of the tree
   * follows where those nodes are still there.
   */
  function setTreeOption(
    run: number,
    key: string,
    name: string,
    value: string | null,
    continuous = false,
  ): void {
    const [before, selected] = [treeOf(state(), run, key), state().selected];
    const own = selected?.run === run && selected.tree === key ? selected : null;
    update((s) => withTreeOption(s, run, key, name, value), "option", continuous);
    if (before.cut === "" && !own) return;
    const now = treeOf(state(), run, key);
    const ask = {
      run,
      tree: key,
      was: before.with,
      with: now.with,
      cut: before.cut,
      nodes: own?.nodes ?? "",
    };
    asks.carry(ask).then(
      ({ cut, nodes }) => {
        const found = own && nodes !== "" ? { ...own, nodes } : null;
        const isAlone = found === null || state().selected === null;
        // Meanwhile something else may have been done with it.
        if (treeOf(state(), run, key) !== now || !isAlone) return;
        update((s) => withCarried(s, run, key, cut, found), "");
      },
      () => {},
    );
  }

  /** The lens that a tree is seen through. */
  const lensOf = (run: number, tree: string) => treeOf(state(), run, tree).lens;
  const scopeOf = (run: number) => state().runs[run]?.scope ?? {};
  const aboutArgs = (of: Selection): [Selection, Seen] => {
    const { with: options, lens } = treeOf(state(), of.run, of.tree);
    return [of, { with: options, ...(lens ? { lens } : {}), scope: scopeOf(of.run) }];
  };

  function arrived(answer: Hello): void {
    const before = hello();
    if (before && before.build !== answer.build) return host.reload();
    if (before) return;
    setHistory(begin(decode(host.address(), answer.runs)));
    setHello(answer);
    host.took(encoded(state()));
    checkAgain(answer);
    host.title(answer.runs.map((r) => r.name).join(" · ") + " – Crosscut");
  }

  /** A large run is checked while it is shown: asks again until that is done, and keeps what was found. */
  function checkAgain(answer: Hello): void {
    if (!answer.runs.some((r) => r.checking)) return;
    checkTimer = setTimeout(() => {
      asks.hello().then(
        (next) => {
          const now = hello();
          const found = next.runs.some((r, i) => r.damaged !== now?.runs[i]?.damaged);
          if (now && found) setHello({ ...now, runs: next.runs });
          checkAgain(next);
        },
        () => {},
      );
    }, CHECK_AGAIN);
  }

  function start(): void {
    host.onDark(() => setDark(host.dark()));
    host.onAddress(() => {
      const h = hello();
      if (!h) return;
      // What was done here a moment ago is not undone by what somebody else does now.
      if (host.shared && addressTimer !== undefined) putAddress();
      another = false;
      const next = decode(host.address(), h.runs);
      host.took(encoded(next));
      if (!alike(next, state())) update(() => next, "address");
    });
    let opened = false;
    transport.watch((next) => {
      setLink(next);
      // Back again: a server of another build brings another page.
      if (next.state === "open" && opened) void asks.hello().then(arrived, () => {});
      opened ||= next.state === "open";
    });
    transport.connect();
    asks.hello().then(arrived, (error: Error) => setFailure(error.message));
  }
  onCleanup(() => {
    clearTimeout(noticeTimer);
    clearTimeout(addressTimer);
    clearTimeout(checkTimer);
    transport.close();
  });

  return {
    host,
    transport,
    asks,
    start,
    link,
    hello,
    failure,
    history,
    notice,
    overlay,
    setOverlay,
    tip,
    setTip,
    state,
    theme,
    palette,
    ink,
    runs,
    runInfo,
    whole,
    currentRun,
    view,
    available,
    encoded,
    tell,
    say,
    complain,
    update,
    select,
    setWindow,
    setTreeOption,
    lensOf,
    scopeOf,
    undo: () => step(undo),
    redo: () => step(redo),
    activate: (pane: number) => update((s) => activated(s, pane), ""),
    /** The view of the active pane. */
    activeView: () => view(state().active),
    /** The key of the first tree of a pane's view. */
    treeKey: (pane: number): string | undefined => {
      const [p, v] = [state().panes[pane], view(pane)];
      return p && v && keysOf(state(), p.run, v, runInfo(p.run))[0];
    },
    about: (of: Selection) => asks.about(...aboutArgs(of)),
    knownAbout: (of: Selection) => asks.knownAbout(...aboutArgs(of)),
    activePane: () => activePane(state()),
    /** Shows a view in the active pane; a table of any tree takes that of the view before. */
    show: (name: string): void => {
      const [before, to] = [view(state().active), viewOf(runInfo(currentRun()), name)];
      const tree = before && before.pane !== "table" ? before.trees[0] : undefined;
      update((s) => {
        const next = withView(s, name, available);
        return to?.pane === "table" && to.trees.length === 0 && tree
          ? withOption(next, name, TREE_OPTION, tree)
          : next;
      }, "view");
    },
  };
}
