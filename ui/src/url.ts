// The state as the address's fragment, so that a copied address gives the same picture. State goes in, text
// comes out, and back; only what differs from the first page is written, and what cannot be read is ignored.
//
// #v=1 & p=VIEW:RUN[-RUN..|-rest],.. & g=2x1 & a=N & full & c0=X~Y~K & s=RUN:TREE:NODES[>NODES][@T~T] & n0=SELECTION;TEXT & w0=T~T
//   & r0=0-31,64 & i0=SELECTION & 0/TREE=CUT[;lens=NAME~VALUE][;OPT=VALUE] & o.VIEW.OPT=VALUE & link=0 & inspector=0 & theme=dark

import { ranges } from "./selection";
import {
  firstPage,
  MOST_PANES,
  paneOf,
  type Camera,
  type Grid,
  type Note,
  type Options,
  type Page,
  type Pane,
  type RunState,
  type TreeState,
} from "./state";
import { viewOf } from "./views";
import type { RunInfo } from "./protocol/RunInfo";
import type { Scope } from "./protocol/Scope";
import type { Selection } from "./protocol/Selection";
import type { Span } from "./protocol/Span";

/** What addresses can hold as it is, though it is not a letter. */
const PLAIN = /%(?:2C|2F|3A|7C|28|29)/g;
const written = (text: string): string => encodeURIComponent(text).replace(PLAIN, decodeURIComponent);
/** Inside of a selection colons part. */
const strict = (text: string): string => encodeURIComponent(text).replace(/%2F/g, "/");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A half-copied address: that part is as if it were not there.
    return "";
  }
}

export function encode(s: Page, runs: readonly RunInfo[]): string {
  const first = firstPage(runs);
  const out: string[] = [];
  const put = (key: string, value: string, usual: string): void => {
    if (value !== usual) out.push(`${key}=${value}`);
  };
  put("p", s.panes.map(paneText).join(","), first.panes.map(paneText).join(","));
  put("g", s.grid.join("x"), first.grid.join("x"));
  put("a", String(s.active), "0");
  put("full", s.full ? "1" : "0", "0");
  s.panes.forEach((p, i) => put(`c${i}`, p.camera ? [p.camera.x, p.camera.y, p.camera.k].join("~") : "", ""));
  put("s", selectionText(s.selected), "");
  s.notes.forEach((note, i) => put(`n${i}`, `${selectionText(note.of)};${written(note.text)}`, ""));
  s.runs.forEach((r, i) => putRun(put, r, i));
  for (const view of Object.keys(s.options).sort()) {
    const own = s.options[view]!;
    for (const name of Object.keys(own).sort())
      out.push(`o.${written(view)}.${written(name)}=${written(own[name]!)}`);
  }
  put("link", s.link ? "1" : "0", "1");
  put("inspector", s.inspector ? "1" : "0", "1");
  put("theme", s.theme ?? "", "");
  return out.length === 0 ? "" : ["v=1", ...out].join("&");
}

function putRun(put: (key: string, value: string, usual: string) => void, r: RunState, i: number): void {
  put(`w${i}`, r.scope.time?.join("~") ?? "", "");
  put(`r${i}`, r.scope.places ?? "", "");
  put(`i${i}`, selectionText(r.scope.inside ?? null), "");
  for (const key of Object.keys(r.trees).sort()) put(`${i}/${written(key)}`, treeText(r.trees[key]!), "");
}

function paneText(p: Pane): string {
  const against = p.against === null ? [] : p.against === "rest" ? ["rest"] : p.against;
  return `${written(p.view)}:${[p.run, ...against].join("-")}`;
}

function treeText(tree: TreeState): string {
  const lens = tree.lens
    ? [`lens=${written(tree.lens.name)}${tree.lens.value === undefined ? "" : `~${tree.lens.value}`}`]
    : [];
  const options = Object.keys(tree.with)
    .sort()
    .map((name) => `${written(name)}=${written(tree.with[name]!)}`);
  return [written(tree.cut), ...lens, ...options].join(";");
}

export function selectionText(s: Selection | null): string {
  if (!s) return "";
  const to = s.to === undefined ? "" : `>${s.to}`;
  const time = s.time ? `@${s.time.join("~")}` : "";
  return `${s.run}:${strict(s.tree)}:${s.nodes}${to}${time}`;
}

export function decode(fragment: string, runs: readonly RunInfo[]): Page {
  const s = firstPage(runs);
  const get = fields(fragment);
  if ((get.get("v") ?? "1") !== "1") return s;
  const panes = readPanes(get.get("p") ?? "", runs).map((p, i) => ({
    ...p,
    camera: camera(get.get(`c${i}`)),
  }));
  const shown = panes.length > 0 ? panes : s.panes;
  const active = Number(get.get("a") ?? 0);
  const theme = get.get("theme");
  return {
    ...s,
    panes: panes.length > 0 ? panes : s.panes.map((p, i) => ({ ...p, camera: camera(get.get(`c${i}`)) })),
    grid: readGrid(get.get("g"), shown.length) ?? (panes.length > 0 ? sideways(shown.length) : s.grid),
    active: Number.isInteger(active) && active >= 0 && active < shown.length ? active : 0,
    full: get.get("full") === "1",
    selected: readSelection(get.get("s"), runs.length),
    notes: readNotes(get, runs.length),
    runs: s.runs.map((_, i) => ({ scope: readScope(get, i, runs.length), trees: readTrees(get, i) })),
    options: readOptions(get),
    link: get.get("link") !== "0",
    inspector: get.get("inspector") !== "0",
    theme: theme === "light" || theme === "dark" ? theme : null,
  };
}

/** Fields as they are written; what is in them is decoded by who knows how they are parted. */
export function fields(fragment: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const eq = part.indexOf("=");
    if (eq > 0) map.set(part.slice(0, eq), part.slice(eq + 1));
  }
  return map;
}

const sideways = (panes: number): Grid => Array.from({ length: panes }, () => 1);

function readGrid(text: string | undefined, panes: number): Grid | null {
  if (!text || !/^[1-4](x[1-4])*$/.test(text)) return null;
  const grid = text.split("x").map(Number);
  return grid.reduce((a, b) => a + b, 0) === panes ? grid : null;
}

function readPanes(text: string, runs: readonly RunInfo[]): Pane[] {
  const list: Pane[] = [];
  for (const part of text.split(",").slice(0, MOST_PANES)) {
    const colon = part.lastIndexOf(":");
    const view = decoded(colon < 0 ? part : part.slice(0, colon));
    const [first, ...others] = (colon < 0 ? "0" : part.slice(colon + 1)).split("-");
    const run = index(first, runs.length);
    if (run === null || !viewOf(runs[run]!, view)) continue;
    list.push({ ...paneOf(view, run), against: readAgainst(others, runs.length) });
  }
  return list;
}

function readAgainst(parts: string[], runs: number): Pane["against"] {
  if (parts.length === 1 && parts[0] === "rest") return "rest";
  const list = parts.map((part) => index(part, runs)).filter((run) => run !== null);
  return list.length > 0 ? list : null;
}

function index(text: string | undefined, below: number): number | null {
  return text !== undefined && /^\d+$/.test(text) && Number(text) < below ? Number(text) : null;
}

function readScope(get: Map<string, string>, run: number, runs: number): Scope {
  const scope: Scope = {};
  const time = span(get.get(`w${run}`));
  const places = get.get(`r${run}`);
  const inside = readSelection(get.get(`i${run}`), runs);
  if (time) scope.time = time;
  if (places && ranges(places)) scope.places = places;
  if (inside) scope.inside = inside;
  return scope;
}

function readTrees(get: Map<string, string>, run: number): Record<string, TreeState> {
  const trees: Record<string, TreeState> = {};
  for (const [key, value] of get) {
    if (!key.startsWith(`${run}/`)) continue;
    const name = decoded(key.slice(key.indexOf("/") + 1));
    if (name !== "") trees[name] = readTree(value);
  }
  return trees;
}

function readTree(text: string): TreeState {
  const [cut, ...fields] = text.split(";");
  const options: Record<string, string> = {};
  const tree: TreeState = { with: options, cut: decoded(cut ?? "") };
  for (const field of fields) {
    const eq = field.indexOf("=");
    if (eq <= 0) continue;
    const [name, value] = [decoded(field.slice(0, eq)), field.slice(eq + 1)];
    if (name !== "lens") options[name] = decoded(value);
    else {
      const [lens, at] = value.split("~");
      const number = at === undefined ? NaN : Number(at);
      if (lens) tree.lens = { name: decoded(lens), ...(Number.isFinite(number) ? { value: number } : {}) };
    }
  }
  return tree;
}

function readNotes(get: Map<string, string>, runs: number): Note[] {
  return [...get].flatMap(([key, value]) => {
    const at = value.indexOf(";");
    const of = /^n\d+$/.test(key) && at > 0 ? readSelection(value.slice(0, at), runs) : null;
    const text = decoded(value.slice(at + 1));
    return of && text !== "" ? [{ of, text }] : [];
  });
}

function readOptions(get: Map<string, string>): Record<string, Options> {
  const options: Record<string, Record<string, string>> = {};
  for (const [key, value] of get) {
    const dot = key.lastIndexOf(".");
    if (!key.startsWith("o.") || dot <= 2) continue;
    (options[decoded(key.slice(2, dot))] ??= {})[decoded(key.slice(dot + 1))] = decoded(value);
  }
  return options;
}

export function readSelection(text: string | undefined, runs: number): Selection | null {
  const match = /^(\d+):([^:]+):([\d,-]*)(?:>([\d,-]*))?(?:@(.+))?$/.exec(text ?? "");
  if (!match) return null;
  const [, first, tree, nodes, to, at] = match;
  const run = index(first, runs);
  const time = span(at);
  const name = decoded(tree!);
  if (run === null || name === "" || !ranges(nodes!) || (to !== undefined && !ranges(to))) return null;
  return { run, tree: name, nodes: nodes!, ...(to === undefined ? {} : { to }), ...(time ? { time } : {}) };
}

function numbers(text: string | undefined, count: number): number[] | null {
  if (!text) return null;
  const list = text.split("~").map(Number);
  return list.length === count && list.every(Number.isFinite) ? list : null;
}

function span(text: string | undefined): Span | null {
  const list = numbers(text, 2);
  return list && list[0]! < list[1]! ? [list[0]!, list[1]!] : null;
}

function camera(text: string | undefined): Camera | null {
  const list = numbers(text, 3);
  return list && list[2]! > 0 ? { x: list[0]!, y: list[1]!, k: list[2]! } : null;
}
