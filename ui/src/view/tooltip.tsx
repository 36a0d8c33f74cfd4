// The tooltip at the pointer: what the mark says at once, numbers as soon as the server has told them. Kept
// inside the window, away from the pointer, out of the way of clicks.

import { createMemo, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { createAbout } from "../model/about";
import { withoutKind } from "../model/sheet";
import { same } from "../selection";
import { Facts } from "./blocks";
import type { Fact } from "../protocol/Fact";
import type { Sheet } from "../protocol/Sheet";

const WIDTH = 280;
const FACTS = 6;

export function Tooltip(): JSX.Element {
  const { store } = useBench();
  let box: HTMLDivElement | undefined;
  const asked = createMemo(() => (store.tip()?.own ? null : (store.tip()?.selection ?? null)), null, {
    equals: same,
  });
  const about = createAbout(store, asked);
  /** The one before says nothing of what is under the pointer now. */
  const sheet = (): Sheet | null => (same(about.sheet()?.selection, asked()) ? about.sheet() : null);
  const facts = (): Fact[] => sheet()?.blocks.flatMap((b) => (b.is === "facts" ? b.rows : [])) ?? [];
  const place = (): JSX.CSSProperties => {
    const t = store.tip()!;
    const height = box?.offsetHeight ?? 120;
    const left = t.x + 16 + WIDTH > innerWidth ? t.x - WIDTH - 12 : t.x + 16;
    const top = t.y + 16 + height > innerHeight ? Math.max(4, t.y - height - 12) : t.y + 16;
    return { left: `${Math.max(4, left)}px`, top: `${top}px` };
  };
  return (
    <Show when={store.tip()}>
      {(t) => (
        <div class="tooltip" ref={box} style={place()} role="tooltip">
          <div class="tooltip-title">
            <Show when={sheet()?.kind}>{(kind) => <span class="kind">{kind()}</span>}</Show>{" "}
            {sheet() ? withoutKind(sheet()!.title, sheet()!.kind) : t().title}
          </div>
          <Show when={facts().length > 0}>
            <Facts facts={facts()} most={FACTS} tight />
          </Show>
          <Show when={t().detail}>{(detail) => <div class="quiet">{detail()}</div>}</Show>
        </div>
      )}
    </Show>
  );
}
