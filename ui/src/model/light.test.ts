import { describe, expect, it } from "vitest";
import { NOTHING_LIT } from "../draw/draw";
import { emptyScene, NONE, type Scene } from "../scene";
import { bestOf, litIn, ownLit } from "./light";
import { selectionOf } from "./pick";
import type { Lit } from "../protocol/Lit";
import type { Style } from "../protocol/Style";

/** Boxes of the nodes 0, 1, 2 and 5 of one tree, one of another. */
function scene(): Scene {
  const nodes = [0, 1, 2, 5, 1];
  const n = nodes.length;
  const column = <A>(make: new (n: number) => A): A => new make(n);
  const style = { hit: true, moves: false, press: "none", meaning: "" } as Style;
  return {
    ...emptyScene(),
    styles: [style],
    boxes: {
      n,
      x: column(Float32Array),
      y: column(Float32Array),
      w: column(Float32Array).fill(1),
      h: column(Float32Array).fill(1),
      tree: Uint8Array.of(0, 0, 0, 0, 1),
      node: Uint32Array.from(nodes),
      to: column(Uint32Array).fill(NONE),
      role: column(Uint8Array),
      style: column(Uint16Array),
      fill: column(Uint16Array),
      id: column(Uint32Array).fill(NONE),
    },
  };
}
const lit = (more: Partial<Lit>): Lit => ({ tree: 0, nodes: "1", to: null, inside: "", above: [], ...more });
const boxes = (of: { index: number }[]): number[] => of.map((ref) => ref.index).sort();

describe("what a selection lights", () => {
  it("is its own marks, in its own tree", () => {
    const found = litIn(scene(), [lit({ inside: "1" })], false);
    expect([boxes(found.selected), boxes(found.standIn), found.faint]).toEqual([[1], [], false]);
  });
  it("is what lies inside, and the rest is pale, unless the picture itself shows it", () => {
    const flat = litIn(scene(), [lit({ nodes: "0", inside: "0-2" })], false);
    expect([boxes(flat.selected), boxes(flat.lit), flat.faint]).toEqual([[0], [1, 2], true]);
    const nested = litIn(scene(), [lit({ nodes: "0", inside: "0-2" })], true);
    expect([boxes(nested.selected), boxes(nested.lit), nested.faint]).toEqual([[0], [], false]);
    const hidden = litIn(scene(), [lit({ nodes: "7", inside: "1-2,7" })], true);
    expect([boxes(hidden.selected), boxes(hidden.lit)]).toEqual([[], [1, 2]]);
  });
  it("is the nearest of what is around it when it is folded away", () => {
    const found = litIn(scene(), [lit({ nodes: "3", above: [0, 2, 9] })], true);
    expect([boxes(found.selected), boxes(found.standIn), found.faint]).toEqual([[], [2], false]);
  });
  it("is nothing where nothing is meant", () => {
    expect(litIn(scene(), [lit({ nodes: "77", above: [78] })], true)).toBe(NOTHING_LIT);
    expect(litIn(scene(), [], true)).toBe(NOTHING_LIT);
  });
  it("is of the selection's own tree, else of the first that is meant", () => {
    const answer = { trees: [lit({}), lit({ tree: 1 })], time: null, by: "" };
    const of = { run: 0, tree: "things", nodes: "1" };
    expect(bestOf(answer, of, ["parts", "things"]).map((l) => l.tree)).toEqual([1]);
    expect(bestOf(answer, of, ["parts", "others"]).map((l) => l.tree)).toEqual([0]);
  });
  it("is known before the answer for trees of the view", () => {
    const of = { run: 0, tree: "things", nodes: "1" };
    expect(ownLit(of, 0, ["parts", "things"])).toMatchObject([{ tree: 1, nodes: "1" }]);
    expect([ownLit(of, 1, ["things"]), ownLit(null, 0, ["things"])]).toEqual([[], []]);
  });
});

describe("what a mark stands for", () => {
  it("is a node, a pair, or nothing", () => {
    expect(selectionOf({ tree: 0, node: 4, to: NONE }, 2, ["things"])).toEqual({
      run: 2,
      tree: "things",
      nodes: "4",
    });
    expect(selectionOf({ tree: 0, node: 4, to: 7 }, 0, ["things"])).toEqual({
      run: 0,
      tree: "things",
      nodes: "4",
      to: "7",
    });
    expect(selectionOf({ tree: 0, node: NONE, to: NONE }, 0, ["things"])).toBeNull();
    expect(selectionOf({ tree: 3, node: 1, to: NONE }, 0, ["things"])).toBeNull();
  });
});
