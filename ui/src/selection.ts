// Sets of nodes as text ("3,17-19", both ends included) and selections made of them. Pure; the text is what
// travels and what addresses hold, ranges are what is searched.

import type { Nodes } from "./protocol/Nodes";
import type { Selection } from "./protocol/Selection";

/** Ascending, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

/** The ranges of a text; null where it is none. */
export function ranges(text: Nodes): Ranges | null {
  if (text === "") return [];
  const out: [number, number][] = [];
  for (const part of text.split(",")) {
    const match = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last < first || last > 0xffffffff) return null;
    out.push([first, last]);
  }
  return out.sort((a, b) => a[0] - b[0]);
}

const known = new Map<Nodes, Ranges>();
/** The same, kept: selections are asked about for every mark. Nothing for a text that is none. */
export function rangesOf(text: Nodes): Ranges {
  let made = known.get(text);
  if (!made) {
    if (known.size > 200) known.clear();
    known.set(text, (made = ranges(text) ?? []));
  }
  return made;
}

export function has(of: Ranges, node: number): boolean {
  let [low, high] = [0, of.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of[middle]![1] < node) low = middle + 1;
    else high = middle;
  }
  return low < of.length && of[low]![0] <= node;
}

/** How many nodes. */
export const count = (of: Ranges): number => of.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** Nodes in any order as text. */
export function textOf(nodes: Iterable<number>): Nodes {
  const sorted = [...new Set(nodes)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j]! + 1) j += 1;
    parts.push(i === j ? `${sorted[i]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

export const single = (run: number, tree: string, node: number): Selection => ({
  run,
  tree,
  nodes: String(node),
});

/** The first node; −1 without one. */
export const firstOf = (selection: Selection): number => rangesOf(selection.nodes)[0]?.[0] ?? -1;

export function same(a: Selection | null | undefined, b: Selection | null | undefined): boolean {
  if (!a || !b) return !a && !b;
  const time = (s: Selection): string => s.time?.join("~") ?? "";
  return (
    a.run === b.run &&
    a.tree === b.tree &&
    a.nodes === b.nodes &&
    (a.to ?? "") === (b.to ?? "") &&
    time(a) === time(b)
  );
}
