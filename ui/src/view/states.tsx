// The designed states: waiting with a number, connection lost, partial data, errors with their cause, short
// notices. Each says what happened and what to do next.

import { createSignal, For, onCleanup, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { separated } from "../format";
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
const took = (ms: number): string =>
  ms < 2000 ? `${separated(Math.round(ms / 100) * 100)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Time since something began, counting. */
export function Elapsed(props: { since: number }): JSX.Element {
  const elapsed = useElapsed(() => props.since);
  return <span class="num">{took(elapsed())}</span>;
}

/** Shown in a pane while what it shows is on the way: what, for how long. Appears only after a moment. */
export function Waiting(props: {
  what: string;
  error?: string | null;
  next?: { title: string; run: () => void };
}): JSX.Element {
  const began = performance.now();
  const elapsed = useElapsed(() => began);
  const waiting = (
    <Show when={elapsed() > 150}>
      <div class="centre quiet" role="status">
        Waiting for {props.what} · {took(elapsed())}
      </div>
    </Show>
  );
  return (
    <Show when={props.error} fallback={waiting}>
      <div class="centre" role="alert">
        <div class="state-card">
          <strong>{props.what} could not be made.</strong>
          <p>{props.error}</p>
          <p class="quiet">
            Undo (<Key name="Ctrl+Z" />) goes back to the last view that worked.
          </p>
          <Show when={props.next}>
            {(next) => (
              <p>
                <button type="button" onClick={() => next().run()}>
                  {next().title}
                </button>
              </p>
            )}
          </Show>
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
        return (
          <Show when={elapsed() > 200}>
            <span class="quiet num" role="status">
              waiting {took(elapsed())}
            </span>
          </Show>
        );
      }}
    </Show>
  );
}

/** Before the first answer. */
export function Starting(): JSX.Element {
  const { store } = useBench();
  const began = performance.now();
  const elapsed = useElapsed(() => began);
  return (
    <div class="centre">
      <Show
        when={store.failure()}
        fallback={
          <Show when={elapsed() > 250}>
            <div class="quiet" role="status">
              Waiting for {store.host.peer.name} · {took(elapsed())}
            </div>
          </Show>
        }
      >
        {(error) => (
          <div class="state-card" role="alert">
            <strong>There is no answer that can be shown.</strong>
            <p>{error()}</p>
            <p class="quiet">{store.host.peer.again}</p>
          </div>
        )}
      </Show>
    </div>
  );
}

export function ConnectionLost(): JSX.Element {
  const { store } = useBench();
  const lost = () => {
    const l = store.link();
    return l.state === "lost" ? l : null;
  };
  return (
    <Show when={lost()}>
      {(l) => {
        const [now, setNow] = createSignal(performance.now());
        const timer = setInterval(() => setNow(performance.now()), 250);
        onCleanup(() => clearInterval(timer));
        const seconds = () => Math.max(0, Math.ceil((l().retryAt - now()) / 1000));
        return (
          <div class="banner problem" role="alert">
            <Icon name="warning" />
            <span>
              <strong>Connection to the server lost.</strong>{" "}
              {store.hello() ? "What is on the screen is still right; nothing new can be loaded. " : ""}
              Is <code>crosscut view</code> still running? If it was restarted, open the link it printed.
              Trying again in {seconds()} s (try {l().tries}).
            </span>
            <button type="button" onClick={() => store.transport.connect()}>
              Try now
            </button>
          </div>
        );
      }}
    </Show>
  );
}

/** A notebook's kernel runs a cell: what was asked is answered when it is through. */
export function KernelBusy(): JSX.Element {
  const { store } = useBench();
  return (
    <Show when={store.link().state === "busy"}>
      <div class="banner" role="status">
        The kernel is busy with a cell; the page goes on when it is through. After a restart of the kernel,
        run this cell again.
      </div>
    </Show>
  );
}

/** A run that is not as it was written: nothing in it can be relied on, so it cannot be hidden. */
export function DamageBanner(): JSX.Element {
  const { store } = useBench();
  const damaged = () => store.runs().filter((r) => r.damaged);
  return (
    <Show when={damaged().length > 0}>
      <div class="banner problem" role="alert">
        <Icon name="warning" />
        <span>
          <For each={damaged()}>
            {(r) => (
              <span>
                <strong>{r.name} is damaged: what is shown may be wrong.</strong> {r.damaged}{" "}
              </span>
            )}
          </For>
        </span>
      </div>
    </Show>
  );
}

export function PartialBanner(): JSX.Element {
  const { store } = useBench();
  const [hidden, setHidden] = createSignal(false);
  const parts = () => {
    const runs = [...new Set(store.state().panes.map((p) => p.run))];
    return runs.map((r) => store.runInfo(r)).filter((r) => r?.partial);
  };
  return (
    <Show when={parts().length > 0 && !hidden()}>
      <div class="banner" role="status">
        <Icon name="warning" />
        <span>
          <For each={parts()}>
            {(r) => (
              <span>
                <strong>{r!.name} is partial.</strong> {r!.partial}{" "}
              </span>
            )}
          </For>
        </span>
        <IconButton icon="close" title="Hide" onClick={() => setHidden(true)} />
      </div>
    </Show>
  );
}

export function Notices(): JSX.Element {
  const { store } = useBench();
  return (
    <Show when={store.notice()}>
      {(n) => (
        <div class="notice" classList={{ problem: n().problem }} role={n().problem ? "alert" : "status"}>
          <Show when={n().problem}>
            <Icon name="warning" />
          </Show>
          <span>{n().text}</span>
          <Show when={n().action}>
            {(action) => (
              <button
                type="button"
                onClick={() => {
                  const go = action().run;
                  store.tell(null);
                  go();
                }}
              >
                {action().title}
              </button>
            )}
          </Show>
          <IconButton icon="close" title="Dismiss" onClick={() => store.tell(null)} />
        </div>
      )}
    </Show>
  );
}
