// A colour scale for magnitudes: cividis-like, from the surface's side to its opposite, readable by colour-blind
// people and in grey. A share in 0…1 and the theme go in, a colour comes out.

/** Stops of cividis; light surfaces walk them backwards, so that more is always further from the surface. */
const STOPS: [number, number, number][] = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

export function heat(share: number, theme: "light" | "dark"): string {
  const t = Math.min(1, Math.max(0, theme === "light" ? 1 - share : share)) * (STOPS.length - 1);
  const i = Math.min(STOPS.length - 2, Math.floor(t));
  const mix = STOPS[i]!.map((a, c) => Math.round(a + (STOPS[i + 1]![c]! - a) * (t - i)));
  return "#" + mix.map((v) => v.toString(16).padStart(2, "0")).join("");
}
