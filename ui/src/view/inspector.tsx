// The inspector: the sheet about the selection, with what is around it, its siblings, and what can be done
// with it. Without a selection it lists the findings of the run, so that it is never empty.

import { For, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { createAbout } from "../model/about";
import { withoutKind } from "../model/sheet";
import { nameOf, viewOf } from "../views";
import { BlockView } from "./blocks";
import { IconButton, Key } from "./controls";
import { FindingBlock } from "./finding";
import { Icon } from "./icons";
import { noteOn, withNote, type Note } from "../state";
import type { Press } from "../protocol/Press";
import type { Selection } from "../protocol/Selection";
import type { Sheet } from "../protocol/Sheet";

/** Of a note: it stands in the address. */
const MOST_LETTERS = 500;

export function Inspector(): JSX.Element {
  const { store } = useBench();
  const { sheet, error } = createAbout(store, () => store.state().selected);
  return (
    <aside class="inspector" aria-label="Inspector">
      <Switch>
        <Match when={store.state().selected === null}>
          <NothingSelected />
        </Match>
        <Match when={error()}>
          {(e) => (
            <div class="inspector-body">
              <h2>Nothing to tell</h2>
              <p>{e()}</p>
              <p class="quiet">
                The address may come from another run. <Key name="Esc" /> clears the selection.
              </p>
            </div>
          )}
        </Match>
        <Match when={sheet()}>{(s) => <Body sheet={s()} selection={store.state().selected!} />}</Match>
      </Switch>
    </aside>
  );
}

function NothingSelected(): JSX.Element {
  const { store, findings } = useBench();
  const list = () => findings.of(store.currentRun()) ?? [];
  return (
    <div class="inspector-body">
      <h2>Nothing selected</h2>
      <p class="quiet">Click a mark or a row to see its numbers here.</p>
      <Show when={store.state().notes.length > 0}>
        <h3>Notes</h3>
        <For each={store.state().notes}>{(note) => <Noted note={note} />}</For>
      </Show>
      <Show when={list().length > 0}>
        <h3>Findings of {store.runInfo(store.currentRun())?.name}</h3>
        <For each={list()}>{(f) => <FindingBlock finding={f} run={store.currentRun()} small />}</For>
      </Show>
    </div>
  );
}

/** A note in the list, which leads to what it is about. */
function Noted(props: { note: Note }): JSX.Element {
  const { store, hands } = useBench();
  const { sheet } = createAbout(store, () => props.note.of);
  return (
    <p class="noted">
      <button type="button" class="plain" onClick={() => hands.go(props.note.of)}>
        {sheet()?.title ?? "…"}
      </button>{" "}
      {props.note.text}
    </p>
  );
}

/** What somebody wrote about the selection, and where that is written. */
function NoteField(props: { of: Selection }): JSX.Element {
  const { store } = useBench();
  return (
    <textarea
      class="note-field"
      aria-label="Note"
      placeholder="Note"
      rows={noteOn(store.state(), props.of) === "" ? 1 : 2}
      maxLength={MOST_LETTERS}
      value={noteOn(store.state(), props.of)}
      onKeyDown={(e) => e.key === "Escape" && e.currentTarget.blur()}
      onChange={(e) => store.update((s) => withNote(s, props.of, e.currentTarget.value.trim()), "note")}
    />
  );
}

/** What the button says, by what it does. */
const PRESSES: Partial<Record<Press | "hidden", { icon: string; title: string }>> = {
  open: { icon: "open", title: "Open" },
  close: { icon: "shut", title: "Close" },
  spread: { icon: "open", title: "Unfold" },
  focus: { icon: "open", title: "Alone" },
  split: { icon: "open", title: "Split" },
  hidden: { icon: "open", title: "Show here" },
};

function Body(props: { sheet: Sheet; selection: Selection }): JSX.Element {
  const { store, hands, controls } = useBench();
  const of = () => props.sheet.selection ?? props.selection;
  const info = () => store.runInfo(of().run);
  /** Views that the run has; an offer of the view that is looked at already is no offer. */
  const offers = () =>
    props.sheet.offers.filter((o) => viewOf(info(), o.view) && o.view !== store.activePane().view);
  /** What Enter does to it in the active pane; null where that is no graph of its tree. */
  const press = (): Press | "hidden" | null => {
    const view = store.activeView();
    const drawn = view?.pane === "graph" && view.trees.some((t) => nameOf(t) === nameOf(of().tree));
    return drawn && of().to === undefined ? (controls.active()?.press(of()) ?? null) : null;
  };
  return (
    <div class="inspector-body">
      <nav class="inspector-crumbs" aria-label="Around the selection">
        <For each={props.sheet.crumbs.slice(-3)}>
          {(c) => (
            <>
              <button type="button" class="plain" onClick={() => hands.go(c.selection)}>
                {c.title}
              </button>
              <span aria-hidden="true"> › </span>
            </>
          )}
        </For>
      </nav>
      <div class="inspector-head">
        <Show when={props.sheet.kind}>{(kind) => <span class="kind">{kind()}</span>}</Show>
        <h2 title={props.sheet.title}>{withoutKind(props.sheet.title, props.sheet.kind)}</h2>
      </div>
      <div class="inspector-tools">
        <Show when={press() !== null}>
          <Show when={PRESSES[press()!]}>
            {(p) => (
              <button type="button" title="Enter" onClick={() => void hands.toggle(of())}>
                <Icon name={p().icon} /> {p().title}
              </button>
            )}
          </Show>
          <Show when={press() !== "none"}>
            <button type="button" title="Shift+Enter" onClick={() => hands.below(of())}>
              <Icon name="below" /> All below
            </button>
          </Show>
        </Show>
        <For each={offers()}>
          {(offer) => (
            <button type="button" onClick={() => hands.showIn(offer.view, of(), offer.act)}>
              <Icon path={viewOf(info(), offer.view)!.icon} /> {offer.title}
            </button>
          )}
        </For>
        <span class="around">
          <IconButton
            icon="up"
            title="What is around it"
            key="U"
            disabled={props.sheet.crumbs.length === 0}
            onClick={() => void hands.parent()}
          />
          <IconButton
            icon="left"
            title="Previous sibling"
            key="["
            disabled={!props.sheet.siblings[0]}
            onClick={() => hands.go(props.sheet.siblings[0]!)}
          />
          <IconButton
            icon="right"
            title="Next sibling"
            key="]"
            disabled={!props.sheet.siblings[1]}
            onClick={() => hands.go(props.sheet.siblings[1]!)}
          />
        </span>
      </div>
      <NoteField of={of()} />
      <For each={props.sheet.blocks}>{(block) => <BlockView block={block} run={of().run} small />}</For>
    </div>
  );
}
