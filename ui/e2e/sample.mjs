// A server of a made-up domain, played by the test: the built page is served from dist, its questions are
// answered here. It shows that the page knows no domain, and makes states that a real run seldom has: slow
// answers, refusals, a lost connection, a partial run.

import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const NONE = 4294967295;
const CONSTANTS = readFileSync(new URL("../src/protocol/constants.ts", import.meta.url), "utf8");
/** A palette slot by its name, as it is generated for the page. */
const slot = (name) => Number(CONSTANTS.match(new RegExp(`\\b${name}: (\\d+)`))[1]);
export const ORIGIN = "http://sample.test";

const COLUMNS = {
  boxes: "x:f32 y:f32 w:f32 h:f32 tree:u8 node:u32 to:u32 role:u8 style:u16 fill:u16 id:u32",
  links: "x0:f32 y0:f32 x1:f32 y1:f32 tree:u8 node:u32 to:u32 role:u8 style:u16 fill:u16 id:u32",
  points: "x:f32 y:f32 r:f32 tree:u8 node:u32 to:u32 role:u8 style:u16 fill:u16 id:u32",
  ribbons:
    "x0:f32 top0:f32 bottom0:f32 x1:f32 top1:f32 bottom1:f32 tree:u8 node:u32 to:u32 role:u8 style:u16 fill:u16 id:u32",
  polygons: "end:u32 tree:u8 node:u32 to:u32 role:u8 style:u16 fill:u16 id:u32",
  labels: "x:f32 y:f32 w:f32 tree:u8 node:u32 role:u8 style:u16",
};
const ARRAYS = { f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };
const USUAL = { node: NONE, to: NONE, id: NONE };

/** A scene's head and its columns, from marks as plain objects. */
function scene({ marks = {}, ...head }) {
  const parts = [];
  const out = {
    title: "",
    styles: [],
    texts: [],
    plots: [],
    areas: [],
    grids: [],
    legend: [],
    note: null,
    words: [],
    ...head,
  };
  for (const [kind, columns] of Object.entries(COLUMNS)) {
    const list = marks[kind] ?? [];
    out[kind] = { n: list.length, same: {} };
    if (kind === "labels") out.words = list.map((label) => label.text);
    for (const column of columns.split(" ")) {
      const [name, type] = column.split(":");
      const bytes = Buffer.from(ARRAYS[type].from(list, (mark) => mark[name] ?? USUAL[name] ?? 0).buffer);
      parts.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
    }
  }
  return { head: out, columns: Buffer.concat(parts) };
}

const style = (more) => ({
  shape: "soft",
  fill: "solid",
  stroke: -2,
  width: 1,
  dash: "solid",
  opacity: 1,
  inner: "none",
  foot: false,
  sheets: 0,
  arrow: false,
  curve: "straight",
  hit: true,
  moves: false,
  live: false,
  press: "none",
  rank: 40,
  meaning: "thing",
  ...more,
});
const STYLES = [
  style({ meaning: "closed thing", press: "open", inner: "line", fill: "tint" }),
  style({ meaning: "open thing", press: "close", shape: "envelope", rank: 10, stroke: slot("line") }),
  style({ meaning: "thing" }),
  style({ meaning: "link", fill: "none", hit: false, stroke: slot("edge"), rank: 30 }),
];
const TEXTS = [{ align: "start", size: 11, bold: false, ink: -2, plate: "none", turned: false }];
const EMPTY = {
  boxes: [0, 0],
  links: [0, 0],
  points: [0, 0],
  ribbons: [0, 0],
  polygons: [0, 0],
  areas: [0, 0],
  grids: [0, 0],
  labels: [0, 0],
};
const plot = (more) => ({
  title: "",
  x: null,
  y: null,
  camera: "none",
  scroll: null,
  brush: "none",
  wheel: null,
  marks: EMPTY,
  ...more,
});

/** Things are a tree of 3 × 3: 0 holds 1, 5 and 9, each of which holds three leaves. */
const CHILDREN = [1, 5, 9];
const isOpen = (cut, node) => cut.split(",").includes(String(node));
const titleOf = (node) => (node === 0 ? "all things" : `thing main.c:${10 + node}`);

function graph(look) {
  const cut = look.trees?.things?.cut ?? "";
  const lens = look.trees?.things?.lens;
  const fill = look.options?.colour === "b" ? 3 : 0;
  const marks = { boxes: [], links: [], labels: [] };
  const chosen = (node) => lens && node >= (lens.value ?? 5);
  let x = 16;
  for (const child of CHILDREN) {
    const open = isOpen(cut, child);
    const w = open ? 264 : 96;
    marks.boxes.push({
      x,
      y: 64,
      w,
      h: open ? 96 : 40,
      node: child,
      style: open ? 1 : 0,
      fill: chosen(child) ? 42 : fill,
    });
    marks.labels.push({ x: x + 6, y: 80, w: w - 12, node: child, text: titleOf(child) });
    marks.links.push({ x0: 180, y0: 40, x1: x + w / 2, y1: 64, node: 0, to: child, style: 3 });
    for (let i = 1; open && i <= 3; i++) {
      const at = x + 8 + (i - 1) * 84;
      marks.boxes.push({
        x: at,
        y: 96,
        w: 76,
        h: 48,
        node: child + i,
        style: 2,
        fill: chosen(child + i) ? 42 : fill + 1,
      });
      marks.labels.push({ x: at + 6, y: 112, w: 64, node: child + i, text: `:${10 + child + i}` });
    }
    x += w + 24;
  }
  marks.boxes.unshift({ x: 120, y: 8, w: 120, h: 32, node: 0, style: 2, fill });
  marks.labels.push({ x: 126, y: 28, w: 108, node: 0, text: titleOf(0) });
  const ranges = Object.fromEntries(Object.keys(EMPTY).map((kind) => [kind, [0, marks[kind]?.length ?? 0]]));
  return scene({
    title: "Things",
    width: x,
    height: 176,
    styles: STYLES,
    texts: TEXTS,
    marks,
    plots: [plot({ rect: { x: 0, y: 0, w: x, h: 176 }, camera: "xy", brush: "nodes", marks: ranges })],
    legend: [
      { style: 0, fill, steps: 1, ends: null, text: "closed" },
      { style: null, fill: 1, steps: 1, ends: null, text: "leaf" },
    ],
    note: "small things are merged",
  });
}

/** Bars by time: one row per place. */
function bars(look, top = 24) {
  const { w, h } = look.size;
  const [from, to] = look.scope.time ?? [1000, 2000];
  const rect = { x: 64, y: top, w: Math.max(8, w - 72), h: Math.max(8, h - top - 24) };
  const axis = {
    stops: [
      { value: from, at: rect.x, folded: false },
      { value: to, at: rect.x + rect.w, folded: false },
    ],
    log: false,
    unit: "ns",
    title: "time",
    side: "end",
    grid: true,
  };
  const row = rect.h / 4;
  const at = (t) => rect.x + ((t - from) / (to - from)) * rect.w;
  const boxes = [];
  const labels = [];
  for (let place = 0; place < 4; place++) {
    labels.push({ x: 8, y: rect.y + place * row + row / 2, w: 52, text: `place ${place}` });
    for (let k = 0; k < 3; k++) {
      const start = 1000 + k * 330 + place * 20;
      boxes.push({
        x: at(start),
        y: rect.y + place * row + 2,
        w: at(start + 280) - at(start),
        h: row - 4,
        node: 1 + 4 * k,
        style: 2,
        fill: place,
      });
    }
  }
  return scene({
    title: "Bars",
    width: w,
    height: h,
    styles: STYLES,
    texts: [{ ...TEXTS[0], ink: 52 }],
    marks: { boxes, labels },
    plots: [
      plot({ rect, x: axis, camera: "x", brush: "time", marks: { ...EMPTY, boxes: [0, boxes.length] } }),
    ],
  });
}

const number = (value, share = null) => ({
  is: "number",
  value,
  text: `${value} ns`,
  exact: `${value} ns`,
  share,
});
const words = (text) => ({ is: "text", text });
const look = (view, more = {}) => ({ v: 1, view, run: 0, scope: {}, size: { w: 320, h: 90 }, ...more });

function sheet(run) {
  const finding = (n, severity, share) => ({
    is: "finding",
    number: n,
    id: `f${n}`,
    severity,
    cost: number(100 * n, share),
    bound: n === 2,
    line: { is: "line", text: `main.c:${n}`, file: "/src/main.c", line: n },
    what: `problem ${n} of run ${run}`,
    evidence: "It is seen here.",
    advice: "Try something else.",
    picture: n === 1 ? look("sample.strip", { run }) : null,
    show: look("sample.graph", {
      run,
      selected: { run, tree: "things", nodes: "2" },
      trees: { things: { lens: { name: "large" } } },
    }),
  });
  return {
    title: "Overview",
    kind: "",
    crumbs: [],
    selection: null,
    time: null,
    siblings: [null, null],
    offers: [],
    blocks: [
      { is: "text", text: "3 of 4 places busy", tone: "headline" },
      { is: "text", text: "A made-up run.", tone: "note" },
      { is: "head", text: "What costs most" },
      finding(1, "high", 0.31),
      finding(2, "low", 0.02),
      { is: "head", text: "Counted" },
      {
        is: "facts",
        rows: [
          { name: "things", value: number(13), about: "all of them" },
          { name: "none", value: { is: "none" }, about: "" },
        ],
      },
      { is: "head", text: "Places" },
      {
        is: "table",
        table: {
          columns: [
            { name: "name", title: "Name", about: "", unit: null, sorts: true },
            { name: "work", title: "Work", about: "", unit: "ns", sorts: true },
            { name: "mix", title: "Mix", about: "", unit: null, sorts: false },
          ],
          rows: [3, 9, 5].map((work, i) => ({
            cells: [
              words(`place ${i}`),
              number(work, work / 10),
              {
                is: "shares",
                parts: [
                  { fill: 0, share: 0.4, name: "a", text: "40 %" },
                  { fill: 3, share: 0.3, name: "b", text: "30 %" },
                ],
              },
            ],
            selection: { run, tree: "things", nodes: String(1 + 4 * i) },
            depth: 0,
            state: { lit: false, critical: false, open: false, holds: false },
          })),
          total: 3,
          more: false,
        },
      },
      { is: "head", text: "Slow" },
      { is: "show", title: "A slow picture", look: look("sample.slow", { run }), height: 120, slow: true },
      {
        is: "code",
        file: "/src/main.c",
        first: 10,
        lines: ["int main(void) {", "  work();", "}"],
        mark: 11,
        beside: [
          {
            line: 11,
            bars: [
              { fill: "solid", slot: 2, share: 0.5, number: null, text: "work: 5 ms" },
              { fill: "dots", slot: 1, share: 1, number: 2, text: "lost, imbalance: 10 ms" },
            ],
          },
        ],
        scale: "10 ms",
      },
    ],
  };
}

function about(selection) {
  const node = Number(selection.nodes.split(/[,-]/)[0]);
  const parent = CHILDREN.includes(node) ? 0 : CHILDREN.findLast((child) => child < node);
  const crumb = (of) => ({
    title: titleOf(of),
    selection: { run: selection.run, tree: "things", nodes: String(of) },
  });
  const sibling = (of) => (of >= 0 && of <= 12 ? crumb(of).selection : null);
  return {
    title: titleOf(node),
    kind: "thing",
    selection,
    time: [1000 + node * 20, 1100 + node * 20],
    siblings: [sibling(node - 1), sibling(node + 1)],
    crumbs: node === 0 ? [] : parent === 0 ? [crumb(0)] : [crumb(0), crumb(parent)],
    blocks: [{ is: "facts", rows: [{ name: "work", value: number(node), about: "how long" }] }],
    offers: [
      { title: "In time", view: "sample.bars", act: "reveal" },
      { title: "In the graph", view: "sample.graph", act: "reveal" },
    ],
  };
}

function table(ask) {
  const cut = ask.look.trees?.things?.cut ?? "";
  const nodes = ask.flat
    ? [5, 6, 7, 8, 9, 10, 11, 12]
    : CHILDREN.flatMap((c) => (isOpen(cut, c) ? [c + 1, c + 2, c + 3] : [c]));
  let rows = nodes.map((node) => ({
    cells: [words(titleOf(node)), number(node)],
    selection: { run: ask.look.run, tree: ask.tree, nodes: String(node) },
    depth: 1,
    state: { lit: ask.flat, critical: node === 5, open: false, holds: CHILDREN.includes(node) },
  }));
  if (ask.filter) rows = rows.filter((r) => r.cells[0].text.includes(ask.filter));
  if (ask.sort === "work")
    rows.sort((a, b) => (ask.descending ? -1 : 1) * (a.cells[1].value - b.cells[1].value));
  const columns = [
    { name: "name", title: "Name", about: "", unit: null, sorts: true },
    { name: "work", title: "Work", about: "", unit: "ns", sorts: true },
  ];
  return { columns, rows: rows.slice(ask.from, ask.from + ask.count), total: rows.length, more: false };
}

/** Acts on the look of the graph. */
function acted(call, from) {
  const next = structuredClone(from);
  const things = ((next.trees ??= {}).things ??= {});
  const cut = new Set((things.cut ?? "").split(",").filter(Boolean));
  const node = call?.on?.nodes;
  let select = null;
  let notice = null;
  if (call?.name === "open") cut.add(node);
  if (call?.name === "close") cut.delete(node);
  if (call?.name === "depth") {
    cut.clear();
    if (call.numbers[0] > 0) CHILDREN.forEach((child) => cut.add(String(child)));
  }
  if (call?.name === "below")
    for (const child of CHILDREN) if (node === "0" || String(child) === node) cut.add(String(child));
  if (call?.name === "reveal") {
    const holder = CHILDREN.findLast((child) => child < Number(node));
    if (holder !== undefined && !CHILDREN.includes(Number(node))) cut.add(String(holder));
    select = call.on;
  }
  if (call?.name === "worst") {
    cut.add("9");
    select = { run: next.run, tree: "things", nodes: "12" };
    notice = "1 of the 8 worst";
  }
  things.cut = [...cut].join(",");
  return { look: next, select, notice };
}

const view = (name, title, pane, more = {}) => ({
  name,
  title,
  section: "Sample",
  icon: "M2 2h12v12H2z",
  about: `${title}, made up.`,
  trees: ["things"],
  pane,
  options: [],
  acts: [],
  compares: "no",
  slow: false,
  hidden: false,
  ...more,
});
const opt = (name, title, kind, usual, more = {}) => ({
  name,
  title,
  kind,
  usual,
  auto: false,
  when: null,
  key: null,
  ...more,
});
const VIEWS = [
  view("sample.first", "First", "sheet"),
  view("sample.graph", "Graph", "graph", {
    options: [
      opt(
        "colour",
        "Colour",
        {
          is: "choice",
          values: [
            ["a", "One"],
            ["b", "Two"],
          ],
        },
        "a",
      ),
      opt("strong", "Strong", { is: "flag" }, "false", { key: "C" }),
      opt("size", "Size", { is: "number", least: 1, most: 100, log: true, unit: "ratio" }, "2"),
      opt("of", "Only of", { is: "nodes", tree: "things" }, ""),
    ],
    acts: [{ name: "worst", title: "Open the worst", key: "Shift+W", on: "view" }],
  }),
  view("sample.bars", "Bars", "plots"),
  view("sample.slow", "Slow", "plots", {
    slow: true,
    options: [opt("faster", "Faster", { is: "number", least: 1, most: 10, log: false, unit: "ratio" }, "2")],
  }),
  view("sample.table", "Table", "table", {
    trees: [],
    options: [opt("tree", "Tree", { is: "choice", values: [] }, "")],
  }),
  view("sample.wrong", "Wrong", "graph"),
  view("sample.strip", "Strip", "plots", { hidden: true }),
];
const TREE = {
  name: "things",
  title: "Things",
  node: ["thing", "things"],
  sign: "#",
  parameter: false,
  options: [],
  slow: false,
};
const PALETTE = Array.from(
  { length: 102 },
  (_, i) => "#" + ((i * 2654435761) >>> 8).toString(16).padStart(6, "0").slice(0, 6),
);

function hello({ runs = 1, partial = null, build = "b1" }) {
  const run = (name, i) => ({
    name,
    partial: i === 0 ? partial : null,
    clock: "ns",
    time: [1000, 2000],
    places: 4,
    trees: [TREE],
    views: VIEWS,
    strip: "sample.strip",
  });
  return {
    crosscut: "0.0.0",
    build,
    runs: ["one", "two"].slice(0, runs).map(run),
    palettes: { light: PALETTE, dark: PALETTE },
  };
}

const LENSES = (lenses) => [
  {
    name: "large",
    title: "large things",
    metric: "number",
    unit: "count",
    below: false,
    usual: 5,
    range: [1, 12],
    missing: null,
    about: "Large ones.",
    value: lenses[0]?.value ?? 5,
    count: 13 - Math.ceil(lenses[0]?.value ?? 5),
    facts: [{ name: "lost", value: number(7), about: "" }],
    advice: "Make them smaller.",
    worst: { run: 0, tree: "things", nodes: "12" },
  },
  {
    name: "odd",
    title: "odd things",
    metric: "oddness",
    unit: "ratio",
    below: true,
    usual: 1,
    range: [0, 2],
    missing: "It needs --odd.",
    about: "",
    value: 1,
    count: 0,
    facts: [],
    advice: "",
    worst: null,
  },
];

/** The answer to a question: JSON, and columns behind it. */
function answer(q, settings) {
  switch (q.ask) {
    case "hello":
      return { ok: hello(settings) };
    case "overview":
      return { ok: sheet(q.run) };
    case "about":
      return { ok: about(q.selection) };
    case "table":
      return { ok: table(q) };
    case "search": {
      const found = Array.from({ length: 13 }, (_, node) => node).filter((node) =>
        q.words.startsWith("#") ? q.words === `#${node}` : titleOf(node).includes(q.words),
      );
      const hits = found.map((node) => ({
        selection: { run: q.run, tree: "things", nodes: String(node) },
        title: titleOf(node),
        value: number(node),
      }));
      return { ok: { trees: [{ tree: "things", title: "Things", hits, total: hits.length, more: false }] } };
    }
    case "tree":
      return {
        ok: {
          tree: "things",
          nodes: 13,
          depth: 2,
          cut: "",
          metrics: [{ name: "work", title: "Work", unit: "ns", about: "" }],
          lenses: LENSES(q.lenses),
          facts: [],
        },
      };
    case "light": {
      const { selected } = q.look;
      const node = Number(selected.nodes.split(/[,-]/)[0]);
      const holder = CHILDREN.findLast((child) => child < node);
      const above = node === 0 ? [] : CHILDREN.includes(node) ? [0] : [0, holder];
      const inside = CHILDREN.includes(node) ? `${node}-${node + 3}` : selected.nodes;
      return {
        ok: {
          trees: [{ tree: 0, nodes: selected.nodes, to: selected.to ?? null, inside, above }],
          time: selected.time ?? null,
          by: "same tree",
        },
      };
    }
    case "scene": {
      if (q.look.view === "sample.wrong") return { error: "this view is always wrong" };
      const { look: next, select, notice } = acted(q.act, q.look);
      const base = { look: next, settled: {}, select, stopped: false, notice, visible: 4, ms: 1 };
      if (q.look.view === "sample.first")
        return { ok: { ...base, shown: { is: "sheet", sheet: sheet(q.look.run) } } };
      const { head, columns } =
        q.look.view === "sample.graph" ? graph(next) : bars(next, q.look.view === "sample.strip" ? 4 : 24);
      return { ok: { ...base, shown: { is: "scene", head } }, columns };
    }
    default:
      return { ok: null };
  }
}

function framed(json, columns = Buffer.alloc(0)) {
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, columns]);
}

/**
 * Opens the page of the made-up domain; `settings` say how many runs there are, whether the first is partial.
 * What was asked is in `page.asked`; `page.sockets` can be closed to lose the connection.
 */
export async function sample(
  browser,
  { width = 1280, height = 800, fragment = "", hints = false, ...settings } = {},
) {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: "reduce",
    colorScheme: settings.theme ?? "light",
  });
  if (!hints)
    await context.addInitScript(() => localStorage.setItem("crosscut.hints", "sheet,graph,plots,table"));
  const page = await context.newPage();
  Object.assign(page, { problems: [], waiting: new Set(), asked: [], sockets: [], settings });
  page.on("pageerror", (error) => page.problems.push(error.stack ?? error.message));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  await page.route(`${ORIGIN}/**`, (route) => {
    const path = new URL(route.request().url()).pathname;
    const file = join(DIST, path === "/" ? "index.html" : path);
    route.fulfill({ contentType: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
  });
  await page.routeWebSocket(/\/api\/socket$/, (socket) => {
    if (page.settings.down) return void socket.close();
    page.sockets.push(socket);
    socket.onMessage((text) => reply(page, socket, JSON.parse(text)));
  });
  await page.goto(`${ORIGIN}/${fragment}`);
  await page.waitForFunction(() => window.crosscut?.ready === true);
  return page;
}

function reply(page, socket, q) {
  page.asked.push(q);
  if (q.ask === "scene" && q.look.view === "sample.slow") return slowly(page, socket, q);
  const { columns, ...said } = answer(q, page.settings);
  socket.send(framed({ id: q.id, ...said }, columns));
}

/** A slow picture: progress until the test lets it go on, or it is given up. */
function slowly(page, socket, q) {
  socket.send(framed({ id: q.id, progress: { share: 0.25, what: "thinking" } }));
  page.finish = () => {
    const { columns, ...said } = answer(q, page.settings);
    socket.send(framed({ id: q.id, ...said }, columns));
  };
}
