// The command palette and the help: two faces of the one list of commands. Typing narrows the palette, Enter
// runs; the help shows every key by group together with what the pointer does.

import { createMemo, createSignal, For, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { GROUPS, type Command } from "../commands/command";
import { matches } from "../model/match";
import { listed } from "../views";
import { Key } from "./controls";

export function CommandPalette(): JSX.Element {
  const { store, commands } = useBench();
  const [query, setQuery] = createSignal("");
  const [at, setAt] = createSignal(0);
  let box!: HTMLInputElement;
  let list!: HTMLUListElement;
  onMount(() => box.focus());
  const hits = createMemo(() =>
    commands
      .all()
      .filter((c) => c.id !== "palette")
      .map((command, order) => ({
        command,
        order,
        match: matches(command.title, query()) || matches(command.group, query()),
      }))
      .filter((h) => h.match > 0)
      .sort((a, b) => b.match - a.match || a.order - b.order)
      .map((h) => h.command),
  );
  const run = (c: Command | undefined): void => {
    if (!c || (c.when && !c.when())) return;
    store.setOverlay(null);
    c.run();
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === "Enter") run(hits()[at()]);
    else if (e.key === "ArrowDown") setAt((i) => Math.min(hits().length - 1, i + 1));
    else if (e.key === "ArrowUp") setAt((i) => Math.max(0, i - 1));
    else if (e.key === "Escape") store.setOverlay(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
    list.children[at()]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && store.setOverlay(null)}>
      <div class="palette" role="dialog" aria-modal="true" aria-label="Commands">
        <input
          ref={box}
          type="text"
          placeholder="Type a command"
          aria-label="Command"
          spellcheck={false}
          role="combobox"
          aria-expanded="true"
          aria-controls="commands"
          onKeyDown={key}
          onBlur={() => store.setOverlay((o) => (o === "palette" ? null : o))}
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setAt(0);
          }}
        />
        <ul id="commands" ref={list} role="listbox">
          <For each={hits()} fallback={<li class="quiet">No command matches “{query()}”.</li>}>
            {(c, i) => (
              <li
                role="option"
                aria-selected={i() === at()}
                classList={{ current: i() === at(), off: c.when ? !c.when() : false }}
                onPointerDown={(e) => e.preventDefault()}
                onPointerMove={() => setAt(i())}
                onClick={() => run(c)}
              >
                <span class="quiet group">{c.group}</span>
                <span>{c.title}</span>
                <span class="spacer" />
                <For each={c.keys.slice(0, 2)}>{(k) => <Key name={k} />}</For>
              </li>
            )}
          </For>
        </ul>
      </div>
    </div>
  );
}

const HANDS: [string, string][] = [
  ["Wheel", "zoom at the pointer"],
  ["Drag", "move"],
  ["Click", "select, in every pane"],
  ["Double click", "graphs: open or close · along time: whole run"],
  ["Shift click", "graphs: open everything below"],
  ["Shift drag", "along time: zoom to a stretch · graphs: select what is inside"],
  ["Drag on an axis", "zoom to a stretch"],
  ["Shift wheel", "move sideways"],
  ["Wheel over names", "scroll the rows"],
];

export function Help(): JSX.Element {
  const { store, commands } = useBench();
  const groups = GROUPS.map((g) => ({
    g,
    list: commands.all().filter((c) => c.group === g && c.keys.length > 0),
  }));
  const info = store.runInfo(store.currentRun());
  const views = info ? listed(info).filter((v) => v.about !== "") : [];
  let box!: HTMLDivElement;
  onMount(() => box.focus());
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && store.setOverlay(null)}>
      <div class="help" role="dialog" aria-modal="true" aria-label="Help" tabindex="-1" ref={box}>
        <h2>Keys and hands</h2>
        <div class="help-columns">
          <section>
            <h3>Pointer</h3>
            <dl>
              <For each={HANDS}>
                {([what, does]) => (
                  <>
                    <dt>{what}</dt>
                    <dd>{does}</dd>
                  </>
                )}
              </For>
            </dl>
          </section>
          <For each={groups}>
            {({ g, list }) => (
              <section>
                <h3>{g}</h3>
                <dl>
                  <For each={list}>
                    {(c) => (
                      <>
                        <dt>
                          <For each={c.keys.slice(0, 2)}>{(k) => <Key name={k} />}</For>
                        </dt>
                        <dd>{c.title}</dd>
                      </>
                    )}
                  </For>
                </dl>
              </section>
            )}
          </For>
          <Show when={views.length > 0}>
            <section>
              <h3>What the views are for</h3>
              <dl>
                <For each={views}>
                  {(v) => (
                    <>
                      <dt>{v.title}</dt>
                      <dd>{v.about}</dd>
                    </>
                  )}
                </For>
              </dl>
            </section>
          </Show>
        </div>
      </div>
    </div>
  );
}
