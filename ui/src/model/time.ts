// Arithmetic on windows of time: zooming at a moment, panning, brushing, keeping inside the run. Windows are
// [from, to] in the run's clock unit; `null` stands for the whole run. Pure functions.

import type { Span } from "../protocol/Span";

/** A window never gets narrower than this many clock units: one pixel is then well below a nanosecond. */
const NARROWEST = 20;

export const length = (s: Span): number => s[1] - s[0];

/** The window that is shown: what was chosen, or the whole run. */
export const shown = (window: Span | null | undefined, whole: Span): Span =>
  window ?? (whole[1] > whole[0] ? whole : [whole[0], whole[0] + 1]);

/** Back to "the whole run" when the window covers it. */
export function settled(window: Span, whole: Span): Span | null {
  const slack = length(whole) * 1e-6;
  return window[0] <= whole[0] + slack && window[1] >= whole[1] - slack ? null : window;
}

/** Keeps length and slides inside; a window longer than the run becomes the run. */
export function inside(window: Span, whole: Span): Span {
  const range = length(window);
  if (range >= length(whole)) return whole;
  const from = Math.min(Math.max(window[0], whole[0]), whole[1] - range);
  return [from, from + range];
}

/** Zooms by a factor (> 1: closer) so that `at` stays where it is. */
export function zoomed(window: Span, whole: Span, at: number, factor: number): Span {
  const range = Math.min(Math.max(length(window) / factor, NARROWEST), length(whole));
  const share = length(window) > 0 ? (at - window[0]) / length(window) : 0.5;
  return inside([at - share * range, at - share * range + range], whole);
}

export const slid = (window: Span, whole: Span, by: number): Span =>
  inside([window[0] + by, window[1] + by], whole);

/** A window around something, with some air at both sides. */
export function around(of: Span, whole: Span, air = 0.15): Span {
  const pad = Math.max(length(of) * air, NARROWEST / 2);
  return inside([of[0] - pad, of[1] + pad], whole);
}
