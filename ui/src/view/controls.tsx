// The few controls that the page is made of: icon button, choice, a value with its exact form on hover, a colour
// swatch with its name. Plain elements with classes from theme.css; every one has a name for screen readers.

import { For, type JSX } from "solid-js";
import { keyLabel, onMac } from "../keys";
import { exact, quantity } from "../format";
import { palette } from "../page";
import { Icon } from "./icons";

export const named = (title: string, key?: string): string => (key ? `${title} (${keyLabel(key, onMac())})` : title);

export function IconButton(props: { icon: string; title: string; key?: string; pressed?: boolean; disabled?: boolean; onClick: (e: MouseEvent) => void }): JSX.Element {
  return (
    <button
      type="button" class="icon-button" classList={{ pressed: props.pressed === true }} title={named(props.title, props.key)} aria-label={props.title}
      aria-pressed={props.pressed} disabled={props.disabled} onClick={(e) => props.onClick(e)}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** Gives the keys back to the view after something was chosen; whoever steps through a list with arrows stays in it. */
export function handBack(e: Event): void {
  const el = e.currentTarget as HTMLSelectElement;
  if (el.dataset.stepping) return;
  el.blur();
}
export function noteStepping(e: KeyboardEvent): void {
  const el = e.currentTarget as HTMLSelectElement;
  if (e.key === "ArrowDown" || e.key === "ArrowUp") el.dataset.stepping = "true";
  else delete el.dataset.stepping;
}

export function Choice<T extends string>(props: { label: string; value: T; options: Record<T, string>; onChange: (v: T) => void; title?: string }): JSX.Element {
  return (
    <label class="choice" title={props.title}>
      <span class="choice-label">{props.label}</span>
      <select
        value={props.value} onKeyDown={noteStepping} onPointerDown={(e) => delete e.currentTarget.dataset.stepping}
        onChange={(e) => {
          props.onChange(e.currentTarget.value as T);
          handBack(e);
        }}
      >
        <For each={Object.entries(props.options) as [T, string][]}>{([value, title]) => <option value={value} selected={value === props.value}>{title}</option>}</For>
      </select>
    </label>
  );
}

export const Value = (props: { value: number; unit: string; class?: string }): JSX.Element => (
  <span class={"value " + (props.class ?? "")} title={exact(props.value, props.unit)}>{quantity(props.value, props.unit)}</span>
);

/** Three lengths of a run are called its critical path by somebody: what each means here. */
export const MEANING: Readonly<Record<string, string | undefined>> = {
  "T∞": "Critical path of the task DAG: the run on any number of workers, without overhead. What a task does between creating tasks and waiting for them runs beside them.",
  "path of grains": "Critical path of the grain graph: each grain does all its work before its first fork, and work outside of grains is left out. So it differs from T∞.",
  "T∞ with overhead": "Critical path of the task DAG with what creating and waiting for tasks costs in this run. No number of workers makes the run shorter.",
};

export const Swatch = (props: { fill: number }): JSX.Element => <span class="swatch" style={{ background: palette()[props.fill] ?? "var(--muted)" }} aria-hidden="true" />;

export const Key = (props: { name: string }): JSX.Element => <kbd>{keyLabel(props.name, onMac())}</kbd>;
