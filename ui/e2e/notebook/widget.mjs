// Views in real JupyterLab: a hand in the page is heard in the next cell, a cell is followed by the page. Pictures of it,
// light and dark, go to out/notebook.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../browser.mjs";
import { Notebook, notebook, startLab } from "../jupyter.mjs";

const OUT = fileURLToPath(new URL("../../../out/notebook/", import.meta.url));
mkdirSync(OUT, { recursive: true });
// Messages of the page and cells are read by two threads of the kernel: a cell may be first.
const BEGIN = `import time
import crosscut as cc

def until(test):
    end = time.monotonic() + 60
    while not test():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)

`;

let lab, browser;
before(async () => {
  lab = await startLab();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await lab?.stop();
});

const picture = (nb, name) => nb.page.screenshot({ path: join(OUT, `${name}.png`) });
const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
const drawn = (nb, cell, nth = 0) =>
  nb.probe(
    cell,
    (probe) =>
      probe
        .marks()
        .map((mark) => `${mark.tree}:${mark.node}`)
        .sort()
        .join(" "),
    null,
    nth,
  );
const state = (nb, cell, nth = 0) => nb.probe(cell, (probe) => probe.state(), null, nth);

/** Where one can point at a mark on which a double click does `act`: the head of a group, the middle of others. */
async function seek(nb, cell, act) {
  await nb.show(cell);
  const within = await nb.canvas(cell);
  const marks = await nb.probe(cell, (probe, press) => probe.marks().filter((m) => m.press === press), act);
  const point = (mark) => (act === "close" ? [mark.x + 12, mark.y + 5] : middle(mark));
  const isSeen = (mark) => inside(within, point(mark));
  const mark = marks.findLast(isSeen);
  assert.ok(mark, `nothing to ${act} in ${JSON.stringify(within)}: ${JSON.stringify(marks)}`);
  return { ...mark, point: point(mark) };
}

const inside = (rect, [x, y]) =>
  x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height;

/** Double clicks a mark on which that does `act`. */
async function press(nb, cell, act) {
  const mark = await seek(nb, cell, act);
  await nb.page.mouse.dblclick(...mark.point);
  return mark;
}

test("a hand in the page, a word in a cell", async () => {
  const nb = await Notebook.open(
    browser,
    lab,
    "hands.ipynb",
    notebook(
      `${BEGIN}run = cc.synth("fib", size=2000, workers=4)`,
      `events = []
view = run.tasks.grains()
view.observe(lambda change: events.append(change.name), ["selection", "lens", "cut", "query"])
view`,
      `until(lambda: view.cut and view.selection)
print(len(view.selection), view.query, "selection" in events, "cut" in events)
eval(view.query).columns == view.selection.columns`,
      `view.lens = "sibling-scatter"`,
      `print(view.lens, view.tree("grains").lens, view.query)`,
      `view.save_html("page.html"); view.save_svg("figure.svg"); view.save_png("figure.png")`,
      `until(lambda: view.notes)\nprint(view.notes)`,
    ),
  );
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  await picture(nb, "grains-light");
  const first = await drawn(nb, 1);

  // Pruned with the mouse, and selected.
  const { node } = await press(nb, 1, "close");
  await nb.until(1, (probe) => (probe.state().runs[0].trees.grains?.cut ?? "") !== "");
  await nb.until(1, (probe, before) => probe.marks().length !== before, first.split(" ").length);
  assert.match(
    await nb.run(2),
    new RegExp(`^1 run\\.tree\\('grains'\\)\\.nodes\\('${node}'\\) True True\\s*.*True$`, "s"),
  );

  // Annotated: the note is in Python when the field is left.
  await nb.boxes(1).evaluate((el) => el.shadowRoot.querySelector("canvas").focus());
  await nb.page.keyboard.press(";");
  const field = nb.boxes(1).getByLabel("Note");
  await field.fill("look here");
  await picture(nb, "note-light");
  await field.blur();
  assert.match(await nb.run(6), new RegExp(`tree='grains', nodes='${node}', text='look here'`));
  await nb.boxes(1).getByRole("button", { name: "Inspector" }).click();

  // Filtered in a cell.
  const pruned = await drawn(nb, 1);
  await nb.run(3);
  await nb.until(1, (probe) => probe.state().runs[0].trees.grains?.lens?.name === "sibling-scatter");
  await nb.until(
    1,
    (probe, before) =>
      probe
        .marks()
        .map((m) => `${m.tree}:${m.node}:${m.fill}`)
        .sort()
        .join(" ") !== before,
    pruned,
  );
  assert.match(
    await nb.run(4),
    /\('sibling-scatter', None\) \('sibling-scatter', None\) run\.tree\('grains'\)/,
  );
  await nb.theme("JupyterLab Dark");
  await nb.until(1, (probe) => probe.theme() === "dark");
  await picture(nb, "grains-dark");

  // Run again: the same picture in a new widget.
  const [left, shown] = [await state(nb, 1), await drawn(nb, 1)];
  await nb.run(1);
  await nb.until(1, (probe, before) => probe.marks().length === before, shown.split(" ").length);
  const now = await state(nb, 1);
  assert.deepEqual([now.selected, now.runs], [left.selected, left.runs]);
  assert.equal(await drawn(nb, 1), shown);

  // A page for those without a kernel.
  await nb.run(5);
  await offline(join(lab.folder, "page.html"), shown.split(" ").length);
  assert.match(readFileSync(join(lab.folder, "figure.svg"), "utf8"), /^<svg/);
  assert.match(readFileSync(join(lab.folder, "figure.png")).subarray(0, 4).toString("latin1"), /PNG/);
  assert.deepEqual(nb.page.problems, []);
  await nb.close();
});

test("a hand and a cell at the same moment", async () => {
  const nb = await Notebook.open(
    browser,
    lab,
    "moment.ipynb",
    notebook(
      `${BEGIN}run = cc.synth("fib", size=2000, workers=4)`,
      `view, round = run.tasks.timeline(height=420), 0\nview`,
      // Of a tree that is not on the screen: everything stays where it is.
      `round += 1\nview.look("grains", lens=("sibling-scatter", round))`,
      `until(lambda: view.tree("grains").lens == ("sibling-scatter", round))\nprint(view.selected.nodes)`,
    ),
  );
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  await nb.show(1);
  const within = await nb.canvas(1);
  const marks = (await nb.probe(1, (probe) => probe.marks())).filter((mark) => inside(within, middle(mark)));
  const others = marks.filter((mark, i) => marks.findIndex((other) => other.node === mark.node) === i);
  assert.ok(others.length >= 6, `${others.length} marks`);
  for (let round = 1; round <= 6; round++) {
    const mark = others[round - 1];
    const hand = () => nb.page.mouse.click(...middle(mark));
    // Sometimes one is first, sometimes the other.
    if (round % 2 === 0) await hand();
    await nb.start(2);
    if (round % 2 === 1) await hand();
    const said = await nb.probe(1, (probe) => probe.state().selected?.nodes);
    await nb.until(1, (probe, n) => probe.state().runs[0].trees.grains?.lens?.value === n, round);
    await nb.idle();
    const now = await nb.probe(1, (probe) => probe.state().selected?.nodes);
    assert.ok(said !== undefined && now === said, `round ${round}: ${said} was selected, ${now} is`);
    assert.equal(await nb.run(3), said, `round ${round}`);
  }
  assert.deepEqual(nb.page.problems, []);
  await nb.close();
});

/** Opens a saved page without a network: it shows the same, and says what was selected in it. */
async function offline(path, marks) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1000, height: 600 } });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`file://${path}`);
  const box = page.locator(".crosscut-cell");
  await page.waitForFunction(
    ([el, count]) => el.crosscut?.ready && el.crosscut.marks().length === count,
    [await box.elementHandle(), marks],
  );
  const mark = await box.evaluate((el) => el.crosscut.marks().find((each) => each.press !== "none"));
  await page.mouse.click(...middle(mark));
  await page.waitForFunction((el) => el.crosscut.state().selected !== null, await box.elementHandle());
  await page.screenshot({ path: join(OUT, "saved-page.png") });
  assert.deepEqual(problems, []);
  await context.close();
}

test("several views in one cell, linked", async () => {
  const nb = await Notebook.open(
    browser,
    lab,
    "linked.ipynb",
    notebook(
      `${BEGIN}run = cc.synth("calls", size=3000, ranks=8, slow=3)`,
      `tree, flame = run.calls.tree(height=330, k=0.5), run.calls.flame(height=330)
tree.link(flame)
display(tree, flame)`,
      `until(lambda: tree.selection)
print(flame.query == tree.query, flame.selection.rows().__next__()["node"])`,
      `tree.places = "0-3"
run.view("flow", "scatter", height=420)`,
    ),
    { height: 1100 },
  );
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  await nb.until(1, () => true, null, 1);
  await nb.show(1);
  const within = await nb.canvas(1);
  const nodes = await nb.probe(1, (probe) =>
    Array.from({ length: 3000 }, (_, node) => [node, probe.nodeAt(node)]).filter(([, rect]) => rect !== null),
  );
  const [node, rect] = nodes.findLast(([, rect]) => inside(within, middle(rect)));
  await nb.page.mouse.click(...middle(rect));
  await nb.until(1, (probe, of) => probe.state().selected?.nodes === of, String(node), 1);
  assert.equal(await nb.run(2), `True ${node}`);
  await picture(nb, "linked-light");
  await nb.run(3);
  await nb.until(1, (probe) => probe.state().runs[0].scope.places === "0-3", null, 1);
  await nb.until(3, (probe) => probe.state().panes.length === 2);
  await nb.theme("JupyterLab Dark");
  await nb.until(3, (probe) => probe.theme() === "dark");
  await picture(nb, "panes-dark");
  assert.deepEqual(nb.page.problems, []);
  await nb.close();
});

test("while a cell runs", async () => {
  const cells = notebook(
    `${BEGIN}run = cc.synth("fib", size=2000, workers=4)`,
    `view = run.tasks.dag(height=420)\nview`,
    // Ends only when the page was answered and heard while this runs.
    `until(lambda: view.cut)`,
    // Ends when the test says so.
    `import os\nuntil(lambda: os.path.exists("enough"))`,
  );
  const nb = await Notebook.open(browser, lab, "busy.ipynb", cells);
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  await nb.start(2);
  await nb.busy();
  await press(nb, 1, "open");
  await nb.until(1, (probe) => (probe.state().runs[0].trees.tasks?.cut ?? "") !== "");
  await nb.idle();
  assert.equal(await nb.printed(2), "");

  await nb.close();

  // A front end without subshells: the kernel reads nothing until the cell is through, and the page says so.
  const plain = await Notebook.open(browser, lab, "plain.ipynb", cells);
  await plain.page.evaluate(() => {
    window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.commsOverSubshells = "disabled";
  });
  await plain.run(0);
  await plain.run(1);
  await plain.until(1, () => true);
  await plain.start(3);
  await plain.busy();
  await press(plain, 1, "open");
  const banner = plain.boxes(1).getByText("The kernel is busy with a cell");
  await banner.waitFor();
  await picture(plain, "busy-light");
  writeFileSync(join(lab.folder, "enough"), "");
  await banner.waitFor({ state: "detached" });
  await plain.until(1, (probe) => (probe.state().runs[0].trees.tasks?.cut ?? "") !== "");
  assert.deepEqual([...nb.page.problems, ...plain.page.problems], []);
  await plain.close();
});

test("a saved notebook shows its picture without a kernel", async () => {
  const name = "saved.ipynb";
  const cells = notebook(
    `${BEGIN}run = cc.synth("messages", "halo*2", ranks=8, steps=2)`,
    `view = run.messages.gram()\nview`,
    `run.view("overview")`,
  );
  let nb = await Notebook.open(browser, lab, name, cells);
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  await picture(nb, "gram-light");
  await nb.run(2);
  await nb.boxes(2).getByRole("heading", { level: 1 }).waitFor();
  await nb.save();
  await nb.page.evaluate(() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown());
  await nb.close();
  const saved = JSON.parse(readFileSync(join(lab.folder, name), "utf8"));
  const kinds = saved.cells[1].outputs.map((output) => Object.keys(output.data).sort());
  assert.deepEqual(kinds, [
    ["text/html", "text/plain"],
    ["image/png", "text/plain"],
  ]);
  const sheet = saved.cells[2].outputs.map((output) => Object.keys(output.data).sort());
  assert.deepEqual(sheet, [
    ["text/html", "text/plain"],
    ["text/html", "text/plain"],
  ]);
  assert.ok(JSON.stringify(saved).length < 400_000, `${JSON.stringify(saved).length} bytes`);

  nb = await Notebook.open(browser, lab, name, saved);
  const image = nb.cell(1).locator("img");
  await image.waitFor();
  const { width, height } = await image.boundingBox();
  assert.ok(width > 300 && height > 200, `${width} × ${height}`);
  assert.equal(await nb.cell(1).getByText(/error/i).count(), 0);
  await picture(nb, "saved-light");
  const words = nb.cell(2).locator(".jp-RenderedHTMLCommon:not(:has(.crosscut-host))");
  assert.match(await words.innerText(), /ranks/);
  await words.evaluate((el) => el.scrollIntoView({ block: "start" }));
  await picture(nb, "saved-sheet-light");
  await nb.close();
});

test("in Notebook 7", async () => {
  const cells = notebook(
    `${BEGIN}run = cc.synth("fib", size=2000, workers=4)`,
    `view = run.tasks.grains(height=420)\nview`,
    `until(lambda: view.selection)\nprint(view.query)\nview.lens = "sibling-scatter"`,
  );
  const nb = await Notebook.open(browser, lab, "seven.ipynb", cells, { app: "notebooks" });
  assert.match(await nb.page.evaluate(() => window.jupyterapp.name), /Notebook/);
  // What it says itself while it opens.
  nb.page.problems.length = 0;
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  const { node } = await press(nb, 1, "close");
  assert.equal(await nb.run(2), `run.tree('grains').nodes('${node}')`);
  await nb.until(1, (probe) => probe.state().runs[0].trees.grains?.lens?.name === "sibling-scatter");
  await picture(nb, "seven-light");
  await nb.theme("JupyterLab Dark");
  await nb.until(1, (probe) => probe.theme() === "dark");
  await picture(nb, "seven-dark");
  assert.deepEqual(nb.page.problems, []);
  await nb.close();
});

test("as an ordinary widget, for front ends that show nothing else", async () => {
  const nb = await Notebook.open(
    browser,
    lab,
    "ordinary.ipynb",
    notebook(
      `${BEGIN}import os\nos.environ["CROSSCUT_OUTPUT"] = "view"\nrun = cc.synth("fib", size=2000, workers=4)`,
      `view = run.tasks.dag(height=420)\nview`,
      `until(lambda: view.selection)\nprint(view.query)`,
    ),
  );
  await nb.run(0);
  await nb.run(1);
  await nb.until(1, () => true);
  const { node, point } = await seek(nb, 1, "open");
  await nb.page.mouse.click(...point);
  assert.equal(await nb.run(2), `run.tree('tasks').nodes('${node}')`);
  assert.deepEqual(nb.page.problems, []);
  await nb.close();
});
