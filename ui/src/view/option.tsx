// One option of a view or a tree as a control, by the kind that it declares: menu, slider with a field,
// toggle, metric, text, nodes from the selection. Values travel as text; "auto" is one where it is declared, and
// the answer says what it became.

import { createSignal, Match, Show, Switch, type JSX } from "solid-js";
import { useBench } from "../bench";
import { quantity } from "../format";
import { positionOf, STEPS, valueAt } from "../model/slider";
import { count, rangesOf } from "../selection";
import { nameOf, treeDecl } from "../views";
import { Choice, named } from "./controls";
import type { Opt } from "../protocol/Opt";
import type { OptKind } from "../protocol/OptKind";

interface Props {
  opt: Opt;
  run: number;
  value: string;
  /** Values that are worth a look, with what they show. */
  worth?: readonly (readonly [string, string])[];
  set: (value: string, continuous?: boolean) => void;
}
type Kind<K extends OptKind["is"]> = Extract<OptKind, { is: K }>;

export function Option(props: Props): JSX.Element {
  const kind = () => props.opt.kind;
  const of = <K extends OptKind["is"]>(is: K): Kind<K> | undefined => {
    const k = kind();
    return k.is === is ? (k as Kind<K>) : undefined;
  };
  return (
    <Switch>
      <Match when={of("choice")}>
        {(k) => (
          <Choice
            label={props.opt.title}
            title={named(props.opt.title, props.opt.key)}
            value={props.value}
            options={choices(props.opt, [...k().values, ...(props.worth ?? [])])}
            onChange={(value) => props.set(value)}
          />
        )}
      </Match>
      <Match when={of("flag")}>
        <Flag {...props} />
      </Match>
      <Match when={of("number")}>{(k) => <NumberField {...props} kind={k()} />}</Match>
      <Match when={of("metric")}>{(k) => <MetricChoice {...props} tree={k().tree} />}</Match>
      <Match when={of("text")}>
        <TextField {...props} />
      </Match>
      <Match when={of("nodes")}>{(k) => <NodesChip {...props} tree={k().tree} />}</Match>
    </Switch>
  );
}

const choices = (opt: Opt, values: readonly (readonly [string, string])[]): (readonly [string, string])[] =>
  opt.auto && !values.some(([value]) => value === "auto") ? [["auto", "auto"], ...values] : [...values];

function Flag(props: Props): JSX.Element {
  return (
    <label class="check" title={named(props.opt.title, props.opt.key)}>
      <input
        type="checkbox"
        checked={props.value === "true"}
        onChange={(e) => {
          props.set(e.currentTarget.checked ? "true" : "false");
          e.currentTarget.blur();
        }}
      />
      {props.opt.title}
    </label>
  );
}

/** A number as it is typed, with a point or a comma; null for what the option does not take. */
export function readNumber(text: string, least: number, most: number): number | null {
  const plain = text.trim().replace(",", ".");
  const value = plain === "" ? NaN : Number(plain);
  return value >= least && value <= most ? value : null;
}

function NumberField(props: Props & { kind: Kind<"number"> }): JSX.Element {
  const [typed, setTyped] = createSignal<string | null>(null);
  const range = (): [number, number] => [props.kind.least, props.kind.most];
  const auto = () => props.value === "auto";
  const value = (): number => (auto() ? Number(props.opt.usual) || props.kind.least : Number(props.value));
  const wrong = () => typed() !== null && readNumber(typed()!, ...range()) === null;
  /** What is proposed, "auto" first; a value of one's own stands by itself. */
  const proposals = (): (readonly [string, string])[] => {
    const worth = props.worth ?? [];
    const best = worth[0] ? `auto: ${worth[0][1]}` : "auto";
    const known = props.opt.auto ? [["auto", best] as const, ...worth] : [...worth];
    return known.some(([value]) => value === props.value) ? known : [...known, [props.value, props.value]];
  };
  const type = (text: string): void => {
    setTyped(text);
    const read = readNumber(text, ...range());
    if (read !== null) props.set(String(read), true);
  };
  return (
    <span
      class="number"
      title={`${props.opt.title}: ${quantity(props.kind.least, props.kind.unit)} to ${quantity(props.kind.most, props.kind.unit)}`}
    >
      <span class="choice-label">{props.opt.title}</span>
      <input
        type="range"
        min="0"
        max={STEPS}
        value={positionOf(value(), range(), props.kind.log)}
        aria-label={props.opt.title}
        aria-valuetext={auto() ? "auto" : quantity(value(), props.kind.unit)}
        onInput={(e) =>
          props.set(String(valueAt(Number(e.currentTarget.value), range(), props.kind.log)), true)
        }
      />
      <input
        type="text"
        class="field small num"
        inputmode="decimal"
        aria-label={`${props.opt.title}, as a number`}
        aria-invalid={wrong()}
        value={typed() ?? (auto() ? "auto" : props.value)}
        onInput={(e) => type(e.currentTarget.value)}
        onBlur={() => setTyped(null)}
        onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
      />
      <Show when={props.worth && props.worth.length > 0}>
        <Choice
          label="proposed"
          title={`${props.opt.title}: values that are worth a look`}
          value={props.value}
          options={proposals()}
          onChange={(value) => props.set(value)}
        />
      </Show>
      <Show when={props.opt.auto && !props.worth?.length}>
        <button
          type="button"
          class="plain"
          aria-pressed={auto()}
          disabled={auto()}
          onClick={() => props.set("auto")}
        >
          auto
        </button>
      </Show>
    </span>
  );
}

function MetricChoice(props: Props & { tree: string }): JSX.Element {
  const { trees } = useBench();
  const metrics = (): (readonly [string, string])[] => {
    const known = trees.answer(props.run, props.tree)?.metrics.map((m) => [m.name, m.title] as const) ?? [];
    return choices(
      props.opt,
      known.some(([name]) => name === props.value) ? known : [...known, [props.value, props.value]],
    );
  };
  return (
    <Choice
      label={props.opt.title}
      title={named(props.opt.title, props.opt.key)}
      value={props.value}
      options={metrics()}
      onChange={(value) => props.set(value)}
    />
  );
}

/** Text that counts when it is left or confirmed: half of it would be refused. */
function TextField(props: Props): JSX.Element {
  return (
    <label class="number" title={named(props.opt.title, props.opt.key)}>
      <span class="choice-label">{props.opt.title}</span>
      <input
        type="text"
        class="field"
        aria-label={props.opt.title}
        value={props.value}
        onChange={(e) => props.set(e.currentTarget.value)}
        onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
      />
    </label>
  );
}

/** Nodes that are taken from the selection, and dropped again. */
function NodesChip(props: Props & { tree: string }): JSX.Element {
  const { store } = useBench();
  const fits = () => {
    const s = store.state().selected;
    return s && s.run === props.run && nameOf(s.tree) === props.tree && s.nodes !== props.value ? s : null;
  };
  const words = (): string => {
    const decl = treeDecl(store.runInfo(props.run), props.tree);
    const ranges = rangesOf(props.value);
    const n = count(ranges);
    return n === 1 ? `${decl?.sign ?? ""}${ranges[0]![0]}` : `${n} ${decl?.node[1] ?? ""}`;
  };
  return (
    <Show
      when={props.value !== ""}
      fallback={
        <button
          type="button"
          disabled={!fits()}
          title={named(`${props.opt.title}: of the selection`, props.opt.key)}
          onClick={() => props.set(fits()!.nodes)}
        >
          {props.opt.title}
        </button>
      }
    >
      <button
        type="button"
        class="chip"
        title={`${props.opt.title}: click for all`}
        onClick={() => props.set("")}
      >
        {props.opt.title} {words()} ×
      </button>
    </Show>
  );
}
