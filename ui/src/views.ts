// The views of a run as its domains declare them, and the table that every tree has without declaring one. Names are
// never known here: what a view is, its declaration says.

import type { Opt } from "./protocol/Opt";
import type { Page } from "./state";
import type { RunInfo } from "./protocol/RunInfo";
import type { TreeDecl } from "./protocol/TreeDecl";
import type { View } from "./protocol/View";

/** A table that no domain declared is named "table/TREE". */
const OWN = "table/";
const TABLE_ICON = "M1.5 2.5h13v11h-13ZM1.5 6h13M1.5 9.5h13M6 2.5v11";

const own = new WeakMap<TreeDecl, View>();
function ownTable(tree: TreeDecl): View {
  let view = own.get(tree);
  if (!view) {
    view = {
      name: OWN + tree.name, title: "Table", section: "", icon: TABLE_ICON,
      about: `${tree.title} as rows: sort, filter, step through them.`,
      trees: [tree.name], pane: "table", options: [], acts: [], compares: "no", slow: false, hidden: false,
    };
    own.set(tree, view);
  }
  return view;
}

/** A view by its name; undefined where the run has none. */
export function viewOf(run: RunInfo | undefined, name: string): View | undefined {
  if (!run) return undefined;
  const declared = run.views.find((v) => v.name === name);
  if (declared || !name.startsWith(OWN)) return declared;
  const tree = run.trees.find((t) => t.name === name.slice(OWN.length));
  return tree && ownTable(tree);
}

/** The table of a tree: the declared one, else the page's own. */
export function tableOf(run: RunInfo, tree: string): View | undefined {
  const name = nameOf(tree);
  return run.views.find((v) => v.pane === "table" && v.trees.includes(name)) ?? viewOf(run, OWN + name);
}

/** The views to list; the table of what is looked at comes last where none is declared. */
export function listed(run: RunInfo, looked: View | undefined): View[] {
  const views = run.views.filter((v) => !v.hidden);
  if (views.some((v) => v.pane === "table")) return views;
  const tree = looked?.trees[0] ?? views.find((v) => v.trees.length > 0)?.trees[0];
  const table = tree === undefined ? undefined : tableOf(run, tree);
  return table ? [...views, table] : views;
}

/** The name of a tree without its parameter. */
export const nameOf = (key: string): string => key.split("/", 1)[0]!;

export const treeDecl = (run: RunInfo | undefined, key: string): TreeDecl | undefined =>
  run?.trees.find((t) => t.name === nameOf(key));

/** What the view that a look of the page's own table is asked with: the server knows only declared ones. */
export const declaredFor = (run: RunInfo, view: View): View =>
  view.name.startsWith(OWN) ? (run.views.find((v) => v.trees[0] === view.trees[0]) ?? view) : view;

/** The keys of a view's trees in a run, in the order of their numbers; a parameter is that of the state. */
export function keysOf(s: Page, run: number, view: View): string[] {
  const known = Object.keys(s.runs[run]?.trees ?? {});
  return view.trees.map((tree) => known.find((key) => key === tree || nameOf(key) === nameOf(tree)) ?? nameOf(tree));
}

/** The value of an option as it is in effect. */
export const valueOf = (opt: Opt, options: Readonly<Record<string, string>>): string => options[opt.name] ?? opt.usual;

/** Whether an option has anything to decide now. */
export const isShown = (opt: Opt, options: readonly Opt[], values: Readonly<Record<string, string>>): boolean => {
  if (!opt.when) return true;
  const [other, value] = opt.when;
  const of = options.find((o) => o.name === other);
  return of !== undefined && valueOf(of, values) === value;
};
