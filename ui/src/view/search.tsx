// The search box with its hits by tree: count first, Enter goes to the next, arrows choose, Escape leaves.
// Says so when nothing matches and how search works.

import { createEffect, For, on, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { separated } from "../format";
import { CellText } from "./cell";
import { Icon } from "./icons";
import type { Found } from "../model/search";
import type { TreeHits } from "../protocol/TreeHits";

export function SearchBox(): JSX.Element {
  const { store, search } = useBench();
  let box!: HTMLInputElement;
  const key = (e: KeyboardEvent): void => {
    if (e.key === "Enter") {
      search.next(e.shiftKey ? -1 : 1);
      // The hit is what is looked at now; the count in the field says where one is.
      if ((search.found()?.hits.length ?? 0) > 0) search.setOpen(false);
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      search.setOpen(true);
      search.next(e.key === "ArrowDown" ? 1 : -1);
    } else if (e.key === "Escape") {
      search.setOpen(false);
      box.blur();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  // Another run: the same words are looked for there.
  createEffect(on(store.currentRun, () => search.text() && search.search(search.text()), { defer: true }));
  const where = (f: Found): string =>
    f.hits.length === 0 ? "0" : `${search.at() + 1}/${f.more ? "≥" : ""}${separated(f.total)}`;
  return (
    <div
      class="search"
      role="search"
      onFocusOut={(e) => !e.currentTarget.contains(e.relatedTarget as Node | null) && search.setOpen(false)}
    >
      <Icon name="search" />
      <input
        ref={box}
        class="search-field"
        type="text"
        placeholder="Search  /"
        aria-label="Search"
        autocomplete="off"
        spellcheck={false}
        value={search.text()}
        onFocus={() => search.setOpen(true)}
        onKeyDown={key}
        role="combobox"
        aria-expanded={search.open() && search.found() !== null}
        aria-controls="hits"
        onInput={(e) => {
          search.setOpen(true);
          search.search(e.currentTarget.value);
        }}
      />
      <Show when={search.found()}>{(f) => <span class="search-count num">{where(f())}</span>}</Show>
      <Show when={search.open() && search.text().trim() !== ""}>
        <div class="search-list" id="hits">
          <Show when={search.error()}>{(e) => <p role="alert">{e()}</p>}</Show>
          <Show when={search.found()}>{(f) => <Hits found={f()} />}</Show>
        </div>
      </Show>
    </div>
  );
}

function Hits(props: { found: Found }): JSX.Element {
  const { store } = useBench();
  const signs = () =>
    (store.runInfo(props.found.run)?.trees ?? [])
      .filter((t) => t.sign !== "")
      .map((t) => `${t.sign}12 is one of ${t.title}`)
      .join("; ");
  /** Number of the first hit of each tree in the list of all. */
  const firsts = () => {
    let at = 0;
    return props.found.trees.map((t) => (at += t.hits.length) - t.hits.length);
  };
  return (
    <Show
      when={props.found.hits.length > 0}
      fallback={
        <div class="no-match">
          <strong>Nothing matches “{props.found.words}”.</strong>
          <p class="quiet">
            Search looks at names, source positions (main.c:12) and kinds
            {signs() === "" ? "." : `; ${signs()}.`}
          </p>
        </div>
      }
    >
      <For each={props.found.trees}>{(tree, i) => <Tree tree={tree} first={firsts()[i()]!} />}</For>
    </Show>
  );
}

function Tree(props: { tree: TreeHits; first: number }): JSX.Element {
  const { search } = useBench();
  let list!: HTMLUListElement;
  createEffect(on(search.at, (at) => list.children[at - props.first]?.scrollIntoView({ block: "nearest" })));
  const listed = () =>
    props.tree.hits.length < props.tree.total ? `, first ${props.tree.hits.length} listed` : "";
  return (
    <>
      <div class="search-head quiet num">
        <strong>{props.tree.title}</strong> {props.tree.more ? "at least " : ""}
        {separated(props.tree.total)}
        {listed()}
      </div>
      <ul ref={list} role="listbox" aria-label={`Hits in ${props.tree.title}`}>
        <For each={props.tree.hits}>
          {(hit, i) => {
            const at = () => props.first + i();
            return (
              <li
                role="option"
                aria-selected={at() === search.at()}
                classList={{ current: at() === search.at() }}
                onPointerDown={(e) => e.preventDefault()}
                onClick={() => {
                  search.go(at());
                  search.setOpen(false);
                }}
              >
                <span class="hit-title">{hit.title}</span>
                <span class="quiet num">
                  <CellText cell={hit.value} />
                </span>
              </li>
            );
          }}
        </For>
      </ul>
    </>
  );
}
