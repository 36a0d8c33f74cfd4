// Our order of bars beside that of d3-sankey on the same super graphs: it crosses no more. The graphs and our crossings come from
// `fixtures/flows.json`, which a test of the crate `view` writes and checks.

import { sankey, sankeyLeft, type Band } from "d3-sankey";
import { describe, expect, it } from "vitest";
import text from "../../../../fixtures/flows.json?raw";

interface Sample {
  name: string;
  bars: number;
  flows: [number, number, number][];
  crossings: number;
}
const SAMPLES = JSON.parse(text) as Sample[];

/** Where a band of d3 (a cubic that leaves and arrives level) is at some x. */
function heightAt({ source, target, y0, y1 }: Band, x: number): number {
  const [a, b] = [source.x1, target.x0];
  const middle = (a + b) / 2;
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const t = (low + high) / 2;
    const at = (1 - t) ** 3 * a + 3 * (1 - t) * t * middle + t ** 3 * b;
    if (at < x) low = t;
    else high = t;
  }
  return y0 + (y1 - y0) * (3 * low ** 2 - 2 * low ** 3);
}

/** Pairs of bands that change sides from one level to the next, over all levels. */
function crossings(bands: readonly Band[], levels: number, xOf: (level: number) => [number, number]): number {
  let count = 0;
  for (let level = 0; level + 1 < levels; level++) {
    const here = bands.filter((b) => b.source.depth <= level && b.target.depth > level);
    const left = here.map((b) => (b.source.depth === level ? b.y0 : heightAt(b, xOf(level)[1])));
    const right = here.map((b) => (b.target.depth === level + 1 ? b.y1 : heightAt(b, xOf(level + 1)[0])));
    for (let i = 0; i < here.length; i++)
      for (let j = 0; j < i; j++) if ((left[i]! - left[j]!) * (right[i]! - right[j]!) < 0) count++;
  }
  return count;
}

function byD3({ bars, flows }: Sample): number {
  const layout = sankey().nodeAlign(sankeyLeft).nodePadding(32).size([1200, 700]);
  const { nodes, links } = layout({
    nodes: Array.from({ length: bars }, () => ({})),
    links: flows.map(([source, target, value]) => ({ source, target, value })),
  });
  const levels = Math.max(...nodes.map((n) => n.depth + 1));
  const xOf = (level: number): [number, number] => {
    const bar = nodes.find((n) => n.depth === level)!;
    return [bar.x0, bar.x1];
  };
  return crossings(links, levels, xOf);
}

describe("the order of bars", () => {
  it.each(SAMPLES)("crosses no more than that of d3-sankey: $name", (sample) => {
    expect(sample.crossings).toBeLessThanOrEqual(byD3(sample));
  });
  it("crosses less in all", () => {
    const ours = SAMPLES.reduce((sum, s) => sum + s.crossings, 0);
    expect(ours).toBeLessThan(SAMPLES.reduce((sum, s) => sum + byD3(s), 0));
  });
});
