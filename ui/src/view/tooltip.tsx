// The tooltip at the pointer: what the mark says at once, numbers as soon as the server has told them. Kept
// inside the page, away from the pointer, out of the way of clicks.

import { createMemo, Show, type JSX } from "solid-js";
import { useBench } from "../bench";
import { createAbout } from "../model/about";
import { withoutKind } from "../model/sheet";
import { same } from "../selection";
import { noteOn } from "../state";
import { Facts } from "./blocks";
import type { Fact } from "../protocol/Fact";
import type { Sheet } from "../protocol/Sheet";

const WIDTH = 280;
const FACTS = 6;

export function Tooltip(): JSX.Element {
  const { store } = useBench();
  const asked = createMemo(() => (store.tip()?.own ? null : (store.tip()?.selection ?? null)), null, {
    equals: same,
  });
  const about = createAbout(store, asked);
  /** The one before says nothing of what is under the pointer now. */
  const sheet = (): Sheet | null => (same(about.sheet()?.selection, asked()) ? about.sheet() : null);
  const facts = (): Fact[] => sheet()?.blocks.flatMap((b) => (b.is === "facts" ? b.rows : [])) ?? [];
  const place = (): JSX.CSSProperties => {
    const t = store.tip()!;
    // The page may be a part of the window only.
    const frame = store.host.root.getBoundingClientRect();
    const [x, y] = [t.x - frame.left, t.y - frame.top];
    const left = x + 16 + WIDTH > frame.width ? x - WIDTH - 12 : x + 16;
    // It grows when the numbers come: away from the nearer edge.
    const below = y < frame.height / 2;
    return {
      left: `${Math.max(4, left)}px`,
      ...(below ? { top: `${y + 16}px` } : { bottom: `${frame.height - y + 12}px` }),
    };
  };
  return (
    <Show when={store.tip()}>
      {(t) => (
        <div class="tooltip" style={place()} role="tooltip">
          <div class="tooltip-title">
            <Show when={sheet()?.kind}>{(kind) => <span class="kind">{kind()}</span>}</Show>{" "}
            {sheet() ? withoutKind(sheet()!.title, sheet()!.kind) : t().title}
          </div>
          <Show when={facts().length > 0}>
            <Facts facts={facts()} most={FACTS} tight />
          </Show>
          <Show when={noteOn(store.state(), t().selection)}>
            {(note) => <div class="tooltip-note">{note()}</div>}
          </Show>
          <Show when={t().detail}>{(detail) => <div class="quiet">{detail()}</div>}</Show>
        </div>
      )}
    </Show>
  );
}
