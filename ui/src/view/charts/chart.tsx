// The frame of a small chart: measures its width and hands it to a function that returns SVG. Charts are drawn in
// CSS pixels, so that texts keep their size at any width and any browser zoom.

import { createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";

export function Chart(props: { height: number; label: string; draw: (width: number) => JSX.Element }): JSX.Element {
  const [width, setWidth] = createSignal(0);
  let box!: HTMLDivElement;
  onMount(() => {
    setWidth(box.clientWidth);
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  return (
    <div class="chart" ref={box} style={{ height: `${props.height}px` }}>
      <Show when={width() > 0}>
        <svg width={width()} height={props.height} role="img" aria-label={props.label}>{props.draw(width())}</svg>
      </Show>
    </div>
  );
}

/** A linear or logarithmic mapping from values to pixels. */
export function scale(from: number, to: number, a: number, b: number, log = false): (v: number) => number {
  const f = log ? Math.log2 : (v: number) => v;
  const [lo, hi] = [f(from), f(to)];
  return (v) => a + ((f(v) - lo) / (hi - lo || 1)) * (b - a);
}
