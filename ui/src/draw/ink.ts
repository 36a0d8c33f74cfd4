// The colours a canvas needs: the palette's slots from the server and the page's own tokens from theme.css, resolved for
// the theme in use. A palette goes in, an Ink comes out; text colours are chosen so that they can be read.

import { SHARE, SLOT } from "../protocol/constants";

export interface Ink {
  /** Colours by slot; those that are inks (text, edge, red, …) are the page's tokens. */
  slots: string[];
  /** Slots mixed with the surface: text on them reads as on the surface. */
  tints: string[];
  /** Slots mixed with the text's colour, for borders. */
  borders: string[];
  /** Slots almost gone into the surface. */
  dims: string[];
  /** Hatches where they are too small for a pattern. */
  flats: string[];
  /** Lines of hatches. */
  hatches: string[];
  /** Text colour to use on each slot. */
  onSlot: string[];
  surface: string;
  raised: string;
  line: string;
  grid: string;
  text: string;
  muted: string;
  accent: string;
  problem: string;
  good: string;
  edge: string;
  font: string;
  /** Patterns made so far. */
  patterns: Map<string, CanvasPattern | null>;
}

/** Relative luminance (WCAG 2) of "#rrggbb". */
export function luminance(hex: string): number {
  const channel = (at: number): number => {
    const v = parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** Contrast ratio of two colours, 1…21. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Near-black or white, whichever reads better on the colour. */
export function textOn(colour: string): string {
  return contrast(colour, "#101418") >= contrast(colour, "#ffffff") ? "#101418" : "#ffffff";
}

/** A step from one colour towards another: 0 stays, 1 arrives. */
export function mixed(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [parseInt(from.slice(at, at + 2), 16), parseInt(to.slice(at, at + 2), 16)];
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** "#abc" as "#aabbcc": a stylesheet may have been shortened. */
export const sixDigits = (hex: string): string =>
  /^#[0-9a-f]{3}$/i.test(hex) ? "#" + [...hex.slice(1)].map((c) => c + c).join("") : hex;

/** Tokens of the page that inks are made from. */
export type Tokens = Record<
  "surface" | "raised" | "line" | "grid" | "text" | "muted" | "accent" | "problem" | "good" | "edge",
  string
>;

export function makeInk(palette: string[], tokens: Tokens, font: string): Ink {
  const slots = palette.slice();
  const own: [number, string][] = [
    [SLOT.surface, tokens.surface],
    [SLOT.raised, tokens.raised],
    [SLOT.grid, tokens.grid],
    [SLOT.line, tokens.line],
    [SLOT.edge, tokens.edge],
    [SLOT.faint, tokens.muted],
    [SLOT.text, tokens.text],
    [SLOT.accent, tokens.accent],
    [SLOT.red, tokens.problem],
    [SLOT.good, tokens.good],
  ];
  for (const [slot, colour] of own) slots[slot] = colour;
  const paler = (share: number): string[] => slots.map((c) => mixed(tokens.surface, c, share));
  return {
    ...tokens,
    font,
    slots,
    tints: paler(SHARE.tint),
    dims: paler(SHARE.faint),
    flats: paler(SHARE.flat),
    hatches: paler(SHARE.hatch),
    borders: slots.map((c) => mixed(c, tokens.text, SHARE.border)),
    onSlot: slots.map(textOn),
    patterns: new Map(),
  };
}

/** Inks from the palette of the server and the tokens that hold for an element. */
export function readInk(palette: string[], element: Element = document.documentElement): Ink {
  const css = getComputedStyle(element);
  const token = (name: string): string => sixDigits(css.getPropertyValue(`--${name}`).trim());
  const tokens: Tokens = {
    surface: token("surface"),
    raised: token("raised"),
    line: token("line"),
    grid: token("grid"),
    text: token("text"),
    muted: token("muted"),
    accent: token("accent"),
    problem: token("problem"),
    good: token("good"),
    edge: token("edge"),
  };
  return makeInk(palette, tokens, css.fontFamily);
}
