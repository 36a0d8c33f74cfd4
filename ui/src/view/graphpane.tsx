// A pane that draws a graph: one canvas under the pointer and the keyboard, with minimap, legend and note. Hands go
// to the camera (model/graph) and to the caller, pixels come from draw/draw; the pane knows neither layout nor
// analysis. The DAG pane and the grain pane are this with their own clicks and texts.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { panned, toSceneY, zoomedAt } from "../draw/camera";
import { drawScene, NOTHING_LIT, type Lit } from "../draw/draw";
import { hit } from "../draw/hit";
import { ofCamera } from "../draw/mapping";
import { boxOf, labelsOf, styleOf } from "../draw/marks";
import { placedNow } from "../draw/tween";
import { Surface } from "../draw/surface";
import { graphDepth } from "../commands";
import { toDepth } from "../model/actions";
import type { Graph } from "../model/graph";
import { setTip } from "../model/overlay";
import { ink, update } from "../page";
import type { Picture, Ref } from "../scene";
import { registerPane } from "../probe";
import type { Crumb } from "../protocol/Crumb";
import { Legend, NEEDS } from "./legend";
import { MinimapView } from "./minimap";
import { Busy } from "./states";

/** A mark under the pointer; `fromTop` is how far below its top, in scene units. */
export interface Touched {
  node: number;
  box: number;
  picture: Picture;
  fromTop: number;
}

export interface GraphPaneProps {
  graph: Graph;
  pane: number;
  grains: { lens: boolean } | null;
  /** A click on a mark, or on nothing; the second of two quick ones has `detail` 2. */
  onClick: (at: Touched | null, e: MouseEvent) => void;
  onDoubleClick?: (at: Touched) => void;
  /** What a click would do, for the tooltip. */
  detail: (at: Touched) => string | undefined;
  about: (node: number) => Promise<{ path: Crumb[] }>;
  summary: (picture: Picture | null) => string;
  waiting: JSX.Element;
  shapes: [string, string][];
  foot: (picture: Picture) => JSX.Element;
}

export function GraphPane(props: GraphPaneProps): JSX.Element {
  const graph = () => props.graph;
  const [hovered, setHovered] = createSignal(-1);
  const [dragging, setDragging] = createSignal(false);
  const [size, setSize] = createSignal({ w: 0, h: 0 });
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const activate = () => update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "");

  onMount(() => {
    surface = new Surface(
      canvas,
      (ctx, w, h) => {
        const g = graph();
        const picture = g.picture();
        if (!picture) return false;
        g.size.w = w;
        g.size.h = h;
        const tween = g.tween();
        drawScene(ctx, {
          scene: picture, tween, now: performance.now(), cameras: [ofCamera(g.camera(), { w, h })], size: { w, h }, ink: ink(), lit: lit(picture),
          hovered: hovered() < 0 ? null : { kind: "boxes", index: hovered() },
        });
        return tween !== null;
      },
      (w, h) => {
        graph().size.w = w;
        graph().size.h = h;
        setSize({ w, h });
      },
    );
    const unregister = registerPane({ run: graph().run, view: graph().view, rect: onWindow });
    onCleanup(() => {
      unregister();
      surface?.destroy();
      setTip(null);
    });
  });
  /** The selection; when it is folded away, the nearest of its ancestors on the screen stands in. */
  function lit(p: Picture): Lit {
    const node = graph().selected();
    const ref = (i: number): Ref[] => (i < 0 ? [] : [{ kind: "boxes", index: i }]);
    const selected = node === null ? [] : ref(boxOf(p, node));
    const standIn = node === null || selected.length > 0 ? [] : ref(ancestors().map((n) => boxOf(p, n)).filter((i) => i >= 0).at(-1) ?? -1);
    return { ...NOTHING_LIT, selected, standIn };
  }
  /** Where a node is drawn, in pixels of the window. */
  function onWindow(node: number) {
    const p = graph().picture();
    const i = p ? boxOf(p, node) : -1;
    if (!p || i < 0) return null;
    const at = placedNow(p, graph().tween(), performance.now());
    const c = graph().camera();
    const box = canvas.getBoundingClientRect();
    return {
      x: box.left + (at.x[i]! - c.x) * c.k + box.width / 2, y: box.top + (at.y[i]! - c.y) * c.k + box.height / 2,
      width: at.w[i]! * c.k, height: at.h[i]! * c.k,
    };
  }

  const [ancestors, setAncestors] = createSignal<number[]>([]);
  const selected = createMemo(() => graph().selected());
  createEffect(() => {
    const node = selected();
    setAncestors([]);
    if (node !== null) props.about(node).then((info) => node === selected() && setAncestors(info.path.map((c) => c.node)), () => {});
  });
  createEffect(() => {
    ancestors();
    graph().version();
    graph().camera();
    void props.grains;
    ink();
    hovered();
    selected();
    surface?.invalidate();
  });
  // A picture may have changed under the pointer.
  createEffect(() => {
    graph().version();
    setHovered(-1);
    setTip(null);
  });

  const local = (e: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  const under = (e: MouseEvent): Touched | null => {
    const picture = graph().picture();
    if (!picture) return null;
    const [x, y] = local(e);
    const c = graph().camera();
    const found = hit(picture, [ofCamera(c, graph().size)], graph().size, x, y);
    if (!found || found.kind !== "boxes") return null;
    const box = found.index;
    return { node: found.node, box, picture, fromTop: toSceneY(c, graph().size, y) - picture.boxes.y[box]! };
  };

  let from: { x: number; y: number; moved: boolean } | null = null;
  const down = (e: PointerEvent): void => {
    activate();
    if (e.button > 1) return;
    from = { x: e.clientX, y: e.clientY, moved: false };
    canvas.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent): void => {
    if (from) {
      const [dx, dy] = [e.clientX - from.x, e.clientY - from.y];
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      from = { x: e.clientX, y: e.clientY, moved: true };
      setDragging(true);
      setTip(null);
      graph().move(panned(graph().camera(), dx, dy));
      return;
    }
    const at = under(e);
    if ((at?.box ?? -1) !== hovered()) {
      setHovered(at?.box ?? -1);
      // Envelopes fill most of the screen: their tooltip would be in the way.
      if (!at || styleOf(at.picture, at.picture.boxes.style[at.box]!).shape === "envelope") return void setTip(null);
      showTip(at, e);
    } else setTip((t) => (t ? { ...t, x: e.clientX, y: e.clientY } : t));
  };
  const showTip = (at: Touched, e: MouseEvent): void => {
    const labels = labelsOf(at.picture, at.box);
    const style = styleOf(at.picture, at.picture.boxes.style[at.box]!);
    const kind = style.meaning.split(",")[0]!.replace(/^closed /, "");
    // Of several siblings in one mark, the mark itself knows how many there are and what they hold.
    const own = props.grains !== null && (style.sheets > 0 || style.press === "spread");
    setTip({ run: graph().run, view: graph().view, node: at.node, kind, title: own ? labels.join(" · ") : (labels[0] ?? ""), own, detail: props.detail(at), x: e.clientX, y: e.clientY });
    if (!own) void props.about(at.node).catch(() => {});
  };
  const up = (e: PointerEvent): void => {
    const was = from;
    from = null;
    setDragging(false);
    if (was && !was.moved && e.button === 0) pending = true;
  };
  // A click comes after the pointer is up and counts how many there were; one that ends a drag is none.
  let pending = false;
  const click = (e: MouseEvent): void => {
    if (!pending) return;
    pending = false;
    props.onClick(under(e), e);
  };
  const doubleClick = (e: MouseEvent): void => {
    const at = under(e);
    if (at) props.onDoubleClick?.(at);
  };
  const wheel = (e: WheelEvent): void => {
    e.preventDefault();
    const [x, y] = local(e);
    const lines = e.deltaMode === 1 ? 16 : 1;
    if (e.shiftKey && e.deltaY !== 0 && !e.ctrlKey) return graph().move(panned(graph().camera(), -e.deltaY * lines, 0));
    graph().move(zoomedAt(graph().camera(), graph().size, x, y, Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.0016))));
  };
  onMount(() => canvas.addEventListener("wheel", wheel, { passive: false }));

  return (
    <div class="plot">
      <canvas
        ref={canvas} class="fill" classList={{ grabbing: dragging(), pointing: props.grains !== null && hovered() >= 0 }} tabindex="0" role="img" aria-label={props.summary(graph().picture())}
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => (from = null)} onClick={click} onDblClick={doubleClick}
        onPointerLeave={() => {
          setHovered(-1);
          setTip(null);
        }}
      />
      <Show when={!graph().picture()}>{props.waiting}</Show>
      <Show when={graph().picture()} keyed>
        {(p) => (
          <>
            <MinimapView picture={p} graph={graph()} size={size()} />
            <div class="plot-foot">
              <Legend items={p.legend} shapes={props.shapes} first={p.styles.some((style) => style.arrow) ? [NEEDS] : undefined} />
              <span class="spacer" />
              <Show when={!props.grains && p.note}>{(note) => <span class="note" title={note()}>{note()}</span>}</Show>
              <Busy since={graph().busySince()} />
              {props.foot(p)}
              <Show when={!props.grains}><DepthChoice run={graph().run} pane={props.pane} /></Show>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}

/** Opens everything down to a depth. */
export function DepthChoice(props: { run: number; pane: number }): JSX.Element {
  const depths = () => Math.min(graphDepth(props.run), 64);
  return (
    <label class="choice small" title="Open everything down to a depth">
      <span class="choice-label">depth</span>
      <select
        aria-label="Open to depth" value=""
        onChange={(e) => {
          update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "");
          if (e.currentTarget.value !== "") toDepth(Number(e.currentTarget.value));
          e.currentTarget.value = "";
          e.currentTarget.blur();
        }}
      >
        <option value="">…</option>
        {Array.from({ length: depths() + 1 }, (_, d) => <option value={d}>{d}</option>)}
      </select>
    </label>
  );
}
