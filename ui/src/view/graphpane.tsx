// A pane that draws a graph: one canvas under the pointer and the keyboard, with minimap, legend and note.
// Hands go to the camera (model/graph) and to acts, pixels come from draw; the pane knows neither layout nor
// analysis.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { panned, zoomedAt } from "../draw/camera";
import { drawScene } from "../draw/draw";
import { hit, type Hit } from "../draw/hit";
import { boxOf, rectOnScreen } from "../draw/marks";
import { ofCamera, type Mapping } from "../draw/mapping";
import { Surface } from "../draw/surface";
import { separated } from "../format";
import { createGraph } from "../model/graph";
import { bestOf, createMeaning, litIn, ownLit } from "../model/light";
import { marksIn } from "../model/marks";
import { selectionOf, wordsOf } from "../model/pick";
import { textOf } from "../selection";
import { Legend } from "./legend";
import { MinimapView } from "./minimap";
import { Slow } from "./slow";
import { Busy, Waiting } from "./states";
import { NONE } from "../scene";
import type { Control, Rect } from "../model/controls";
import type { View } from "../protocol/View";

/** Pixels that the pointer may move in a click. */
const STILL = 4;

export function GraphPane(props: { pane: number; view: View }): JSX.Element {
  const { store, controls, hands, trees } = useBench();
  const graph = createGraph({ store, controls }, () => props.pane, props.view);
  const [hovered, setHovered] = createSignal<Hit | null>(null, {
    equals: (a, b) => a?.kind === b?.kind && a?.index === b?.index,
  });
  const [dragging, setDragging] = createSignal(false);
  const [frame, setFrame] = createSignal<Rect | null>(null);
  const meaning = createMeaning(store, graph.look);
  const lit = createMemo(() => {
    const scene = graph.scene();
    if (!scene) return null;
    const meant = meaning();
    const found = meant
      ? bestOf(meant.answer, meant.of, graph.trees())
      : ownLit(store.state().selected, graph.run(), graph.trees());
    return litIn(scene, found, true);
  });
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const cameras = (): Mapping[] =>
    (graph.scene()?.plots ?? []).map(() => ofCamera(graph.camera(), graph.size()));

  function paint(ctx: CanvasRenderingContext2D, w: number, h: number): boolean {
    const [scene, now] = [graph.scene(), lit()];
    if (!scene || !now) return false;
    const tween = graph.tween();
    drawScene(ctx, {
      scene,
      tween,
      now: performance.now(),
      cameras: cameras(),
      size: { w, h },
      ink: store.ink(),
      lit: now,
      hovered: hovered(),
    });
    const f = frame();
    if (f) {
      ctx.strokeStyle = store.ink().accent;
      ctx.setLineDash([4, 3]);
      ctx.strokeRect(f.x, f.y, f.width, f.height);
      ctx.setLineDash([]);
    }
    return tween !== null;
  }

  /** Where a node is drawn, in pixels of the window. */
  function rect(node: number, tree = 0): Rect | null {
    const scene = graph.scene();
    const box = scene ? boxOf(scene, node, tree) : -1;
    if (!scene || box < 0) return null;
    const at = rectOnScreen(scene, cameras(), { kind: "boxes", index: box });
    const outer = canvas.getBoundingClientRect();
    return { x: outer.left + at.x, y: outer.top + at.y, width: at.w, height: at.h };
  }
  const control: Control = {
    look: graph.look,
    act: graph.act,
    settled: graph.settled,
    zoom: graph.zoom,
    pan: graph.pan,
    fit: graph.fit,
    press: graph.press,
    first: graph.first,
    extent: graph.extent,
    rect,
    reveal: (of) => graph.act({ name: "reveal", on: of, numbers: [] }),
    marks: () => {
      const scene = graph.scene();
      return scene ? marksIn(scene, rect) : [];
    },
    stats: () => ({
      boxes: graph.scene()?.boxes.n ?? 0,
      links: graph.scene()?.links.n ?? 0,
      visible: graph.answer()?.visible ?? 0,
      serverMs: graph.answer()?.ms ?? 0,
    }),
  };
  onMount(() => {
    surface = new Surface(canvas, paint, (w, h) => graph.setSize({ w, h }));
    canvas.addEventListener("wheel", wheel, { passive: false });
    const unregister = controls.register(props.pane, control);
    onCleanup(() => {
      unregister();
      surface?.destroy();
      store.setTip(null);
    });
  });
  createEffect(() => {
    graph.version();
    graph.camera();
    lit();
    store.ink();
    hovered();
    frame();
    surface?.invalidate();
  });
  // A picture may have changed under the pointer.
  createEffect(() => {
    graph.version();
    setHovered(null);
    store.setTip(null);
  });

  const local = (e: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  const under = (e: MouseEvent): Hit | null => {
    const scene = graph.scene();
    return scene ? hit(scene, cameras(), graph.size(), ...local(e)) : null;
  };
  const standsFor = (at: Hit | null) => (at ? selectionOf(at, graph.run(), graph.trees()) : null);

  let from: { x: number; y: number; start: [number, number]; moved: boolean; frame: boolean } | null = null;
  const down = (e: PointerEvent): void => {
    if (e.button > 1) return;
    from = { x: e.clientX, y: e.clientY, start: local(e), moved: false, frame: e.shiftKey };
    canvas.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent): void => {
    if (!from) return hover(e);
    const [dx, dy] = [e.clientX - from.x, e.clientY - from.y];
    if (!from.moved && Math.hypot(dx, dy) < STILL) return;
    from.moved = true;
    setDragging(true);
    store.setTip(null);
    if (from.frame) {
      const [x, y] = local(e);
      const [x0, y0] = from.start;
      setFrame({ x: Math.min(x, x0), y: Math.min(y, y0), width: Math.abs(x - x0), height: Math.abs(y - y0) });
      return;
    }
    from.x = e.clientX;
    from.y = e.clientY;
    graph.move(panned(graph.camera(), dx, dy));
  };
  const hover = (e: PointerEvent): void => {
    const at = under(e);
    const same = at?.kind === hovered()?.kind && at?.index === hovered()?.index;
    if (same) return void store.setTip((t) => (t ? { ...t, x: e.clientX, y: e.clientY } : t));
    setHovered(at);
    const scene = graph.scene();
    // Frames around others fill most of the screen: their tooltip would be in the way.
    if (!at || !scene || scene.styles[at.style]?.shape === "envelope") return void store.setTip(null);
    const words = wordsOf(scene, at);
    const press = scene.styles[at.style]!.press;
    const detail =
      press === "open" ? "double click opens" : press === "spread" ? "double click unfolds" : undefined;
    store.setTip({
      selection: standsFor(at),
      title: words.title,
      own: press === "spread",
      detail: words.meaning === words.title ? detail : (detail ?? words.meaning),
      x: e.clientX,
      y: e.clientY,
    });
  };
  // A click comes after the pointer is up; one that ends a drag is none.
  let pending = false;
  const up = (e: PointerEvent): void => {
    const was = from;
    const chosen = frame();
    from = null;
    setDragging(false);
    setFrame(null);
    if (chosen) return selectIn(chosen);
    pending = was !== null && !was.moved && e.button === 0;
  };
  /** Selects the nodes of the first tree whose boxes lie in a frame. */
  const selectIn = (f: Rect): void => {
    const scene = graph.scene();
    const tree = graph.trees()[0];
    if (!scene || tree === undefined) return;
    const nodes: number[] = [];
    for (let i = 0; i < scene.boxes.n; i++) {
      if (
        scene.boxes.tree[i] !== 0 ||
        scene.boxes.node[i] === NONE ||
        !scene.styles[scene.boxes.style[i]!]!.hit
      )
        continue;
      const r = rectOnScreen(scene, cameras(), { kind: "boxes", index: i });
      if (r.x >= f.x && r.y >= f.y && r.x + r.w <= f.x + f.width && r.y + r.h <= f.y + f.height)
        nodes.push(scene.boxes.node[i]!);
    }
    store.select(nodes.length > 0 ? { run: graph.run(), tree, nodes: textOf(nodes) } : null);
  };
  const click = (e: MouseEvent): void => {
    if (!pending) return;
    pending = false;
    const at = under(e);
    const of = standsFor(at);
    const style = at && graph.scene()?.styles[at.style];
    store.select(of);
    if (!of || !style) return;
    // Signs are only there to be pressed.
    if (style.live && style.press !== "none") void graph.act({ name: style.press, on: of, numbers: [] });
    else if (e.shiftKey) hands.below(of);
  };
  const doubleClick = (e: MouseEvent): void => {
    const at = under(e);
    const of = standsFor(at);
    const style = at && graph.scene()?.styles[at.style];
    if (of && style && !style.live && style.press !== "none")
      void graph.act({ name: style.press, on: of, numbers: [] });
  };
  const wheel = (e: WheelEvent): void => {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 16 : 1;
    if (e.shiftKey && e.deltaY !== 0 && !e.ctrlKey)
      return graph.move(panned(graph.camera(), -e.deltaY * lines, 0));
    const factor = Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.0016));
    graph.move(zoomedAt(graph.camera(), graph.size(), ...local(e), factor));
  };

  const shownOf = (): string => {
    const nodes = trees.answer(graph.run(), graph.trees()[0] ?? "")?.nodes;
    return `${separated(graph.answer()?.visible ?? 0)}${nodes === undefined ? "" : ` of ${separated(nodes)}`} shown`;
  };
  const summary = () =>
    graph.scene()
      ? `${props.view.title}, ${shownOf()}. Shift+T shows it as a table.`
      : `${props.view.title}, loading`;
  return (
    <div class="plot">
      <canvas
        ref={canvas}
        class="fill"
        classList={{ grabbing: dragging(), pointing: hovered() !== null }}
        tabindex="0"
        role="img"
        aria-label={summary()}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onClick={click}
        onDblClick={doubleClick}
        onPointerCancel={() => {
          from = null;
          setFrame(null);
        }}
        onPointerLeave={() => {
          setHovered(null);
          store.setTip(null);
        }}
      />
      <Slow view={props.view} answers={graph.answers} />
      <Show when={(!graph.scene() && !props.view.slow) || graph.answers.error()}>
        <Waiting what={props.view.title} error={graph.answers.error()} />
      </Show>
      <Show when={graph.scene()} keyed>
        {(scene) => <MinimapView scene={scene} graph={graph} />}
      </Show>
      <div class="plot-foot">
        <Show when={graph.scene()} keyed>
          {(scene) => (
            <>
              <Legend scene={scene} />
              <Show when={scene.note}>
                {(note) => (
                  <span class="note" title={note()}>
                    {note()}
                  </span>
                )}
              </Show>
              <Busy since={graph.busySince()} />
              <span class="quiet num">{shownOf()}</span>
            </>
          )}
        </Show>
      </div>
    </div>
  );
}
