// Who handed control to whom: a workers × workers matrix of transfers along one kind of edge, darker for more. The
// diagonal (the same worker) is outlined and does not set the scale, since it would hide everything else.

import { createMemo, createSignal, For, onCleanup, onMount, createEffect, Show, type JSX } from "solid-js";
import { Surface } from "../../draw/surface";
import { heat } from "../../draw/heat";
import { textOn } from "../../draw/ink";
import { separated, short } from "../../format";
import { ink, theme } from "../../page";
import type { Migration } from "../../protocol/Migration";
import type { WorkerRow } from "../../protocol/WorkerRow";

export function MigrationChart(props: { migrations: Migration[]; workers: WorkerRow[] }): JSX.Element {
  const [edge, setEdge] = createSignal(0);
  const [at, setAt] = createSignal<{ from: number; to: number } | null>(null);
  const n = () => props.workers.length;
  const counts = createMemo(() => {
    const chosen = edge() < 0 ? props.migrations : props.migrations.slice(edge(), edge() + 1);
    const sum = new Float64Array(n() * n());
    for (const m of chosen) m.count.forEach((v, i) => (sum[i] = (sum[i] ?? 0) + v));
    return sum;
  });
  const most = createMemo(() => counts().reduce((a, v, i) => (Math.floor(i / n()) === i % n() ? a : Math.max(a, v)), 0));
  const moved = createMemo(() => counts().reduce((a, v, i) => (Math.floor(i / n()) === i % n() ? a : a + v), 0));
  const all = createMemo(() => counts().reduce((a, v) => a + v, 0));
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;
  const cell = (w: number, h: number) => Math.min(44, (Math.min(w, h) - 2) / Math.max(1, n()));
  onMount(() => {
    surface = new Surface(canvas, (ctx, w, h) => {
      const c = cell(w, h);
      const gap = c > 5 ? 1 : 0;
      for (let i = 0; i < counts().length; i++) {
        const [from, to] = [Math.floor(i / n()), i % n()];
        const v = counts()[i]!;
        if (from === to) {
          ctx.fillStyle = ink().grid;
          ctx.fillRect(to * c, from * c, c - gap, c - gap);
          continue;
        }
        const colour = v > 0 ? heat(Math.log1p(v) / Math.log1p(Math.max(1, most())), theme()) : ink().raised;
        ctx.fillStyle = colour;
        ctx.fillRect(to * c, from * c, c - gap, c - gap);
        if (c < 36 || v === 0) continue;
        ctx.font = `11px ${ink().font}`;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.fillStyle = textOn(colour);
        ctx.fillText(short(v), (to + 0.5) * c, (from + 0.5) * c);
      }
      const mark = at();
      if (mark) {
        ctx.strokeStyle = ink().accent;
        ctx.lineWidth = 2;
        ctx.strokeRect(mark.to * c, mark.from * c, c - gap, c - gap);
      }
    });
    onCleanup(() => surface?.destroy());
  });
  createEffect(() => {
    counts();
    at();
    ink();
    surface?.invalidate();
  });
  const point = (e: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    const c = cell(box.width, box.height);
    const [to, from] = [Math.floor((e.clientX - box.left) / c), Math.floor((e.clientY - box.top) / c)];
    setAt(to >= 0 && to < n() && from >= 0 && from < n() ? { from, to } : null);
  };
  const said = () => {
    const mark = at();
    if (!mark) return `${separated(moved())} of ${separated(all())} transfers went to another worker`;
    return `${props.workers[mark.from]!.name} → ${props.workers[mark.to]!.name}: ${separated(counts()[mark.from * n() + mark.to]!)}`;
  };
  return (
    <>
      <h2>
        Migrations
        <span class="spacer" />
        <select aria-label="Kind of edge" onChange={(e) => setEdge(Number(e.currentTarget.value))}>
          <For each={props.migrations}>{(m, i) => <option value={i()}>{m.edge}</option>}</For>
          <Show when={props.migrations.length > 1}><option value={-1}>all edges</option></Show>
        </select>
      </h2>
      <div class="matrix-axes quiet"><span>from ↓</span><span>to →</span></div>
      <canvas ref={canvas} class="matrix" role="img" aria-label={`Transfers between ${n()} workers. ${said()}`} onPointerMove={point} onPointerLeave={() => setAt(null)} />
      <p class="quiet num">{said()}</p>
    </>
  );
}
