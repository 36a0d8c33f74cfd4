// The few controls that the page is made of: icon button, choice, menu, key. Plain elements with classes from
// theme.css; every one has a name for screen readers.

import { createSignal, For, Show, type JSX } from "solid-js";
import { keyLabel, onMac } from "../keys";
import { Icon } from "./icons";

export const named = (title: string, key?: string | null): string =>
  key ? `${title} (${keyLabel(key, onMac())})` : title;

export function IconButton(props: {
  icon: string;
  title: string;
  key?: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: (e: MouseEvent) => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      classList={{ pressed: props.pressed === true }}
      title={named(props.title, props.key)}
      aria-label={props.title}
      aria-pressed={props.pressed}
      disabled={props.disabled}
      onClick={(e) => props.onClick(e)}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/**
 * Gives the keys back to the view after something was chosen; whoever steps through a list with arrows stays
 * in it.
 */
export function handBack(e: Event): void {
  const el = e.currentTarget as HTMLSelectElement;
  if (!el.dataset.stepping) el.blur();
}
export function noteStepping(e: KeyboardEvent): void {
  const el = e.currentTarget as HTMLSelectElement;
  if (e.key === "ArrowDown" || e.key === "ArrowUp") el.dataset.stepping = "true";
  else delete el.dataset.stepping;
}

export function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
  title?: string;
  plain?: boolean;
}): JSX.Element {
  return (
    <label class="choice" title={props.title}>
      <span class="choice-label">{props.label}</span>
      <select
        aria-label={props.label}
        value={props.value}
        onKeyDown={noteStepping}
        onPointerDown={(e) => delete e.currentTarget.dataset.stepping}
        onChange={(e) => {
          props.onChange(e.currentTarget.value);
          handBack(e);
        }}
      >
        <For each={props.options}>
          {([value, title]) => (
            <option value={value} selected={value === props.value}>
              {title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/** A button that opens a list; arrows walk it, Escape and leaving close it. */
export function Menu(props: {
  class?: string;
  label: JSX.Element;
  name: string;
  title: string;
  buttonClass: string;
  children: (close: () => void) => JSX.Element;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let button!: HTMLButtonElement;
  let list: HTMLDivElement | undefined;
  const key = (e: KeyboardEvent): void => {
    if (!open()) return;
    const items = [...(list?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled])") ?? [])];
    // In a notebook's cell the page has a root of its own.
    const within = button.getRootNode() as Document | ShadowRoot;
    const at = items.indexOf(within.activeElement as HTMLElement);
    if (e.key === "ArrowDown") items[(at + 1) % items.length]?.focus();
    else if (e.key === "ArrowUp") items[(at - 1 + items.length) % items.length]?.focus();
    else if (e.key === "Escape") {
      setOpen(false);
      button.focus();
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const left = (e: FocusEvent & { currentTarget: HTMLElement }): void => {
    if (!e.currentTarget.contains(e.relatedTarget as Node | null)) setOpen(false);
  };
  return (
    <div class={"menu " + (props.class ?? "")} onFocusOut={left} onKeyDown={key}>
      <button
        type="button"
        ref={button}
        class={props.buttonClass}
        aria-haspopup="menu"
        aria-expanded={open()}
        aria-label={props.name}
        title={props.title}
        onClick={() => {
          setOpen(!open());
          // Browsers that do not focus a pressed button would not notice that it was left.
          button.focus();
        }}
      >
        {props.label}
      </button>
      <Show when={open()}>
        <div class="menu-list" role="menu" ref={list}>
          {props.children(() => {
            setOpen(false);
            button.blur();
          })}
        </div>
      </Show>
    </div>
  );
}

export const Key = (props: { name: string }): JSX.Element => <kbd>{keyLabel(props.name, onMac())}</kbd>;
