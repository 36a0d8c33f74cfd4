// The minimap of a graph: the whole picture small, a frame around what is on the screen, click or drag to go
// there. Hidden while everything fits anyway.

import { createEffect, createMemo, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { home, rootX } from "../draw/camera";
import { drawMinimap } from "../draw/minimap";
import { Surface } from "../draw/surface";
import type { Graph } from "../model/graph";
import type { Scene } from "../scene";

export function MinimapView(props: { scene: Scene; graph: Graph }): JSX.Element {
  const { store } = useBench();
  const size = () => props.graph.size();
  const most = createMemo(() => ({ w: Math.min(200, size().w / 4), h: Math.min(160, size().h / 3) }));
  const map = createMemo(() => drawMinimap(props.scene, store.ink(), most()));
  const needed = createMemo(() => {
    const { k } = props.graph.camera();
    const over = props.scene.width * k > size().w + 8 || props.scene.height * k > size().h + 8;
    return size().w > 320 && size().h > 240 && over;
  });
  return (
    <Show when={needed()}>
      <Map scene={props.scene} map={map()} graph={props.graph} />
    </Show>
  );
}

/** The corners in the order in which they are taken. */
const CORNERS = ["bottom right", "top right", "bottom left", "top left"] as const;

/** The corner in which the fewest marks lie where a picture opens; it stays there, wherever one goes. */
function freeCorner(
  scene: Scene,
  size: { w: number; h: number },
  map: { w: number; h: number },
): (typeof CORNERS)[number] {
  const b = scene.boxes;
  const c = home({ w: scene.width, h: scene.height }, size, rootX(scene));
  const covered = CORNERS.map(() => 0);
  const [w, h] = [map.w + 24, map.h + 24];
  for (let i = 0; i < b.n; i++) {
    const style = scene.styles[b.style[i]!]!;
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

function Map(props: { scene: Scene; map: ReturnType<typeof drawMinimap>; graph: Graph }): JSX.Element {
  const { store } = useBench();
  const size = () => props.graph.size();
  const corner = createMemo(() => freeCorner(props.scene, size(), props.map));
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  function paint(ctx: CanvasRenderingContext2D, w: number, h: number): void {
    const { image, k } = props.map;
    const c = props.graph.camera();
    ctx.drawImage(image, 0, 0, w, h);
    const [x, y] = [(c.x - size().w / 2 / c.k) * k, (c.y - size().h / 2 / c.k) * k];
    const [fw, fh] = [(size().w / c.k) * k, (size().h / c.k) * k];
    ctx.fillStyle = ctx.strokeStyle = store.ink().accent;
    ctx.globalAlpha = 0.12;
    ctx.fillRect(x, y, fw, fh);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(x, y, Math.max(3, fw), Math.max(3, fh));
  }
  onMount(() => {
    surface = new Surface(canvas, paint);
    onCleanup(() => surface?.destroy());
  });
  createEffect(() => {
    props.graph.camera();
    void props.map;
    surface?.invalidate();
  });
  const go = (e: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    props.graph.move({
      ...props.graph.camera(),
      x: (e.clientX - box.left) / props.map.k,
      y: (e.clientY - box.top) / props.map.k,
    });
  };
  return (
    <canvas
      ref={canvas}
      class={`minimap ${corner()}`}
      style={{ width: `${props.map.w}px`, height: `${props.map.h}px` }}
      role="img"
      aria-label="Minimap of the whole graph"
      onPointerDown={(e) => {
        canvas.setPointerCapture(e.pointerId);
        go(e);
      }}
      onPointerMove={(e) => e.buttons === 1 && go(e)}
    />
  );
}
