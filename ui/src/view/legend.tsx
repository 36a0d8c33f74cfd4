// What colours and forms say, in one line: swatches drawn as the marks are. Those that do not fit are counted
// and named on hover.

import { createEffect, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawSwatch } from "../draw/swatch";
import type { Scene } from "../scene";
import type { LegendItem } from "../protocol/LegendItem";

const HEIGHT = 12;
/** Room for a text by an estimate, so that nothing has to be measured. */
const LETTER = 6.6;
const widthOf = (item: LegendItem): number => (item.steps > 1 ? 64 : item.style !== null ? 18 : HEIGHT);
const roomOf = (item: LegendItem): number =>
  widthOf(item) + 18 + LETTER * (item.text.length + (item.ends?.join("").length ?? 0));

export function Legend(props: { scene: Scene }): JSX.Element {
  const [room, setRoom] = createSignal(400);
  let line!: HTMLDivElement;
  onMount(() => {
    const observer = new ResizeObserver(() => setRoom(line.clientWidth));
    observer.observe(line);
    onCleanup(() => observer.disconnect());
  });
  const shown = (): number => {
    let left = room() - 64;
    const { legend } = props.scene;
    const all = legend.reduce((sum, item) => sum + roomOf(item), 0);
    if (all <= room()) return legend.length;
    let n = 0;
    while (n < legend.length && left > roomOf(legend[n]!)) left -= roomOf(legend[n++]!);
    return n;
  };
  const rest = () => props.scene.legend.slice(shown());
  return (
    <div class="legend" ref={line}>
      <For each={props.scene.legend.slice(0, shown())}>
        {(item) => (
          <span class="legend-item">
            <Swatch scene={props.scene} item={item} />
            <Show when={item.ends} fallback={item.text}>
              {(ends) => (
                <>
                  {item.text} {ends()[0]} … {ends()[1]}
                </>
              )}
            </Show>
          </span>
        )}
      </For>
      <Show when={rest().length > 0}>
        <span
          class="quiet"
          title={rest()
            .map((item) => item.text)
            .join("\n")}
        >
          +{rest().length} more
        </span>
      </Show>
    </div>
  );
}

function Swatch(props: { scene: Scene; item: LegendItem }): JSX.Element {
  const { store } = useBench();
  let canvas!: HTMLCanvasElement;
  createEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    const w = widthOf(props.item);
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const ctx = canvas.getContext("2d")!;
    ctx.scale(ratio, ratio);
    drawSwatch(ctx, props.scene, props.item, store.ink(), { x: 0, y: 0, w, h: HEIGHT });
  });
  return (
    <canvas
      ref={canvas}
      class="swatch"
      style={{ width: `${widthOf(props.item)}px`, height: `${HEIGHT}px` }}
      aria-hidden="true"
    />
  );
}
