// Undo and redo of the page's state. Each change comes with a kind; changes of the same continuous kind
// (panning, zooming) in quick succession count as one step, and what changed nothing is no step. Pure.

export interface History<S> {
  past: S[];
  present: S;
  future: S[];
  /** Kind and time of the last change, to join continuous ones. */
  last: { kind: string; at: number };
}

/** Whether two states show the same. */
export type Same<S> = (a: S, b: S) => boolean;

/** Changes of one continuous kind closer together than this are one step. */
const JOIN_MS = 700;
const DEPTH = 200;

export const begin = <S>(present: S): History<S> => ({
  past: [],
  present,
  future: [],
  last: { kind: "", at: 0 },
});

/**
 * `continuous` kinds join; "" kinds never enter the past (which pane is active, where the page puts a
 * camera).
 */
export function change<S>(
  h: History<S>,
  next: S,
  kind: string,
  continuous: boolean,
  now: number,
  same: Same<S>,
): History<S> {
  if (next === h.present || same(next, h.present)) return h;
  if (kind === "") return { ...h, present: next };
  const joins = continuous && kind === h.last.kind && now - h.last.at < JOIN_MS && h.past.length > 0;
  const past = joins ? h.past : [...h.past, h.present].slice(-DEPTH);
  return { past, present: next, future: [], last: { kind, at: now } };
}

/** The last state that differs from the present one; those between that show the same are passed over. */
export function undo<S>(h: History<S>, same: Same<S>): History<S> {
  let at = h.past.length - 1;
  while (at >= 0 && same(h.past[at]!, h.present)) at -= 1;
  if (at < 0) return h;
  return {
    past: h.past.slice(0, at),
    present: h.past[at]!,
    future: [h.present, ...h.future],
    last: { kind: "undo", at: 0 },
  };
}

export function redo<S>(h: History<S>, same: Same<S>): History<S> {
  let at = 0;
  while (at < h.future.length && same(h.future[at]!, h.present)) at += 1;
  if (at >= h.future.length) return h;
  return {
    past: [...h.past, h.present],
    present: h.future[at]!,
    future: h.future.slice(at + 1),
    last: { kind: "redo", at: 0 },
  };
}
