// The DAG pane: one canvas under the pointer and the keyboard, with minimap, legend and note. Hands go to the
// camera and the cut (model/dag), pixels come from draw/dag; the pane itself knows neither layout nor analysis.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { panned, toSceneX, toSceneY, zoomedAt } from "../draw/camera";
import { drawDag, placedNow } from "../draw/dag";
import { boxOf, hit, marks } from "../draw/marks";
import { Surface } from "../draw/surface";
import { separated } from "../format";
import { openBelow, toDepth, toggle } from "../model/actions";
import { dagOf } from "../model/dag";
import { setTip } from "../model/overlay";
import { fetchNode, ink, runInfo, select, state, update } from "../page";
import { FLAG, SHAPE, SHAPE_NAMES } from "../scene";
import { registerPane } from "../probe";
import { withRun } from "../state";
import { Legend } from "./legend";
import { MinimapView } from "./minimap";
import { Busy, Waiting } from "./states";

export function DagPane(props: { run: number; pane: number }): JSX.Element {
  const dag = createMemo(() => dagOf(props.run));
  const [hovered, setHovered] = createSignal(-1);
  const [dragging, setDragging] = createSignal(false);
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const activate = () => update((s) => (s.active === props.pane ? s : { ...s, active: props.pane }), "");

  onMount(() => {
    surface = new Surface(
      canvas,
      (ctx, w, h) => {
        const d = dag();
        const picture = d.picture();
        if (!picture) return false;
        d.size.w = w;
        d.size.h = h;
        const tween = d.tween();
        drawDag(ctx, {
          picture, tween, now: performance.now(), camera: d.camera(), size: { w, h }, ink: ink(), selected: state().runs[props.run]!.selected, ancestors: ancestors(),
          hovered: hovered(),
        });
        return tween !== null;
      },
      (w, h) => {
        dag().size.w = w;
        dag().size.h = h;
        setSize({ w, h });
      },
    );
    const unregister = registerPane({
      run: props.run,
      rect: (node) => {
        const p = dag().picture();
        const i = p ? boxOf(p, node) : -1;
        if (!p || i < 0) return null;
        const at = placedNow(p, dag().tween(), performance.now());
        const c = dag().camera();
        const box = canvas.getBoundingClientRect();
        return {
          x: box.left + (at.x[i]! - c.x) * c.k + box.width / 2, y: box.top + (at.y[i]! - c.y) * c.k + box.height / 2,
          width: at.w[i]! * c.k, height: at.h[i]! * c.k,
        };
      },
    });
    onCleanup(() => {
      unregister();
      surface?.destroy();
      setTip(null);
    });
  });
  const [size, setSize] = createSignal({ w: 0, h: 0 });

  const [ancestors, setAncestors] = createSignal<number[]>([]);
  const selected = createMemo(() => state().runs[props.run]!.selected);
  createEffect(() => {
    const node = selected();
    setAncestors([]);
    if (node !== null) fetchNode(props.run, node).then((info) => node === selected() && setAncestors(info.path.map((c) => c.node)), () => {});
  });
  createEffect(() => {
    ancestors();
    dag().version();
    dag().camera();
    ink();
    hovered();
    selected();
    surface?.invalidate();
  });
  // A picture may have changed under the pointer.
  createEffect(() => {
    dag().version();
    setHovered(-1);
    setTip(null);
  });

  const local = (e: MouseEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  const under = (e: MouseEvent): number => {
    const p = dag().picture();
    if (!p) return -1;
    const [x, y] = local(e);
    const c = dag().camera();
    return hit(p, toSceneX(c, dag().size, x), toSceneY(c, dag().size, y), 2 / c.k);
  };

  let from: { x: number; y: number; moved: boolean } | null = null;
  let tipTimer: ReturnType<typeof setTimeout> | undefined;
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
      dag().move(panned(dag().camera(), dx, dy));
      return;
    }
    const i = under(e);
    if (i !== hovered()) {
      setHovered(i);
      clearTimeout(tipTimer);
      // Envelopes fill most of the screen: their tooltip would be in the way.
      const p = dag().picture();
      if (i < 0 || !p || p.boxes.shape[i] === SHAPE.envelope) return void setTip(null);
      showTip(i, e);
    } else setTip((t) => (t ? { ...t, x: e.clientX, y: e.clientY } : t));
  };
  const showTip = (i: number, e: MouseEvent): void => {
    const p = dag().picture()!;
    const node = p.boxes.node[i]!;
    const m = marks(p);
    const label = p.head.labels.find((_, j) => m.labelOwner[j] === i)?.text ?? "";
    const flags = p.boxes.flags[i]!;
    const kind = SHAPE_NAMES[p.boxes.shape[i]!] ?? "";
    const detail = flags & FLAG.collapsed ? "collapsed while recording" : p.boxes.shape[i] === SHAPE.repeat ? "alike siblings: double click shows some of them" : flags & FLAG.closed ? "double click opens" : undefined;
    setTip({ run: props.run, node, kind, title: label, detail, x: e.clientX, y: e.clientY });
    void fetchNode(props.run, node).catch(() => {});
  };
  const up = (e: PointerEvent): void => {
    const was = from;
    from = null;
    setDragging(false);
    if (!was || was.moved || e.button !== 0) return;
    const i = under(e);
    const p = dag().picture();
    const node = i >= 0 && p ? p.boxes.node[i]! : null;
    select(props.run, node);
    if (node !== null && e.shiftKey) openBelow(props.run, node);
  };
  const doubleClick = (e: MouseEvent): void => {
    const i = under(e);
    const p = dag().picture();
    if (i >= 0 && p) toggle(props.run, p.boxes.node[i]!, i);
  };
  const wheel = (e: WheelEvent): void => {
    e.preventDefault();
    const [x, y] = local(e);
    const lines = e.deltaMode === 1 ? 16 : 1;
    if (e.shiftKey && e.deltaY !== 0 && !e.ctrlKey) return dag().move(panned(dag().camera(), -e.deltaY * lines, 0));
    dag().move(zoomedAt(dag().camera(), dag().size, x, y, Math.exp(-e.deltaY * lines * (e.ctrlKey ? 0.01 : 0.0016))));
  };
  onMount(() => canvas.addEventListener("wheel", wheel, { passive: false }));

  const depths = () => Math.min(runInfo(props.run)?.depth ?? 0, 64);
  const summary = () => {
    const p = dag().picture();
    return p ? `Task DAG, ${separated(p.visible)} visible nodes. Its table form is view 4.` : "Task DAG, loading";
  };
  return (
    <div class="plot">
      <canvas
        ref={canvas} class="fill" classList={{ grabbing: dragging() }} tabindex="0" role="img" aria-label={summary()}
        onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={() => (from = null)} onDblClick={doubleClick}
        onPointerLeave={() => {
          setHovered(-1);
          setTip(null);
        }}
      />
      <Show when={!dag().picture()}>
        <Waiting what="DAG" error={dag().error()} next={{ title: "Show the cut that the run opens with", run: () => update((s) => withRun(s, props.run, { cut: "", camera: null }), "cut") }} />
      </Show>
      <Show when={dag().picture()} keyed>
        {(p) => (
          <>
            <MinimapView picture={p} dag={dag()} size={size()} />
            <div class="plot-foot">
              <Legend items={p.head.legend} shapes />
              <span class="spacer" />
              <Show when={p.head.note}>{(note) => <span class="note" title={note()}>{note()}</span>}</Show>
              <Busy since={dag().busySince()} />
              <span class="quiet num">{separated(p.visible)} nodes shown</span>
              <label class="choice small" title="Open everything down to a depth">
                <span class="choice-label">depth</span>
                <select
                  aria-label="Open to depth" value=""
                  onChange={(e) => {
                    activate();
                    if (e.currentTarget.value !== "") toDepth(Number(e.currentTarget.value));
                    e.currentTarget.value = "";
                    e.currentTarget.blur();
                  }}
                >
                  <option value="">…</option>
                  {Array.from({ length: depths() + 1 }, (_, d) => <option value={d}>{d}</option>)}
                </select>
              </label>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}
