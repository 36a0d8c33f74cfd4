// What colours, shapes and edges say, in one line. Legend items of a scene go in; those that do not fit are counted
// and named on hover. Shape keys are added for graphs, since nothing is told by colour alone.

import { createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import type { LegendItem } from "../protocol/LegendItem";
import { Swatch } from "./controls";

export function Legend(props: { items: LegendItem[]; shapes?: [string, string][]; /** Shapes that are told before all others. */ first?: [string, string][] }): JSX.Element {
  const [room, setRoom] = createSignal(400);
  let line!: HTMLDivElement;
  onMount(() => {
    const observer = new ResizeObserver(() => setRoom(line.clientWidth));
    observer.observe(line);
    onCleanup(() => observer.disconnect());
  });
  /** Room for the shapes by the same estimate as for the items; they go when it gets narrow. */
  const shapesWidth = () => {
    const width = 24 + (props.shapes ?? []).reduce((a, [name]) => a + 28 + name.length * 6.2, 0);
    return props.shapes && room() > width + 240 ? width : 0;
  };
  /** How many items fit, by an estimate of 6.6 px a letter. */
  const fits = () => {
    let used = 64 + shapesWidth() + (props.first ?? []).reduce((a, [name]) => a + 40 + name.length * 6.6, 0);
    let n = 0;
    for (const item of props.items) {
      used += 26 + item.text.length * 6.6;
      if (used > room()) break;
      n++;
    }
    return n >= props.items.length - 1 && used <= room() ? props.items.length : n;
  };
  const rest = () => props.items.slice(fits());
  return (
    <div class="legend" ref={line}>
      <Show when={props.first}>{(first) => <ShapeKey shapes={first()} />}</Show>
      <For each={props.items.slice(0, fits())}>{(item) => <span class="legend-item"><Swatch fill={item.fill} />{item.text}</span>}</For>
      <Show when={rest().length > 0}>
        <span class="quiet legend-item" title={rest().map((i) => i.text).join(", ")}>+{rest().length} more</span>
      </Show>
      <Show when={shapesWidth() > 0}>
        <ShapeKey shapes={props.shapes!} />
      </Show>
    </div>
  );
}

export const DAG_SHAPES: [string, string][] = [
  ["create, fork", "M2 1h10v8H5L2 6z"],
  ["wait", "M1 1h12l-3 8H4z"],
  ["end", "M2 1h10v7H2zM1 9h12"],
  ["chunk", "M4 1h9l-3 8H1z"],
  ["section", "M1 1h12v8H1zM3 3h8v4H3z"],
  ["task", "M4 .5h6q3 0 3 3v3q0 3-3 3H4q-3 0-3-3v-3q0-3 3-3zM4 2.5h6v5H4z"],
];

export const GRAIN_SHAPES: [string, string][] = [
  ["grain", "M3 1h8v8H3z"],
  ["group", "M4 .5h6q3 0 3 3v3q0 3-3 3H4q-3 0-3-3v-3q0-3 3-3z"],
  ["fork", "M7 9l5-8H2z"],
  ["join", "M7 1l5 8H2z"],
  ["create", "M1 5h12"],
  ["sync", "M1 5h3M5.5 5h3M10 5h3"],
  ["next", "M1 4.5h12M1 5.5h12"],
];

/** A dependence between tasks, where a picture has some. */
export const NEEDS: [string, string] = ["needed by", "M1 5h9M9 2l4 3l-4 3z"];

const ShapeKey = (props: { shapes: [string, string][] }): JSX.Element => (
  <span class="shape-key">
    <For each={props.shapes}>
      {([name, path]) => (
        <span class="legend-item">
          <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden="true" fill="none" stroke="currentColor"><path d={path} /></svg>
          {name}
        </span>
      )}
    </For>
  </span>
);
