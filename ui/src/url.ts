// The view state as the URL's fragment, so that a copied address gives the same picture. State goes in, text comes
// out, and back; only what differs from the first state is written, and what cannot be read is ignored.

import type { ColourBy } from "./protocol/ColourBy";
import type { Scale } from "./protocol/Scale";
import { firstState, VIEWS, type Camera, type Pane, type Span, type ViewId, type ViewState } from "./state";

const COLOURS: ColourBy[] = ["worker", "kind", "source", "core"];
const SCALES: Scale[] = ["even", "log", "linear"];

export function encode(s: ViewState): string {
  const first = firstState(s.runs.length);
  const out: [string, string][] = [];
  const put = (key: string, value: string, usual: string) => {
    if (value !== usual) out.push([key, value]);
  };
  put("view", panes(s.panes), panes(first.panes));
  put("split", s.split, first.split);
  put("active", String(s.active), "0");
  put("max", String(s.maximised), "false");
  put("colour", s.colour, first.colour);
  put("scale", s.scale, first.scale);
  put("critical", String(s.critical), "false");
  put("grain-colour", s.grainColour, first.grainColour);
  put("lens", s.lens, "");
  put("thresholds", thresholds(s.thresholds), "");
  put("alike", String(s.alike), String(first.alike));
  put("faster", String(s.faster), String(first.faster));
  put("table", s.table, first.table);
  put("all", String(s.all), "false");
  put("link", String(s.linked), "true");
  put("inspector", String(s.inspector), "true");
  put("theme", s.theme ?? "", "");
  put("sort", s.sort, "");
  put("descending", String(s.descending), "true");
  put("filter", s.filter, "");
  s.runs.forEach((r, i) => {
    put(`cut${i}`, r.cut, "");
    put(`node${i}`, r.selected === null ? "" : String(r.selected), "");
    put(`window${i}`, r.window ? r.window.join("~") : "", "");
    put(`camera${i}`, cameraText(r.camera), "");
    put(`grain-cut${i}`, r.grainCut, "");
    put(`grain${i}`, r.grain === null ? "" : String(r.grain), "");
    put(`grain-camera${i}`, cameraText(r.grainCamera), "");
    put(`path${i}`, r.pathOf === null ? "" : String(r.pathOf), "");
  });
  return out.map(([k, v]) => `${k}=${encodeURIComponent(v).replace(/%2C/g, ",").replace(/%3A/g, ":")}`).join("&");
}

export function decode(fragment: string, runs: number): ViewState {
  const s = firstState(runs);
  const get = fields(fragment);
  const one = <T extends string>(key: string, of: readonly T[], usual: T): T => of.find((o) => o === get.get(key)) ?? usual;
  const flag = (key: string, usual: boolean) => (get.has(key) ? get.get(key) === "true" : usual);
  const read = readPanes(get.get("view") ?? "", runs);
  if (read.length > 0) s.panes = read;
  s.split = one("split", ["row", "column"] as const, s.split);
  s.active = get.get("active") === "1" && s.panes.length === 2 ? 1 : 0;
  s.maximised = flag("max", false);
  s.colour = one("colour", COLOURS, s.colour);
  s.scale = one("scale", SCALES, s.scale);
  s.critical = flag("critical", false);
  s.grainColour = one("grain-colour", COLOURS, s.grainColour);
  s.lens = get.get("lens") ?? "";
  s.thresholds = readThresholds(get.get("thresholds") ?? "");
  s.alike = flag("alike", s.alike);
  s.faster = numbers(get.get("faster"), 1)?.find((k) => k >= 0.001 && k <= 1e6) ?? s.faster;
  s.table = one("table", ["dag", "grain"] as const, s.table);
  s.all = flag("all", false);
  s.linked = flag("link", true);
  s.inspector = flag("inspector", true);
  s.theme = get.get("theme") === "light" || get.get("theme") === "dark" ? (get.get("theme") as "light" | "dark") : null;
  s.sort = get.get("sort") ?? "";
  s.descending = flag("descending", true);
  s.filter = get.get("filter") ?? "";
  s.runs = s.runs.map((r, i) => ({
    cut: get.get(`cut${i}`) ?? r.cut,
    selected: nodeId(get.get(`node${i}`)),
    window: span(get.get(`window${i}`)),
    camera: camera(get.get(`camera${i}`)),
    grainCut: get.get(`grain-cut${i}`) ?? r.grainCut,
    grain: nodeId(get.get(`grain${i}`)),
    grainCamera: camera(get.get(`grain-camera${i}`)),
    pathOf: nodeId(get.get(`path${i}`)),
  }));
  return s;
}

const cameraText = (c: Camera | null): string => (c ? [c.x, c.y, c.k].join("~") : "");

/** "low-parallel-benefit~1.5,memory-stall~0.3", in the order of the names so that the address is always the same. */
const thresholds = (set: Readonly<Record<string, number>>): string =>
  Object.keys(set).sort().map((problem) => `${problem}~${set[problem]}`).join(",");

function readThresholds(text: string): Record<string, number> {
  const parts = text.split(",").map((part) => part.split("~"));
  return Object.fromEntries(parts.filter(([name, value]) => name && value && Number.isFinite(Number(value))).map(([name, value]) => [name!, Number(value)]));
}

const panes = (list: Pane[]): string => list.map((p) => `${p.view}:${p.run}`).join(",");

function fields(fragment: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const eq = part.indexOf("=");
    if (eq <= 0) continue;
    try {
      map.set(part.slice(0, eq), decodeURIComponent(part.slice(eq + 1)));
    } catch {
      // a half-copied address: that field keeps its usual value
    }
  }
  return map;
}

function readPanes(text: string, runs: number): Pane[] {
  const list: Pane[] = [];
  for (const part of text.split(",").slice(0, 2)) {
    const [view, run] = part.split(":");
    const index = Number(run ?? 0);
    if (VIEWS.includes(view as ViewId) && Number.isInteger(index) && index >= 0 && index < runs) {
      list.push({ view: view as ViewId, run: index });
    }
  }
  return list;
}

function numbers(text: string | undefined, count: number): number[] | null {
  if (!text) return null;
  const list = text.split("~").map(Number);
  return list.length === count && list.every(Number.isFinite) ? list : null;
}

function nodeId(text: string | undefined): number | null {
  const list = numbers(text, 1);
  return list && Number.isInteger(list[0]) && list[0]! >= 0 ? list[0]! : null;
}

function span(text: string | undefined): Span | null {
  const list = numbers(text, 2);
  return list && list[0]! < list[1]! ? [list[0]!, list[1]!] : null;
}

function camera(text: string | undefined): Camera | null {
  const list = numbers(text, 3);
  return list && list[2]! > 0 ? { x: list[0]!, y: list[1]!, k: list[2]! } : null;
}
