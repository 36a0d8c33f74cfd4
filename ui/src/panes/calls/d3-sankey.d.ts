// What the tests use of d3-sankey, which has no types of its own.

declare module "d3-sankey" {
  export interface Bar {
    depth: number;
    x0: number;
    x1: number;
  }
  export interface Band {
    source: Bar;
    target: Bar;
    y0: number;
    y1: number;
  }
  export interface Layout {
    (graph: { nodes: object[]; links: { source: number; target: number; value: number }[] }): {
      nodes: Bar[];
      links: Band[];
    };
    nodeAlign(align: unknown): Layout;
    nodePadding(padding: number): Layout;
    size(size: [number, number]): Layout;
  }
  export function sankey(): Layout;
  export const sankeyLeft: unknown;
}
