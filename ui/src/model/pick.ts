// From marks to selections: what a mark under the pointer stands for, in words for the tooltip and as a
// Selection.

import { NONE } from "../protocol/constants";
import { labelsOf } from "../draw/marks";
import { quantity } from "../format";
import { single } from "../selection";
import type { Hit } from "../draw/hit";
import type { Scene } from "../scene";
import type { Tip } from "../store";
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

/** What the tooltip of a mark says at once; null where there is nothing to say. */
export function tipOf(
  scene: Scene,
  hit: Hit,
  run: number,
  trees: readonly string[],
  x: number,
  y: number,
): Tip | null {
  const selection = selectionOf(hit, run, trees);
  const { title, meaning } = wordsOf(scene, hit);
  const axis = scene.plots[hit.plot]?.y;
  const value = hit.at.y !== null && axis && axis.side !== "none" ? quantity(hit.at.y, axis.unit) : "";
  const detail = [title === meaning ? "" : meaning, value].filter(Boolean).join(" · ") || undefined;
  return selection || title !== "" ? { selection, title, own: selection === null, detail, x, y } : null;
}
