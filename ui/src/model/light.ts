// What the selection means in a look, without a new layout: asked for each pane, as marks to light. Until the
// answer is there, marks of the selection itself are lit.

import { createEffect, createMemo, createSignal, on } from "solid-js";
import { bandsOf, refsOf } from "../draw/marks";
import { NOTHING_LIT, type Lit } from "../draw/draw";
import { has, rangesOf, same } from "../selection";
import { latest } from "../transport";
import type { Ref, Scene } from "../scene";
import type { Store } from "../store";
import type { Lit as TreeLit } from "../protocol/Lit";
import type { LightAnswer } from "../protocol/LightAnswer";
import type { Look } from "../protocol/Look";
import type { Selection } from "../protocol/Selection";

export interface Meaning {
  of: Selection;
  answer: LightAnswer;
}

/** Asks what the selection means in a look; null while there is none or it is not known. */
export function createMeaning(store: Store, look: () => Look | null): () => Meaning | null {
  const [meaning, setMeaning] = createSignal<Meaning | null>(null);
  const selected = createMemo(() => store.state().selected, null, { equals: same });
  const ask = latest(
    (asked: Look & { selected: Selection }) => store.asks.light(asked),
    (answer, { selected: of }) => same(selected(), of) && setMeaning({ of, answer }),
    // A view that cannot say what it means lights nothing.
    (_, { selected: of }) => same(selected(), of) && setMeaning(null),
  );
  createEffect(
    on([look, selected], ([at, of]) => {
      const known = meaning();
      if (known && !same(known.of, of)) setMeaning(null);
      if (at && of) ask({ ...at, selected: of });
    }),
  );
  return meaning;
}

/** What is lit of an answer: the tree of the selection itself, else the first that it means something in. */
export function bestOf(answer: LightAnswer, of: Selection, trees: readonly string[]): TreeLit[] {
  const own = answer.trees.filter((lit) => trees[lit.tree] === of.tree);
  return own.length > 0 ? own : answer.trees.slice(0, 1);
}

/**
 * What is meant in the trees of a view, known without asking: the selection itself, where it is of one of
 * them.
 */
export function ownLit(selected: Selection | null, run: number, trees: readonly string[]): TreeLit[] {
  if (!selected || selected.run !== run) return [];
  return trees.flatMap((key, tree) =>
    key === selected.tree
      ? [{ tree, nodes: selected.nodes, to: selected.to ?? null, inside: "", above: [] }]
      : [],
  );
}

/**
 * The marks of a scene to light. Where the picture itself shows what lies inside (`nested`), that is lit only when what
 * is meant has no mark of its own; elsewhere it is lit, and the rest is pale.
 */
export function litIn(scene: Scene, trees: readonly TreeLit[], nested: boolean): Lit {
  let [selected, lit, standIn]: Ref[][] = [[], [], []];
  for (const of of trees) {
    const [nodes, to] = [rangesOf(of.nodes), of.to === null ? undefined : rangesOf(of.to)];
    const own = refsOf(scene, of.tree, (node) => has(nodes, node), to && ((node: number) => has(to, node)));
    const wanted = of.inside !== of.nodes && !(nested && own.length > 0);
    const inner = wanted ? rangesOf(of.inside) : [];
    const inside = refsOf(scene, of.tree, (node) => has(inner, node) && !has(nodes, node));
    selected = selected!.concat(own);
    // What goes out of it and into it belongs to it.
    lit = lit!.concat(inside, to ? [] : bandsOf(scene, of.tree, (node) => has(nodes, node)));
    if (own.length + inside.length === 0) standIn = standIn!.concat(nearestAbove(scene, of));
  }
  if (selected!.length + lit!.length + standIn!.length === 0) return NOTHING_LIT;
  return { selected: selected!, lit: lit!, standIn: standIn!, faint: !nested && lit!.length > 0 };
}

/** The innermost of what is around it that has a mark. */
function nearestAbove(scene: Scene, of: TreeLit): Ref[] {
  for (const node of of.above.toReversed()) {
    const found = refsOf(scene, of.tree, (n) => n === node);
    if (found.length > 0) return found;
  }
  return [];
}
