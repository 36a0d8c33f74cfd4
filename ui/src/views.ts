// The views of a run as its domains declare them. Names are never known here: what a view is, its declaration
// says.

import type { Opt } from "./protocol/Opt";
import type { Page } from "./state";
import type { RunInfo } from "./protocol/RunInfo";
import type { TreeDecl } from "./protocol/TreeDecl";
import type { View } from "./protocol/View";

/** A view by its name; undefined where the run has none. */
export const viewOf = (run: RunInfo | undefined, name: string): View | undefined =>
  run?.views.find((v) => v.name === name);

/** The views to list. */
export const listed = (run: RunInfo): View[] => run.views.filter((v) => !v.hidden);

/** The view that shows a tree as a table. */
export const tableOf = (run: RunInfo, tree: string): View | undefined => {
  const tables = run.views.filter((v) => v.pane === "table");
  return tables.find((v) => v.trees.includes(nameOf(tree))) ?? tables.find((v) => v.trees.length === 0);
};

/** The option in which a table of any tree keeps which one it shows. */
export const TREE_OPTION = "tree";

/** The tree that a table shows: the chosen one, else the first that somebody looks at. */
export function tableTree(s: Page, view: View, run: RunInfo | undefined): string {
  const chosen = s.options[view.name]?.[TREE_OPTION] ?? "";
  if (treeDecl(run, chosen)) return chosen;
  return (
    view.trees[0] ??
    run?.views.find((v) => v.pane !== "sheet" && v.trees.length > 0)?.trees[0] ??
    run?.trees[0]?.name ??
    ""
  );
}

/** The view that a table's tree is opened and folded in: a table is asked for with its look. */
export function ownerOf(run: RunInfo, tree: string, table: View): View {
  const own = listed(run).filter((v) => v.trees[0] === tree && !v.slow);
  return own.find((v) => v.pane === "graph") ?? own.find((v) => v.pane === "plots") ?? table;
}

/** The name of a tree without its parameter. */
export const nameOf = (key: string): string => key.split("/", 1)[0]!;

export const treeDecl = (run: RunInfo | undefined, key: string): TreeDecl | undefined =>
  run?.trees.find((t) => t.name === nameOf(key));

/** The keys of a view's trees in a run, in the order of their numbers; of "NAME/*" all that the state has. */
export function keysOf(s: Page, run: number, view: View, info: RunInfo | undefined): string[] {
  if (view.pane === "table") return [tableTree(s, view, info)];
  const known = Object.keys(s.runs[run]?.trees ?? {}).sort();
  return view.trees.flatMap((tree) => {
    if (!tree.endsWith("/*")) return [tree];
    return known.filter((key) => key.includes("/") && nameOf(key) === nameOf(tree));
  });
}

/** The value of an option as it is in effect. */
export const valueOf = (opt: Opt, options: Readonly<Record<string, string>>): string =>
  options[opt.name] ?? opt.usual;

/** Whether an option has anything to decide now. */
export const isShown = (
  opt: Opt,
  options: readonly Opt[],
  values: Readonly<Record<string, string>>,
): boolean => {
  if (!opt.when) return true;
  const [other, value] = opt.when;
  const of = options.find((o) => o.name === other);
  return of !== undefined && valueOf(of, values) === value;
};
