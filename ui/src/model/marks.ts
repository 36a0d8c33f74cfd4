// The marks of a picture for tests: what each box stands for, what it means, where it is.

import { NONE, type Scene } from "../scene";
import type { MarkInfo, Rect } from "./controls";

/** Boxes that stand for a node, parts left out. */
export function marksIn(scene: Scene, rect: (node: number, tree: number) => Rect | null): MarkInfo[] {
  const { boxes } = scene;
  return Array.from({ length: boxes.n }, (_, i) => i).flatMap((i) => {
    const style = scene.styles[boxes.style[i]!]!;
    const at = boxes.node[i] === NONE || style.moves ? null : rect(boxes.node[i]!, boxes.tree[i]!);
    if (!at) return [];
    return [
      {
        node: boxes.node[i]!,
        tree: boxes.tree[i]!,
        meaning: style.meaning,
        press: style.press,
        fill: boxes.fill[i]!,
        ...at,
      },
    ];
  });
}
