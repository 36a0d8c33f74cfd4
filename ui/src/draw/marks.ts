// An index over a graph's scene: which box stands for a node, which box a part or a label belongs to, what lies under
// the pointer. Built once per scene, kept with it; walks the columns, computes no layout.

import { isJoint, PROBLEM_SLOT } from "./grain";
import { FLAG, SHAPE, type Boxes, type Picture, type Scene } from "../scene";

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Marks {
  /** Box of a node: its key (see `keyOf`) to its place in the columns. */
  byKey: Map<number, number>;
  /** Key of every box; parts carry the key of the mark they belong to. */
  key: Float64Array;
  /** The mark that each box belongs to: itself unless it is a part. */
  owner: Int32Array;
  /** Box that each label lies in, −1 if none. */
  labelOwner: Int32Array;
  /** The second line of the box that each label is the first of, −1 if none. */
  secondLine: Int32Array;
}

/** A repeat mark has the id of its wide parent, so it needs a key of its own; `ordinal` counts them per node. */
const keyOf = (node: number, repeat: boolean, ordinal: number): number => node * 16 + (repeat ? 1 + Math.min(12, ordinal) : 0);
/** Fork and join nodes have the id of their group. */
const jointKey = (node: number, shape: number): number => node * 16 + (shape === SHAPE.forkNode ? 14 : 15);

const cache = new WeakMap<Boxes, Marks>();

export function marks(scene: Scene | Picture): Marks {
  const known = cache.get(scene.boxes);
  if (known) return known;
  const made = index(scene);
  cache.set(scene.boxes, made);
  return made;
}

function index(scene: Scene): Marks {
  const { n, node, shape, flags } = scene.boxes;
  const byKey = new Map<number, number>();
  const key = new Float64Array(n);
  const owner = new Int32Array(n);
  const repeats = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    owner[i] = i;
    if (isJoint(shape[i]!)) {
      key[i] = jointKey(node[i]!, shape[i]!);
      if (!byKey.has(key[i]!)) byKey.set(key[i]!, i);
      continue;
    }
    if (flags[i]! & FLAG.part) continue;
    const repeat = shape[i] === SHAPE.repeat;
    const ordinal = repeat ? repeats.get(node[i]!) ?? 0 : 0;
    if (repeat) repeats.set(node[i]!, ordinal + 1);
    key[i] = keyOf(node[i]!, repeat, ordinal);
    if (!byKey.has(key[i]!)) byKey.set(key[i]!, i);
  }
  for (let i = 0; i < n; i++) {
    if (!(flags[i]! & FLAG.part) || isJoint(shape[i]!)) continue;
    owner[i] = ownerOf(scene.boxes, byKey, node[i]!, scene.boxes.x[i]!, scene.boxes.y[i]!, i);
    key[i] = owner[i] === i ? keyOf(node[i]!, false, 0) : key[owner[i]!]!;
  }
  const labelOwner = Int32Array.from(scene.head.labels, (l) =>
    l.node === null ? -1 : ownerOf(scene.boxes, byKey, l.node, l.x, l.y, -1),
  );
  return { byKey, key, owner, labelOwner, secondLine: secondLines(scene, labelOwner) };
}

/** Labels of a box follow one another; what stands at its right end is a sign. */
const secondLines = (scene: Scene, owner: Int32Array): Int32Array =>
  Int32Array.from(owner, (box, j) => (box >= 0 && owner[j + 1] === box && owner[j - 1] !== box && scene.head.labels[j + 1]!.align === "start" ? j + 1 : -1));

const severity = new WeakMap<Boxes, Uint8Array>();

/** How bad each problem grain is (0, 1, 2): the server puts small marks of that colour into its corner. */
export function severities(boxes: Boxes): Uint8Array {
  let list = severity.get(boxes);
  if (list) return list;
  list = new Uint8Array(boxes.n);
  // The marks of a grain follow it in the columns.
  let owner = -1;
  for (let i = 0; i < boxes.n; i++) {
    if (boxes.shape[i] === SHAPE.repeat) list[i] = 2;
    if (!(boxes.flags[i]! & FLAG.part)) owner = boxes.shape[i] === SHAPE.grain ? i : -1;
    else if (owner >= 0 && boxes.fill[i]! >= PROBLEM_SLOT && boxes.fill[i]! < PROBLEM_SLOT + 3) list[owner] = boxes.fill[i]! - PROBLEM_SLOT;
  }
  severity.set(boxes, list);
  return list;
}

/** The box of a node that holds a point: a repeat mark before the node's own box. */
function ownerOf(boxes: Boxes, byKey: Map<number, number>, node: number, x: number, y: number, none: number): number {
  for (let ordinal = 0; ordinal < 13; ordinal++) {
    const repeat = byKey.get(keyOf(node, true, ordinal));
    if (repeat === undefined) break;
    if (holds(boxes, repeat, x, y)) return repeat;
  }
  return byKey.get(keyOf(node, false, 0)) ?? none;
}

const holds = (b: Boxes, i: number, x: number, y: number): boolean =>
  x >= b.x[i]! - 0.5 && y >= b.y[i]! - 0.5 && x <= b.x[i]! + b.w[i]! + 0.5 && y <= b.y[i]! + b.h[i]! + 0.5;

/** Place of a node's own box in the columns, or −1; a node that is only there as a repeat mark counts too. */
export function boxOf(scene: Scene, node: number): number {
  const m = marks(scene);
  return m.byKey.get(keyOf(node, false, 0)) ?? m.byKey.get(keyOf(node, true, 0)) ?? -1;
}

export function rectOf(scene: Scene, i: number): Rect {
  const b = scene.boxes;
  return { x: b.x[i]!, y: b.y[i]!, w: b.w[i]!, h: b.h[i]! };
}

/** A box and the envelopes that hold it, innermost first. */
export function around(scene: Scene, i: number): number[] {
  const b = scene.boxes;
  const holds = (e: number): boolean =>
    b.x[e]! <= b.x[i]! + 0.5 && b.y[e]! <= b.y[i]! + 0.5 && b.x[e]! + b.w[e]! >= b.x[i]! + b.w[i]! - 0.5 && b.y[e]! + b.h[e]! >= b.y[i]! + b.h[i]! - 0.5;
  const outer: number[] = [];
  for (let e = 0; e < b.n; e++) if (e !== i && b.shape[e] === SHAPE.envelope && holds(e)) outer.push(e);
  return [i, ...outer.sort((p, q) => b.w[p]! * b.h[p]! - b.w[q]! * b.h[q]!)];
}

/** The mark nearest to a point, envelopes not counted; −1 for none. */
export function nearest(scene: Scene, x: number, y: number): number {
  const b = scene.boxes;
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < b.n; i++) {
    if (b.shape[i] === SHAPE.envelope || b.flags[i]! & FLAG.part || isJoint(b.shape[i]!)) continue;
    const dx = Math.max(b.x[i]! - x, 0, x - b.x[i]! - b.w[i]!);
    const dy = Math.max(b.y[i]! - y, 0, y - b.y[i]! - b.h[i]!);
    if (dx * dx + dy * dy >= least) continue;
    least = dx * dx + dy * dy;
    best = i;
  }
  return best;
}

/** The mark under a point in scene units: boxes before envelopes, inner envelopes before outer; −1 for none. */
export function hit(scene: Scene, x: number, y: number, slack = 0): number {
  const b = scene.boxes;
  let envelope = -1;
  let area = Infinity;
  for (let i = b.n - 1; i >= 0; i--) {
    if (b.flags[i]! & FLAG.part && !isJoint(b.shape[i]!)) continue;
    const near = b.shape[i] === SHAPE.envelope ? 0 : slack;
    if (x < b.x[i]! - near || y < b.y[i]! - near || x > b.x[i]! + b.w[i]! + near || y > b.y[i]! + b.h[i]! + near) continue;
    if (b.shape[i] !== SHAPE.envelope) return i;
    const size = b.w[i]! * b.h[i]!;
    if (size < area) {
      area = size;
      envelope = i;
    }
  }
  return envelope;
}
