// Doing something in a view: the server turns a Look into another. Acts of a pane follow one another, each
// from the state that the one before it made; what came of them is told where it needs words.

import { applied } from "../state";
import { keyOf, lookOf, withSelected } from "../look";
import type { Answers } from "./answers";
import type { Camera, Page } from "../state";
import type { Shown } from "../ask";
import type { Store } from "../store";
import type { ActCall } from "../protocol/ActCall";
import type { Look } from "../protocol/Look";

/** Items at which "open everything below" stops and asks, and those that are shown at most. */
export const ASK_AT = 5000;
const MOST = 20_000;

export interface Acting {
  pane: () => number;
  look: () => Look | null;
  answers: Answers;
  /** The camera after the act; undefined leaves it as it is. */
  camera?: (shown: Shown, call: ActCall) => Camera | null | undefined;
  /** Puts the answer on the screen. */
  install: (shown: Shown, call: ActCall) => void;
  busy?: (since: number | null) => void;
}

export function createActs(store: Store, { pane, look, answers, camera, install, busy }: Acting) {
  let chain: Promise<unknown> = Promise.resolve();

  async function perform(call: ActCall): Promise<void> {
    const before = look();
    if (!before) return;
    busy?.(performance.now());
    try {
      const shown = await store.asks.scene(withSelected(before, store.state().selected), call);
      const at = camera?.(shown, call);
      const to = (s: Page): Page => after(s, shown, at);
      const next = to(store.state());
      answers.take(keyWith(next, before), shown);
      store.update(to, "act");
      install(shown, call);
      report(call, shown);
    } catch (e) {
      store.complain(e);
    }
    busy?.(null);
  }

  const after = (s: Page, { answer }: Shown, at: Camera | null | undefined): Page => {
    const next = applied(s, answer.look);
    const panes = next.panes.map((p, i) => (i === pane() && at !== undefined ? { ...p, camera: at } : p));
    return { ...next, panes, selected: answer.select ?? next.selected };
  };

  function keyWith(s: Page, before: Look): string {
    const p = s.panes[pane()]!;
    return keyOf(lookOf(s, store.runInfo(p.run)!, store.view(pane())!, p, before.size));
  }

  /** There was no room for everything: how much is open, and how to go on. */
  function report(call: ActCall, { answer }: Shown): void {
    const limit = call.name === "below" ? (call.numbers[0] ?? 0) : 0;
    const more = Math.min(MOST, limit * 4);
    const action =
      answer.stopped && limit > 0 && limit < MOST
        ? {
            title: `Open up to ${more.toLocaleString("en").replaceAll(",", "\u2009")}`,
            run: () => void act({ ...call, numbers: [more] }),
          }
        : undefined;
    const stopped = answer.stopped
      ? "Stopped before there would be too much to see. Open single ones to go on."
      : null;
    const text = answer.notice ?? stopped;
    if (text) store.say(named(text), action);
  }
  /** A message names its run where several are open. */
  const named = (text: string): string =>
    store.runs().length > 1 ? `${store.runInfo(look()?.run ?? 0)?.name}: ${text}` : text;

  const act = (call: ActCall): Promise<void> => {
    const done = chain.then(() => perform(call));
    chain = done;
    return done;
  };
  return { act, settled: () => chain };
}
