// Undo and redo of the view state. Each change comes with a kind; changes of the same continuous kind (panning,
// zooming) in quick succession count as one step. Pure: a history goes in, a history comes out.

export interface History<S> {
  past: S[];
  present: S;
  future: S[];
  /** Kind and time of the last change, to join continuous ones. */
  last: { kind: string; at: number };
}

/** Changes of one continuous kind closer together than this are one step. */
const JOIN_MS = 700;
const DEPTH = 200;

export const begin = <S>(present: S): History<S> => ({ past: [], present, future: [], last: { kind: "", at: 0 } });

/** `continuous` kinds join; "" kinds never enter the past (a window's size, an answer's echo). */
export function change<S>(h: History<S>, next: S, kind: string, continuous: boolean, now: number): History<S> {
  if (next === h.present) return h;
  if (kind === "") return { ...h, present: next };
  const joins = continuous && kind === h.last.kind && now - h.last.at < JOIN_MS && h.past.length > 0;
  const past = joins ? h.past : [...h.past, h.present].slice(-DEPTH);
  return { past, present: next, future: [], last: { kind, at: now } };
}

export function undo<S>(h: History<S>): History<S> {
  const previous = h.past[h.past.length - 1];
  if (previous === undefined) return h;
  return { past: h.past.slice(0, -1), present: previous, future: [h.present, ...h.future], last: { kind: "undo", at: 0 } };
}

export function redo<S>(h: History<S>): History<S> {
  const next = h.future[0];
  if (next === undefined) return h;
  return { past: [...h.past, h.present], present: next, future: h.future.slice(1), last: { kind: "redo", at: 0 } };
}
