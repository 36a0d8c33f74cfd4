// The minimap of a graph pane: the whole picture small, a frame around what is on the screen, click or drag to go
// there. Hidden while everything fits anyway.

import { createEffect, createMemo, onMount, onCleanup, Show, type JSX } from "solid-js";
import { drawMinimap } from "../draw/minimap";
import { Surface } from "../draw/surface";
import { home, rootX, type Size } from "../draw/camera";
import type { Graph } from "../model/graph";
import { ink } from "../page";
import { styleOf } from "../draw/marks";
import type { Picture } from "../scene";

export function MinimapView(props: { picture: Picture; graph: Graph; size: Size }): JSX.Element {
  const most = createMemo(() => ({ w: Math.min(200, props.size.w / 4), h: Math.min(160, props.size.h / 3) }));
  const map = createMemo(() => drawMinimap(props.picture, ink(), most()));
  const needed = createMemo(() => {
    const c = props.graph.camera();
    const { width, height } = props.picture;
    return props.size.w > 320 && props.size.h > 240 && (width * c.k > props.size.w + 8 || height * c.k > props.size.h + 8);
  });
  return (
    <Show when={needed()}>
      <Map picture={props.picture} map={map()} graph={props.graph} size={props.size} />
    </Show>
  );
}

/** The corners in the order in which they are taken. */
const CORNERS = ["bottom right", "top right", "bottom left", "top left"] as const;

/** The corner in which the fewest marks lie where a picture opens; it stays there, wherever one goes. */
function freeCorner(picture: Picture, size: Size, map: { w: number; h: number }): (typeof CORNERS)[number] {
  const b = picture.boxes;
  const c = home({ w: picture.width, h: picture.height }, size, rootX(picture));
  const covered = CORNERS.map(() => 0);
  const [w, h] = [map.w + 24, map.h + 24];
  for (let i = 0; i < b.n; i++) {
    const style = styleOf(picture, b.style[i]!);
    if (style.shape === "envelope" || style.moves) continue;
    const [x, y] = [(b.x[i]! - c.x) * c.k + size.w / 2, (b.y[i]! - c.y) * c.k + size.h / 2];
    const [right, bottom] = [x + b.w[i]! * c.k, y + b.h[i]! * c.k];
    if (right < 0 || bottom < 0 || x > size.w || y > size.h) continue;
    CORNERS.forEach((corner, at) => {
      const across = corner.endsWith("right") ? right > size.w - w : x < w;
      const down = corner.startsWith("bottom") ? bottom > size.h - h : y < h;
      if (across && down) covered[at]!++;
    });
  }
  return CORNERS[covered.indexOf(Math.min(...covered))]!;
}

function Map(props: { picture: Picture; map: ReturnType<typeof drawMinimap>; graph: Graph; size: Size }): JSX.Element {
  const corner = createMemo(() => freeCorner(props.picture, props.size, props.map));
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  onMount(() => {
    surface = new Surface(canvas, (ctx, w, h) => {
      const m = props.map;
      const c = props.graph.camera();
      ctx.drawImage(m.image, 0, 0, w, h);
      const x = (c.x - props.size.w / 2 / c.k) * m.k;
      const y = (c.y - props.size.h / 2 / c.k) * m.k;
      const [fw, fh] = [(props.size.w / c.k) * m.k, (props.size.h / c.k) * m.k];
      ctx.fillStyle = ink().accent;
      ctx.globalAlpha = 0.12;
      ctx.fillRect(x, y, fw, fh);
      ctx.globalAlpha = 1;
      ctx.strokeStyle = ink().accent;
      ctx.lineWidth = 1.5;
      ctx.strokeRect(x, y, Math.max(3, fw), Math.max(3, fh));
    });
    onCleanup(() => surface?.destroy());
  });
  createEffect(() => {
    props.graph.camera();
    void props.map;
    surface?.invalidate();
  });
  const go = (e: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    const c = props.graph.camera();
    props.graph.move({ ...c, x: (e.clientX - box.left) / props.map.k, y: (e.clientY - box.top) / props.map.k });
  };
  return (
    <canvas
      ref={canvas} class={`minimap ${corner()}`} style={{ width: `${props.map.w}px`, height: `${props.map.h}px` }} role="img" aria-label="Minimap of the whole graph"
      onPointerDown={(e) => {
        canvas.setPointerCapture(e.pointerId);
        go(e);
      }}
      onPointerMove={(e) => e.buttons === 1 && go(e)}
    />
  );
}
