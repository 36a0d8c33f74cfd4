// A small picture in a sheet: asks for its own look when it comes into sight, at the width that the sheet
// has. A slow one has a button, progress and a way to give it up. Hovering tells, a click selects.

import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { drawScene, NOTHING_LIT } from "../draw/draw";
import { hit, type Hit } from "../draw/hit";
import { Surface } from "../draw/surface";
import { keyOf } from "../look";
import { createAnswers } from "../model/answers";
import { litIn, ownLit } from "../model/light";
import { selectionOf, tipOf } from "../model/pick";
import { withOption } from "../state";
import { isShown, nameOf, valueOf, viewOf } from "../views";
import { Option } from "./option";
import { Slow } from "./slow";
import type { Scene } from "../scene";
import type { Look } from "../protocol/Look";
import type { Opt } from "../protocol/Opt";

/** Height of what waits for a button. */
const NOT_YET = 40;

export function Picture(props: { title?: string; look: Look; height: number; slow?: boolean }): JSX.Element {
  const { store, findings } = useBench();
  const [scene, setScene] = createSignal<Scene | null>(null);
  const [width, setWidth] = createSignal(0);
  const [seen, setSeen] = createSignal(false);
  const [hovered, setHovered] = createSignal<Hit | null>(null);
  let canvas!: HTMLCanvasElement;
  let surface: Surface | undefined;

  const view = () => viewOf(store.runInfo(props.look.run), props.look.view);
  /** What the sheet left open can be chosen here; it holds for all pictures of the view. */
  const own = () => store.state().options[props.look.view] ?? {};
  const options = (): Opt[] =>
    (view()?.options ?? []).filter(
      (opt) =>
        (opt.kind.is === "number" || opt.kind.is === "choice" || opt.kind.is === "flag") &&
        props.look.options?.[opt.name] === undefined &&
        isShown(opt, view()!.options, own()),
    );
  const chosen = () =>
    Object.fromEntries(
      options().flatMap((opt) => (own()[opt.name] === undefined ? [] : [[opt.name, own()[opt.name]!]])),
    );
  const wanted = createMemo<Look | null>(
    () =>
      seen() && width() > 10
        ? {
            ...props.look,
            options: { ...chosen(), ...props.look.options },
            size: { w: width(), h: props.height },
          }
        : null,
    null,
    { equals: (a, b) => (a && keyOf(a)) === (b && keyOf(b)) },
  );
  const slow = () => props.slow === true || view()?.slow === true;
  const answers = createAnswers(store, { wanted, slow, arrived: (_, shown) => setScene(shown.scene) });
  /** Trees of the look, with the parameter it has for them. */
  const trees = () =>
    (view()?.trees ?? []).map(
      (tree) =>
        Object.keys(props.look.trees ?? {}).find((key) => nameOf(key) === nameOf(tree)) ?? nameOf(tree),
    );
  const lit = createMemo(() => {
    const s = scene();
    return s ? litIn(s, ownLit(store.state().selected, props.look.run, trees()), true) : NOTHING_LIT;
  });
  const cameras = () => (scene()?.plots ?? []).map(() => null);
  const size = () => ({ w: width(), h: props.height });

  onMount(() => {
    surface = new Surface(
      canvas,
      (ctx, w, h) => {
        const s = scene();
        if (!s) return;
        drawScene(ctx, {
          scene: s,
          tween: null,
          now: 0,
          cameras: cameras(),
          size: { w, h },
          ink: store.ink(),
          lit: lit(),
          hovered: hovered(),
        });
      },
      (w) => setWidth(w),
    );
    const observer = new IntersectionObserver(
      (entries) => entries.some((e) => e.isIntersecting) && setSeen(true),
      { rootMargin: "200px" },
    );
    observer.observe(canvas);
    onCleanup(() => {
      observer.disconnect();
      surface?.destroy();
      store.setTip(null);
    });
  });
  createEffect(() => {
    scene();
    lit();
    store.ink();
    hovered();
    surface?.invalidate();
  });

  const under = (e: MouseEvent): Hit | null => {
    const s = scene();
    const box = canvas.getBoundingClientRect();
    return s ? hit(s, cameras(), size(), e.clientX - box.left, e.clientY - box.top) : null;
  };
  const move = (e: PointerEvent): void => {
    const at = under(e);
    const s = scene();
    setHovered(at);
    if (!at || !s) return void store.setTip(null);
    store.setTip(tipOf(s, at, props.look.run, trees(), e.clientX, e.clientY));
  };
  const click = (e: MouseEvent): void => {
    const at = under(e);
    const of = at && selectionOf(at, props.look.run, trees());
    if (of) store.select(of);
  };
  /** A picture that a pane can show, too. */
  const opens = () => view()?.hidden === false && !slow();
  const name = () => props.title || scene()?.title || view()?.title || "Picture";
  return (
    <figure class="picture">
      <Show when={props.title}>
        {(title) => (
          <figcaption>
            {title()}
            <Show when={opens()}>
              <button
                type="button"
                class="chip"
                title="Show this in a pane"
                onClick={() => findings.open(props.look)}
              >
                Open
              </button>
            </Show>
          </figcaption>
        )}
      </Show>
      <Show when={props.title && options().length > 0}>
        <div class="picture-options">
          <For each={options()}>
            {(opt) => (
              <Option
                opt={opt}
                run={props.look.run}
                value={valueOf(opt, own())}
                set={(value, continuous) =>
                  store.update(
                    (s) => withOption(s, props.look.view, opt.name, value === opt.usual ? null : value),
                    "option",
                    continuous,
                  )
                }
              />
            )}
          </For>
        </div>
      </Show>
      <div class="picture-frame" style={{ height: `${answers.waitsForStart() ? NOT_YET : props.height}px` }}>
        <canvas
          ref={canvas}
          class="fill"
          role="img"
          aria-label={name()}
          onPointerMove={move}
          onClick={click}
          onPointerLeave={() => {
            setHovered(null);
            store.setTip(null);
          }}
        />
        <Slow view={view()} answers={answers} untitled />
        <Show when={answers.error()}>
          {(e) => (
            <div class="centre quiet" role="alert">
              {e()}
            </div>
          )}
        </Show>
      </div>
      <Show when={scene()?.note}>{(note) => <p class="quiet picture-note">{note()}</p>}</Show>
    </figure>
  );
}
