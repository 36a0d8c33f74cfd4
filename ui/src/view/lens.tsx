// The lens of a tree: which one, and where it begins. The menu names every lens with what it chooses and
// costs, and what is missing for those that are not available; the slider answers while it is dragged.

import { For, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { quantity, separated } from "../format";
import { positionOf, STEPS, valueAt } from "../model/slider";
import { treeDecl } from "../views";
import { Menu, named } from "./controls";
import { Icon } from "./icons";
import { Elapsed } from "./states";
import { CellText } from "./cell";
import type { LensInfo } from "../protocol/LensInfo";

export function Lens(props: { run: number; tree: string; first: boolean }): JSX.Element {
  const { store, trees, commands } = useBench();
  const asked = () => trees.of(props.run, props.tree);
  const answer = () => trees.answer(props.run, props.tree);
  const chosen = () => trees.lens(props.run, props.tree);
  const decl = () => treeDecl(store.runInfo(props.run), props.tree);
  const title = () => chosen()?.title ?? store.lensOf(props.run, props.tree)?.name ?? "none";
  const label = () => (props.first ? "Lens" : `Lens of ${decl()?.title ?? props.tree}`);
  const any = () => (answer()?.lenses.length ?? 0) > 0 || asked().state === "failed";
  return (
    <Show when={any()}>
      <Menu
        class="lens"
        buttonClass={"toggle lens-button" + (chosen() ? " on" : "")}
        name={`${label()}: ${title()}`}
        title={named(
          "Look through a problem: what has it stands out",
          props.first ? commands.key("lens") : undefined,
        )}
        label={
          <>
            <span class="choice-label">{label()}</span> <span class="lens-name">{title()}</span>{" "}
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <Switch>
            <Match when={asked().state === "loading"}>
              <p class="quiet lens-note">
                Making {decl()?.title ?? "the tree"}… <Elapsed since={(asked() as { since: number }).since} />
              </p>
            </Match>
            <Match when={asked().state === "failed"}>
              <p class="lens-note" role="alert">
                {(asked() as { error: string }).error}
              </p>
            </Match>
            <Match when={answer()}>
              {(tree) => (
                <>
                  <Item
                    title="none"
                    about="structure only"
                    on={!chosen()}
                    choose={() => {
                      trees.choose(props.run, props.tree, "");
                      close();
                    }}
                  />
                  <For each={tree().lenses}>
                    {(lens) => (
                      <LensItem
                        lens={lens}
                        on={chosen()?.name === lens.name}
                        nodes={decl()?.node ?? ["", ""]}
                        choose={() => {
                          trees.choose(props.run, props.tree, lens.name);
                          close();
                        }}
                      />
                    )}
                  </For>
                </>
              )}
            </Match>
          </Switch>
        )}
      </Menu>
      <Show when={chosen()}>
        {(lens) => (
          <Threshold run={props.run} tree={props.tree} lens={lens()} nodes={decl()?.node ?? ["", ""]} />
        )}
      </Show>
    </Show>
  );
}

const Item = (props: { title: string; about: string; on: boolean; choose: () => void }): JSX.Element => (
  <button type="button" role="menuitemradio" aria-checked={props.on} onClick={() => props.choose()}>
    <span class="lens-row">
      <span>{props.title}</span> <span class="quiet">{props.about}</span>
    </span>
  </button>
);

function LensItem(props: {
  lens: LensInfo;
  on: boolean;
  nodes: readonly [string, string];
  choose: () => void;
}): JSX.Element {
  const missing = () => props.lens.missing;
  const many = () => {
    const { count } = props.lens;
    return count === 0 ? `no ${props.nodes[0]}` : `${separated(count)} ${props.nodes[count === 1 ? 0 : 1]}`;
  };
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={props.on}
      aria-disabled={missing() ? true : undefined}
      tabindex={missing() ? -1 : undefined}
      title={props.lens.about}
      onClick={() => !missing() && props.choose()}
    >
      <span class="lens-row">
        <span>{props.lens.title}</span>
        <Show when={!missing()} fallback={<span class="quiet">not available</span>}>
          <span class="num" classList={{ quiet: props.lens.count === 0 }}>
            {many()}
          </span>
          <span class="num quiet lens-cost">
            <Show when={props.lens.facts.at(-1)}>{(fact) => <CellText cell={fact().value} />}</Show>
          </span>
        </Show>
      </span>
      <Show when={missing()}>{(why) => <span class="quiet lens-why">{why()}</span>}</Show>
    </button>
  );
}

/** Where the lens begins, live: how many it chooses changes while it is dragged. */
function Threshold(props: {
  run: number;
  tree: string;
  lens: LensInfo;
  nodes: readonly [string, string];
}): JSX.Element {
  const { store, trees } = useBench();
  const spec = () => store.lensOf(props.run, props.tree);
  const value = () => spec()?.value ?? props.lens.usual;
  const moved = () => spec()?.value !== undefined;
  const text = (of: number) => quantity(of, props.lens.unit);
  const side = () => (props.lens.below ? "<" : ">");
  const facts = () =>
    props.lens.facts.map((f) => `${f.name}: ${"text" in f.value ? f.value.text : ""}`).join(" · ");
  return (
    <div class="threshold">
      <span class="threshold-name" title={[props.lens.about, props.lens.advice].filter(Boolean).join(" ")}>
        {props.lens.metric}
      </span>
      <span class="num threshold-value">
        {side()} {text(value())}
      </span>
      <input
        type="range"
        min="0"
        max={STEPS}
        value={positionOf(value(), props.lens.range)}
        aria-label={`Threshold of ${props.lens.metric}`}
        aria-valuetext={`${props.lens.below ? "below" : "above"} ${text(value())}, ${separated(props.lens.count)} ${props.nodes[1]}`}
        onInput={(e) =>
          trees.setValue(
            props.run,
            props.tree,
            props.lens.name,
            valueAt(Number(e.currentTarget.value), props.lens.range),
          )
        }
      />
      <span class="num threshold-count" title={facts()}>
        <strong>{separated(props.lens.count)}</strong> {props.nodes[props.lens.count === 1 ? 0 : 1]}
      </span>
      <button
        type="button"
        class="plain"
        disabled={!moved()}
        title={`Back to ${text(props.lens.usual)}`}
        onClick={() => trees.setValue(props.run, props.tree, props.lens.name, null)}
      >
        reset
      </button>
    </div>
  );
}
