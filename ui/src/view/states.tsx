// The designed states: waiting with a number, connection lost, partial data, errors with their cause, first-use
// hints, short notices. Each says what happened and what to do next.

import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";
import { separated } from "../format";
import { failure, link, notice, hello, runInfo, socket, state, tell } from "../page";
import { activePane, type ViewId } from "../state";
import { IconButton, Key } from "./controls";
import { Icon } from "./icons";

/** Milliseconds since `since`, counted while shown. */
function useElapsed(since: () => number): () => number {
  const [now, setNow] = createSignal(performance.now());
  const timer = setInterval(() => setNow(performance.now()), 100);
  onCleanup(() => clearInterval(timer));
  return () => Math.max(0, now() - since());
}

/** Milliseconds in steps that can be read, seconds when there are many. */
const took = (ms: number): string => (ms < 2000 ? `${separated(Math.round(ms / 100) * 100)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** Time since something began, counting. */
export function Elapsed(props: { since: number }): JSX.Element {
  const elapsed = useElapsed(() => props.since);
  return <span class="num">{took(elapsed())}</span>;
}

/** Shown in a pane while its picture is on the way: what, for how long. Appears only after a moment. */
export function Waiting(props: { what: string; doing?: string; error?: string | null; next?: { title: string; run: () => void } }): JSX.Element {
  const began = performance.now();
  const elapsed = useElapsed(() => began);
  return (
    <Show when={props.error} fallback={<Show when={elapsed() > 150}><div class="centre quiet" role="status">{props.doing ?? `Waiting for the ${props.what} ·`} {took(elapsed())}</div></Show>}>
      <div class="centre" role="alert">
        <div class="state-card">
          <strong>The {props.what} could not be made.</strong>
          <p>{props.error}</p>
          <p class="quiet">Undo (<Key name="Ctrl+Z" />) goes back to the last view that worked.</p>
          <Show when={props.next}>{(next) => <p><button type="button" onClick={() => next().run()}>{next().title}</button></p>}</Show>
        </div>
      </div>
    </Show>
  );
}

/** A small count of milliseconds while an answer takes longer than a click should. */
export function Busy(props: { since: number | null }): JSX.Element {
  return (
    <Show when={props.since} keyed>
      {(since) => {
        const elapsed = useElapsed(() => since);
        return <Show when={elapsed() > 200}><span class="quiet num" role="status">waiting {separated(Math.round(elapsed() / 100) * 100)} ms</span></Show>;
      }}
    </Show>
  );
}

/** Before the first answer. */
export function Starting(): JSX.Element {
  const began = performance.now();
  const elapsed = useElapsed(() => began);
  return (
    <div class="centre">
      <Show when={failure()} fallback={<Show when={elapsed() > 250}><div class="quiet" role="status">Connecting to the Crosscut server · {separated(Math.round(elapsed() / 100) * 100)} ms</div></Show>}>
        {(error) => (
          <div class="state-card" role="alert">
            <strong>The server answered with an error.</strong>
            <p>{error()}</p>
            <p class="quiet">Start it again with <code>crosscut view RUN</code> and open the link it prints.</p>
          </div>
        )}
      </Show>
    </div>
  );
}

export function ConnectionLost(): JSX.Element {
  const lost = () => {
    const l = link();
    return l.state === "lost" ? l : null;
  };
  return (
    <Show when={lost()}>
      {(l) => {
        const [now, setNow] = createSignal(performance.now());
        const timer = setInterval(() => setNow(performance.now()), 250);
        onCleanup(() => clearInterval(timer));
        return (
          <div class="banner problem" role="alert">
            <Icon name="warning" />
            <span>
              <strong>Connection to the server lost.</strong> {hello() ? "What is on the screen is still right; nothing new can be loaded. " : ""}
              Is <code>crosscut view</code> still running? If it was restarted, open the link it printed. Trying again in {Math.max(0, Math.ceil((l().retryAt - now()) / 1000))} s (try {l().tries}).
            </span>
            <button type="button" onClick={() => socket.connect()}>Try now</button>
          </div>
        );
      }}
    </Show>
  );
}

export function PartialBanner(): JSX.Element {
  const [hidden, setHidden] = createSignal(false);
  const parts = () => state().panes.map((p) => p.run).filter((r, i, all) => all.indexOf(r) === i).map((r) => runInfo(r)).filter((r) => r?.partial);
  return (
    <Show when={parts().length > 0 && !hidden()}>
      <div class="banner" role="status">
        <Icon name="warning" />
        <span><For each={parts()}>{(r) => <span><strong>{r!.name} is partial.</strong> {r!.partial} </span>}</For></span>
        <IconButton icon="close" title="Hide" onClick={() => setHidden(true)} />
      </div>
    </Show>
  );
}

export function Notices(): JSX.Element {
  return (
    <Show when={notice()}>
      {(n) => (
        <div class="notice" classList={{ problem: n().problem }} role={n().problem ? "alert" : "status"}>
          <Show when={n().problem}><Icon name="warning" /></Show>
          <span>{n().text}</span>
          <Show when={n().action}>
            {(action) => (
              <button
                type="button"
                onClick={() => {
                  const go = action().run;
                  tell(null);
                  go();
                }}
              >
                {action().title}
              </button>
            )}
          </Show>
          <IconButton icon="close" title="Dismiss" onClick={() => tell(null)} />
        </div>
      )}
    </Show>
  );
}

const HINTS: Partial<Record<ViewId, () => JSX.Element>> = {
  overview: () => <>Findings are sorted by what they cost. Click one: it opens the view that shows it, with the place selected. <Key name="P" /> goes to the next.</>,
  dag: () => <>Double click opens or closes a box, <Key name="Shift" /> click opens all below it. Wheel zooms, drag moves, <Key name="F" /> fits. <Key name="T" /> shows the selection in time.</>,
  grain: () => <>One click opens or closes a group. <Key name="Shift+W" /> opens to the worst grain, <Key name="." /> looks through the next problem, <Key name="P" /> walks the worst. The lens above says what is red.</>,
  timeline: () => <>Wheel zooms at the pointer, drag moves, <Key name="Shift" /> drag selects a stretch to zoom to. The strip below is the whole run: its frame is this window.</>,
};
const SEEN = "crosscut.hints";

function readSeen(): string[] {
  try {
    return (localStorage.getItem(SEEN) ?? "").split(",").filter(Boolean);
  } catch {
    return [];
  }
}

/** One hint per view, until it is dismissed; remembered in the browser. */
export function Hints(): JSX.Element {
  const [seen, setSeen] = createSignal(readSeen());
  const view = () => activePane(state()).view;
  const dismiss = (which: string[]): void => {
    const next = [...new Set([...seen(), ...which])];
    setSeen(next);
    try {
      localStorage.setItem(SEEN, next.join(","));
    } catch {
      // private windows may refuse: the hint is then shown once more next time
    }
  };
  return (
    <Show when={HINTS[view()] && !seen().includes(view())}>
      <div class="hint" role="note">
        <span>{HINTS[view()]!()}</span>
        <button type="button" onClick={() => dismiss([view()])}>Got it</button>
        <button type="button" class="plain" onClick={() => dismiss(Object.keys(HINTS))}>No hints</button>
      </div>
    </Show>
  );
}
