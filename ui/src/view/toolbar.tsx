// The tools of a pane, made from what its view and its trees declare: acts as buttons, options as menus,
// sliders and toggles, depth for graphs. Nothing is shown where nothing is declared.

import { For, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { withOption } from "../state";
import { isShown, keysOf, treeDecl, valueOf } from "../views";
import { Key, Menu, named } from "./controls";
import { Icon } from "./icons";
import { Option } from "./option";
import type { Act } from "../protocol/Act";
import type { Opt } from "../protocol/Opt";
import type { View } from "../protocol/View";

export function Toolbar(props: { pane: number; view: View }): JSX.Element {
  const { store, hands, trees: models } = useBench();
  const run = () => store.state().panes[props.pane]?.run ?? 0;
  const own = () => store.state().options[props.view.name] ?? {};
  const options = (): Opt[] =>
    props.view.options.filter((opt) => hasValues(opt) && isShown(opt, props.view.options, own()));
  const acts = (opt: Opt): boolean => !props.view.without.includes(opt.name);
  const trees = () =>
    keysOf(store.state(), run(), props.view, store.runInfo(run())).map((key) => {
      // A sheet names a tree only for what it selects.
      const sheet = props.view.pane === "sheet";
      const all = sheet ? [] : (treeDecl(store.runInfo(run()), key)?.options ?? []);
      const values = store.state().runs[run()]?.trees[key]?.with ?? {};
      return { key, values, options: all.filter((opt) => acts(opt) && isShown(opt, all, values)) };
    });
  /** Values that the tree itself proposes. */
  const worth = (key: string, name: string): readonly (readonly [string, string])[] =>
    (models.answer(run(), key)?.choices ?? [])
      .filter((c) => c.option === name)
      .map((c) => [c.value, c.title] as const);
  const graph = () => props.view.pane === "graph";
  const any = () =>
    graph() ||
    props.view.acts.length > 0 ||
    options().length > 0 ||
    trees().some((t) => t.options.length > 0);
  const act = (name: string, onSelection: boolean): void => {
    store.activate(props.pane);
    hands.act(name, onSelection);
  };
  return (
    <Show when={any()}>
      <div class="tools-row">
        <Acts acts={props.view.acts} selected={store.state().selected !== null} act={act} />
        <Show when={graph()}>
          <Depth pane={props.pane} run={run()} />
        </Show>
        <For each={trees()}>
          {(tree) => (
            <For each={tree.options}>
              {(opt) => (
                <Option
                  opt={opt}
                  run={run()}
                  value={valueOf(opt, tree.values)}
                  worth={worth(tree.key, opt.name)}
                  set={(value, continuous) =>
                    store.setTreeOption(
                      run(),
                      tree.key,
                      opt.name,
                      value === opt.usual ? null : value,
                      continuous,
                    )
                  }
                />
              )}
            </For>
          )}
        </For>
        <For each={options()}>
          {(opt) => (
            <Option
              opt={opt}
              run={run()}
              value={valueOf(opt, own())}
              set={(value, continuous) =>
                store.update(
                  (s) => withOption(s, props.view.name, opt.name, value === opt.usual ? null : value),
                  "option",
                  continuous,
                )
              }
            />
          )}
        </For>
      </div>
    </Show>
  );
}

/** The first act is a button, further ones are in a menu beside it. */
function Acts(props: {
  acts: readonly Act[];
  selected: boolean;
  act: (name: string, onSelection: boolean) => void;
}): JSX.Element {
  const cannot = (a: Act): boolean => a.on === "selection" && !props.selected;
  return (
    <>
      <For each={props.acts.slice(0, 1)}>
        {(a) => (
          <button
            type="button"
            title={named(a.title, a.key)}
            disabled={cannot(a)}
            onClick={() => props.act(a.name, a.on === "selection")}
          >
            {a.title}
          </button>
        )}
      </For>
      <Show when={props.acts.length > 1}>
        <Menu
          class="acts"
          buttonClass="toggle"
          name="More to open"
          title="More to open"
          label={
            <>
              More <Icon name="down" />
            </>
          }
        >
          {(close) => (
            <For each={props.acts.slice(1)}>
              {(a) => (
                <button
                  type="button"
                  role="menuitem"
                  disabled={cannot(a)}
                  aria-disabled={cannot(a) ? true : undefined}
                  title={cannot(a) ? "Select something first" : undefined}
                  onClick={() => {
                    close();
                    props.act(a.name, a.on === "selection");
                  }}
                >
                  <span>{a.title}</span>
                  <Show when={a.key}>{(key) => <Key name={key()} />}</Show>
                </button>
              )}
            </For>
          )}
        </Menu>
      </Show>
    </>
  );
}

/** A choice without values is one that the pane itself offers. */
const hasValues = (opt: Opt): boolean => opt.kind.is !== "choice" || opt.kind.values.length > 0;

/** Depths that can be chosen at most. */
const DEEPEST = 64;

/** Opens everything down to a depth. */
function Depth(props: { pane: number; run: number }): JSX.Element {
  const { store, trees, hands } = useBench();
  const depth = (): number => {
    const key = store.treeKey(props.pane);
    return key === undefined ? 0 : Math.min(trees.answer(props.run, key)?.depth ?? 0, DEEPEST);
  };
  return (
    <label class="choice" title="Open everything down to a depth">
      <select
        aria-label="Open to depth"
        value=""
        onChange={(e) => {
          const { value } = e.currentTarget;
          e.currentTarget.value = "";
          e.currentTarget.blur();
          store.activate(props.pane);
          if (value !== "") hands.depth(Number(value));
        }}
      >
        <option value="">to depth…</option>
        {Array.from({ length: depth() + 1 }, (_, d) => (
          <option value={d}>{d}</option>
        ))}
      </select>
    </label>
  );
}
