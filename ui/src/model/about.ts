// The sheet about something: asked for when that changes, the lens or what counts; the last one stays until the next is
// there, and while a hand moves only the newest is asked for.

import { createEffect, createMemo, createSignal } from "solid-js";
import { same } from "../selection";
import { latest } from "../transport";
import type { Store } from "../store";
import type { Selection } from "../protocol/Selection";
import type { Sheet } from "../protocol/Sheet";

export interface About {
  sheet: () => Sheet | null;
  error: () => string | null;
}

export function createAbout(store: Store, of: () => Selection | null): About {
  const [sheet, setSheet] = createSignal<Sheet | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const subject = createMemo(of, null, { equals: same });
  /** Changes when the same thing may have another sheet. */
  const seen = createMemo(() => {
    const s = subject();
    return s ? JSON.stringify([store.lensOf(s.run, s.tree), store.scopeOf(s.run)]) : "";
  });
  const ask = latest(
    (s: Selection) => store.about(s),
    (answer, s) => same(subject(), s) && setSheet(answer),
    (e, s) => same(subject(), s) && setError(e.message),
  );
  createEffect(() => {
    const s = subject();
    seen();
    setError(null);
    if (!s) return void setSheet(null);
    const known = store.knownAbout(s);
    if (known) setSheet(known);
    else ask(s);
  });
  return { sheet, error };
}
