// The search box with its list of hits: count first, Enter goes to the next, arrows choose, Escape leaves. Says so
// when nothing matches and how search works.

import { createEffect, For, on, Show, type JSX } from "solid-js";
import { separated, time } from "../format";
import { found, goToHit, hitIndex, nextHit, search, searchError, searchOpen, searchText, setSearchOpen } from "../model/search";
import { clockOf, currentRun } from "../page";
import { Icon } from "./icons";

export function SearchBox(): JSX.Element {
  let box!: HTMLInputElement;
  let list: HTMLUListElement | undefined;
  const key = (e: KeyboardEvent): void => {
    if (e.key === "Enter") {
      nextHit(e.shiftKey ? -1 : 1);
      // The hit is what is looked at now; the count in the field says where one is.
      if ((found()?.hits.length ?? 0) > 0) setSearchOpen(false);
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      setSearchOpen(true);
      nextHit(e.key === "ArrowDown" ? 1 : -1);
    }
    else if (e.key === "Escape") {
      setSearchOpen(false);
      box.blur();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  createEffect(on(hitIndex, (i) => list?.children[i]?.scrollIntoView({ block: "nearest" })));
  // Another run: the same words are looked for there.
  createEffect(on(currentRun, () => searchText() && search(searchText()), { defer: true }));
  return (
    <div class="search" role="search" onFocusOut={(e) => !e.currentTarget.contains(e.relatedTarget as Node | null) && setSearchOpen(false)}>
      <Icon name="search" />
      <input
        id="search" ref={box} type="text" placeholder="Search  /" aria-label="Search for a function, source position, kind, #node or g-grain" autocomplete="off" spellcheck={false}
        value={searchText()} onInput={(e) => {
          setSearchOpen(true);
          search(e.currentTarget.value);
        }} onFocus={() => setSearchOpen(true)} onKeyDown={key}
        role="combobox" aria-expanded={searchOpen() && found() !== null} aria-controls="hits"
      />
      <Show when={found()}>{(f) => <span class="search-count num">{f().hits.length === 0 ? "0" : `${hitIndex() + 1}/${f().more ? "≥" : ""}${separated(f().total)}`}</span>}</Show>
      <Show when={searchOpen() && searchText().trim() !== ""}>
        <div class="search-list">
          <Show when={searchError()}>{(e) => <p role="alert">{e()}</p>}</Show>
          <Show when={found()}>
            {(f) => (
              <Show
                when={f().hits.length > 0}
                fallback={<div class="no-match"><strong>Nothing matches “{f().text}”.</strong><p class="quiet">Search looks at function names, source positions (fib.c:12) and kinds (create, wait, end, section, task); #123 is a node of the DAG, g123 one of the grain graph.</p></div>}
              >
                <div class="search-head quiet num">{f().more ? "at least " : ""}{separated(f().total)} {f().total === 1 ? "node" : "nodes"}{f().hits.length < f().total ? `, first ${f().hits.length} listed` : ""} · Enter: next</div>
                <ul id="hits" ref={list} role="listbox" aria-label="Hits">
                  <For each={f().hits}>
                    {(hit, i) => (
                      <li role="option" aria-selected={i() === hitIndex()} classList={{ current: i() === hitIndex() }} onPointerDown={(e) => e.preventDefault()} onClick={() => {
                        goToHit(i());
                        setSearchOpen(false);
                      }}>
                        <span class="hit-title">{hit.title}</span>
                        <span class="quiet num">{time(hit.work, clockOf(f().run))}</span>
                      </li>
                    )}
                  </For>
                </ul>
              </Show>
            )}
          </Show>
        </div>
      </Show>
    </div>
  );
}
