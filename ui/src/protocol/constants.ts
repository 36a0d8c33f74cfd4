// Generated from crates/scene: do not edit. `cargo test -p crosscut-scene` writes it again.

/** No node, no second end, no id. */
export const NONE = 4294967295;

/** Number of palette slots, and how many of them, the first, are categories. */
export const SLOTS = 105;
export const CATEGORIES = 24;

/** Palette slots by name. */
export const SLOT = {
  kind: 24,
  running: 30,
  ready: 31,
  several: 36,
  muted: 37,
  envelope: 38,
  repeat: 39,
  fork: 40,
  chunk: 41,
  problem: 42,
  good: 45,
  lost: 46,
  surface: 49,
  raised: 50,
  grid: 51,
  line: 52,
  edge: 53,
  faint: 54,
  text: 55,
  accent: 56,
  red: 57,
} as const;

/** Ramps: rows of slots. */
export const RAMP = {
  more: { first: 58, steps: 16 },
  grey: { first: 74, steps: 16 },
  difference: { first: 90, steps: 15 },
} as const;

/** `stroke` of a style that is no slot. */
export const STROKE = {
  none: -1,
  own: -2,
} as const;

/** `ink` of a text that is no slot: what can be read on its box. */
export const TEXT_INK = {
  on: -2,
} as const;

/** Lengths of ink and gap in pixels. */
export const DASH = {
  solid: [],
  dashed: [4, 2],
  fine: [3, 2],
  dotted: [1, 2],
} as const;

/** How far fills and borders go from one colour to another. */
export const SHARE = {
  tint: 0.28,
  faint: 0.16,
  hatch: 0.6,
  flat: 0.38,
  border: 0.35,
  inner: 0.7,
} as const;

/** Below this many pixels a hatch is flat; and the side of its tile. */
export const HATCH_FROM = 8;
export const HATCH_TILE = 6;

/** Drawing order. */
export const RANK = {
  back: 10,
  band: 20,
  link: 30,
  mark: 40,
  part: 50,
  rim: 60,
  sign: 70,
} as const;

/** Marks of a picture at most. */
export const MOST_MARKS = 20000;

/** Columns of each kind of mark, in the order in which they are sent. */
export const COLUMNS = {
  boxes: [
    ["x", "f32"], ["y", "f32"], ["w", "f32"], ["h", "f32"], ["tree", "u8"], ["node", "u32"], ["to", "u32"], ["role", "u8"], ["style", "u16"], ["fill", "u16"], ["id", "u32"],
  ],
  links: [
    ["x0", "f32"], ["y0", "f32"], ["x1", "f32"], ["y1", "f32"], ["tree", "u8"], ["node", "u32"], ["to", "u32"], ["role", "u8"], ["style", "u16"], ["fill", "u16"], ["id", "u32"],
  ],
  points: [
    ["x", "f32"], ["y", "f32"], ["r", "f32"], ["tree", "u8"], ["node", "u32"], ["to", "u32"], ["role", "u8"], ["style", "u16"], ["fill", "u16"], ["id", "u32"],
  ],
  ribbons: [
    ["x0", "f32"], ["top0", "f32"], ["bottom0", "f32"], ["x1", "f32"], ["top1", "f32"], ["bottom1", "f32"], ["tree", "u8"], ["node", "u32"], ["to", "u32"], ["role", "u8"], ["style", "u16"], ["fill", "u16"], ["id", "u32"],
  ],
  polygons: [
    ["end", "u32"], ["tree", "u8"], ["node", "u32"], ["to", "u32"], ["role", "u8"], ["style", "u16"], ["fill", "u16"], ["id", "u32"],
  ],
  labels: [
    ["x", "f32"], ["y", "f32"], ["w", "f32"], ["tree", "u8"], ["node", "u32"], ["role", "u8"], ["style", "u16"],
  ],
} as const;
