// Beside a line of source code: its work, solid in the colour of the line; its lost time, hatched by cause; the number of
// the finding. Drawn as the marks of pictures are.

import { createEffect, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawBar } from "../draw/swatch";
import type { Bar } from "../protocol/Bar";

const WIDTH = 46;
const HEIGHT = 10;
/** What is there at all is seen. */
const LEAST = 2;

export function Gutter(props: { bars: readonly Bar[] }): JSX.Element {
  const says = () => props.bars.map((bar) => bar.text).join("; ");
  const number = () => props.bars.find((bar) => bar.number !== null)?.number ?? null;
  return (
    <span class="gutter" title={says() || undefined}>
      <Show when={props.bars.length > 0}>
        <Bars bars={props.bars} says={says()} />
      </Show>
      <Show when={number()}>{(n) => <span class="gutter-number">{n()}</span>}</Show>
    </span>
  );
}

/** All bars of a line, one behind the other. */
function Bars(props: { bars: readonly Bar[]; says: string }): JSX.Element {
  const { store } = useBench();
  let canvas!: HTMLCanvasElement;
  createEffect(() => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(WIDTH * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const ctx = canvas.getContext("2d")!;
    ctx.scale(ratio, ratio);
    let x = 0;
    for (const bar of props.bars) {
      const w = Math.max(LEAST, WIDTH * bar.share);
      drawBar(ctx, bar, store.ink(), { x, y: 0, w, h: HEIGHT });
      x += w;
    }
  });
  return (
    <canvas
      ref={canvas}
      style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }}
      role="img"
      aria-label={props.says}
    />
  );
}
