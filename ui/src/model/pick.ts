// From marks to selections: what a mark under the pointer stands for, in words for the tooltip and as a Selection.

import { NONE } from "../protocol/constants";
import { labelsOf } from "../draw/marks";
import { single } from "../selection";
import type { Hit } from "../draw/hit";
import type { Scene } from "../scene";
import type { Selection } from "../protocol/Selection";

/** What a mark stands for; null where it stands for nothing. */
export function selectionOf(
  hit: Pick<Hit, "tree" | "node" | "to">,
  run: number,
  trees: readonly string[],
): Selection | null {
  const tree = trees[hit.tree];
  if (tree === undefined || hit.node === NONE) return null;
  const of = single(run, tree, hit.node);
  return hit.to === NONE ? of : { ...of, to: String(hit.to) };
}

/** What a mark says of itself: its texts, else what its look means. */
export function wordsOf(scene: Scene, hit: Hit): { title: string; meaning: string } {
  const meaning = scene.styles[hit.style]?.meaning ?? "";
  if (hit.kind === "areas") return { title: scene.areas[hit.index]?.name ?? meaning, meaning };
  const texts = hit.kind === "boxes" ? labelsOf(scene, hit.index) : [];
  return { title: texts.join(" · ") || meaning, meaning };
}
