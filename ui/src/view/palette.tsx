// The command palette and the help: two faces of the one list of commands. Typing narrows the palette, Enter runs;
// the help shows every key by group together with what the pointer does.

import { createMemo, createSignal, For, onMount, type JSX } from "solid-js";
import { commands, type Command } from "../commands";
import { setOverlay } from "../model/overlay";
import { Key } from "./controls";

/** Letters of the query in order; matches at word beginnings come first. */
export function rank(title: string, query: string): number {
  const text = title.toLowerCase();
  const words = query.toLowerCase().trim();
  if (words === "") return 1;
  const at = text.indexOf(words);
  if (at >= 0) return at === 0 || text[at - 1] === " " ? 4 : 3;
  if (words.split(/\s+/).every((w) => text.includes(w))) return 2;
  return 0;
}

export function CommandPalette(): JSX.Element {
  const [query, setQuery] = createSignal("");
  const [at, setAt] = createSignal(0);
  let box!: HTMLInputElement;
  let list!: HTMLUListElement;
  onMount(() => box.focus());
  const hits = createMemo(() =>
    commands()
      .filter((c) => c.id !== "palette")
      .map((command, order) => ({ command, order, rank: rank(`${command.title}`, query()) || rank(command.group, query()) }))
      .filter((h) => h.rank > 0)
      .sort((a, b) => b.rank - a.rank || a.order - b.order)
      .map((h) => h.command),
  );
  const run = (c: Command | undefined): void => {
    if (!c || (c.when && !c.when())) return;
    setOverlay(null);
    c.run();
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === "Enter") run(hits()[at()]);
    else if (e.key === "ArrowDown") setAt((i) => Math.min(hits().length - 1, i + 1));
    else if (e.key === "ArrowUp") setAt((i) => Math.max(0, i - 1));
    else if (e.key === "Escape") setOverlay(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
    list.children[at()]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && setOverlay(null)}>
      <div class="palette" role="dialog" aria-modal="true" aria-label="Commands">
        <input
          ref={box} type="text" placeholder="Type a command" aria-label="Command" spellcheck={false} role="combobox" aria-expanded="true" aria-controls="commands"
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={key} onBlur={() => setOverlay((o) => (o === "palette" ? null : o))}
        />
        <ul id="commands" ref={list} role="listbox">
          <For each={hits()} fallback={<li class="quiet">No command matches “{query()}”.</li>}>
            {(c, i) => (
              <li role="option" aria-selected={i() === at()} classList={{ current: i() === at(), off: c.when ? !c.when() : false }} onPointerDown={(e) => e.preventDefault()} onPointerMove={() => setAt(i())} onClick={() => run(c)}>
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
  ["Click", "select in every view"],
  ["Click", "grains: open or close a group"],
  ["Double click", "DAG: open or close · time: whole run"],
  ["Shift click", "graphs: open everything below"],
  ["Shift drag, drag on the axis", "timeline: zoom to a stretch"],
  ["Shift wheel", "move sideways"],
  ["Wheel over row names", "timeline: scroll the rows"],
];

export function Help(): JSX.Element {
  const groups = (["Views", "Cut", "Move", "Find", "Look", "Page"] as const).map((g) => ({ g, list: commands().filter((c) => c.group === g && c.keys.length > 0) }));
  let box!: HTMLDivElement;
  onMount(() => box.focus());
  return (
    <div class="veil" onPointerDown={(e) => e.target === e.currentTarget && setOverlay(null)}>
      <div class="help" role="dialog" aria-modal="true" aria-label="Help" tabindex="-1" ref={box}>
        <h2>Keys and hands</h2>
        <div class="help-columns">
          <section>
            <h3>Pointer</h3>
            <dl><For each={HANDS}>{([what, does]) => <><dt>{what}</dt><dd>{does}</dd></>}</For></dl>
          </section>
          <For each={groups}>
            {({ g, list }) => (
              <section>
                <h3>{g}</h3>
                <dl><For each={list}>{(c) => <><dt><For each={c.keys.slice(0, 2)}>{(k) => <Key name={k} />}</For></dt><dd>{c.title}</dd></>}</For></dl>
              </section>
            )}
          </For>
          <section>
            <h3>Reading the grains</h3>
            <p>A grain is a task or a chunk of a loop, as long as it worked. A closed group stands for grains that follow each other or were forked together. Under a lens a red border with ! holds the problem, a green dashed one with ✓ does not; grains without it are dimmed. The bar in a closed group is its work beside that of the largest one; under a lens it is how many of its grains have the problem. Squares in a grain say how far it is beyond the threshold. An arrow leads to what needed the other.</p>
          </section>
          <section>
            <h3>Reading the DAG</h3>
            <p>Time flows down. A double border can be opened; a dotted inner border was collapsed while recording. Bars inside a box are the workers that ran it. Stacked sheets stand for alike siblings. Red marks the critical path, nothing else.</p>
          </section>
        </div>
      </div>
    </div>
  );
}
