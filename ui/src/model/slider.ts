// Where a value lies on a slider and back: by differences, or by factors where the ends are far apart. Pure.

/** Positions of a slider. */
export const STEPS = 200;

/** Ends above zero that lie more than a factor of 20 apart are walked by factors, others by differences. */
export const byFactors = ([low, high]: readonly [number, number]): boolean => low > 0 && high / low > 20;

/** Where a value lies on the slider, 0…STEPS. */
export function positionOf(value: number, range: readonly [number, number], log = byFactors(range)): number {
  const [low, high] = range;
  if (!(high > low)) return 0;
  const share =
    log && low > 0
      ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
      : (value - low) / (high - low);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

/** The value at a position, with three digits. */
export function valueAt(position: number, range: readonly [number, number], log = byFactors(range)): number {
  const [low, high] = range;
  const share = position / STEPS;
  const value = log && low > 0 ? low * (high / low) ** share : low + (high - low) * share;
  return Number(value.toPrecision(3));
}
