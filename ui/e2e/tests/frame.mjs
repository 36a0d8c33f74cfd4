// The frame of the page with a made-up domain: whatever a server declares is listed, drawn, tabled, searched
// and selected, and every state has its face. The answers come from the test (e2e/sample.mjs).

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { launch } from "../browser.mjs";
import { sample } from "../sample.mjs";
import { command, marks, nodeAt, state } from "../workbench.mjs";

let browser, page;

before(async () => {
  browser = await launch();
});
afterEach(async () => {
  await page?.context().close();
  page = undefined;
});
after(() => browser?.close());

const open = async (settings) => (page = await sample(browser, settings));
/** A moment for answers and frames: the sample answers at once. */
const settle = () => page.waitForTimeout(120);
const press = async (...keys) => {
  for (const key of keys) {
    await page.keyboard.press(key);
    await settle();
  }
};
const asked = (ask) => page.asked.filter((q) => q.ask === ask);
const views = async () => (await state(page)).panes.map((pane) => pane.view);
const clickNode = async (node, options) => {
  const { x, y, width, height } = await nodeAt(page, node);
  await page.mouse.click(x + width / 2, y + Math.min(height / 2, 20), options);
  await settle();
};

test("beside code stand work, lost time and the number of the finding", async () => {
  await open();
  await press("1");
  const lines = page.locator(".code-line");
  assert.equal(await lines.count(), 3);
  const bars = page.locator(".code-line .gutter canvas");
  assert.equal(await bars.count(), 1, "only a line that did something has bars");
  assert.equal(await bars.getAttribute("aria-label"), "work: 5 ms; lost, imbalance: 10 ms");
  assert.equal(await lines.nth(1).locator(".gutter-number").textContent(), "2");
  assert.match(await page.locator(".code-scale").textContent(), /whole width is 10 ms/);
  // All lines begin at the same place, whatever stands beside them.
  const lefts = await page
    .locator(".code-number")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
  assert.equal(new Set(lefts.map(Math.round)).size, 1);
});

test("views, options and acts are those that the server declares", async () => {
  await open();
  const rail = page.getByRole("navigation", { name: "Views" }).getByRole("button");
  assert.deepEqual(await rail.evaluateAll((all) => all.map((one) => one.ariaLabel)), [
    "First",
    "Graph",
    "Bars",
    "Slow",
    "Table",
    "Wrong",
  ]);
  await press("2");
  assert.deepEqual(await views(), ["sample.graph"]);
  await page.getByLabel("Colour").selectOption("b");
  await settle();
  assert.equal(asked("scene").at(-1).look.options.colour, "b");
  await press("c");
  assert.equal(asked("scene").at(-1).look.options.strong, "true");
  await press("Shift+W");
  const { selected, runs } = await state(page);
  assert.equal(selected.nodes, "12");
  assert.equal(runs[0].trees.things.cut, "9");
  assert.match(await page.locator(".notice").textContent(), /1 of the 8 worst/);
  await command(page, "Colour: One");
  assert.equal((await state(page)).options["sample.graph"].colour, undefined);
  assert.deepEqual(page.problems, []);
});

test("up to four panes: split, swapped, maximised, closed", async () => {
  await open();
  await press("\\", "|");
  let s = await state(page);
  assert.deepEqual([s.panes.length, s.grid, s.active], [3, [1, 2], 2]);
  await page
    .locator("section.pane")
    .first()
    .click({ position: { x: 300, y: 300 } });
  await press("|");
  s = await state(page);
  assert.deepEqual([s.panes.length, s.grid], [4, [2, 2]]);
  assert.equal(new Set(await views()).size, 4, "each shows something else");
  assert.equal(await page.locator("section.pane").count(), 4);
  const boxes = await Promise.all(
    (await page.locator("section.pane").all()).map((pane) => pane.boundingBox()),
  );
  assert.ok(
    boxes.every((box) => box.width > 300 && box.height > 200),
    JSON.stringify(boxes),
  );
  await press("\\");
  assert.match(await page.locator(".notice").textContent(), /four panes/);
  const before = await views();
  await press("x");
  assert.notDeepEqual(await views(), before);
  await press("m");
  assert.equal(await page.locator("section.pane").count(), 1);
  await press("m", "q");
  assert.equal(await page.locator("section.pane").count(), 3);
  await press("Control+z");
  assert.equal(await page.locator("section.pane").count(), 4);
  assert.deepEqual(page.problems, []);
});

test("one selection lights what it means in every pane, and asks for no new picture", async () => {
  await open({ fragment: "#v=1&p=sample.graph:0,sample.bars:0,sample.table:0&g=1x2" });
  await settle();
  const scenes = asked("scene").length;
  await clickNode(5);
  assert.deepEqual((await state(page)).selected, { run: 0, tree: "things", nodes: "5" });
  assert.equal(asked("scene").length, scenes, "no picture is asked for");
  assert.deepEqual(new Set(asked("light").map((q) => q.look.view)), new Set(["sample.graph", "sample.bars"]));
  assert.equal(await page.locator(".table-row.selected").textContent(), "▸thing main.c:155 ns");
  assert.match(await page.locator(".inspector").textContent(), /all things.*main\.c:15.*work.*5 ns/);
  assert.match(await page.locator(".crumbs").textContent(), /all things.*thing main\.c:15/);
  await press("]");
  assert.equal((await state(page)).selected.nodes, "6");
  await press("u");
  assert.equal((await state(page)).selected.nodes, "5");
  await press("Escape");
  assert.equal((await state(page)).selected, null);
});

test("double click and Enter open and close, Shift opens all below", async () => {
  await open({ fragment: "#v=1&p=sample.graph:0" });
  await settle();
  await clickNode(5, { clickCount: 2 });
  assert.ok(await nodeAt(page, 6));
  assert.equal((await marks(page)).find((mark) => mark.node === 5).meaning, "open thing");
  await press("Enter");
  assert.equal(await nodeAt(page, 6), null);
  await page.keyboard.down("Shift");
  await clickNode(9);
  await page.keyboard.up("Shift");
  assert.equal(asked("scene").at(-1).act.name, "below");
  assert.ok(await nodeAt(page, 10));
  await page.getByLabel("Open to depth").selectOption("0");
  await settle();
  assert.equal(await nodeAt(page, 10), null);
});

test("a lens is chosen, its threshold moved and reset; what is missing says why", async () => {
  await open({ fragment: "#v=1&p=sample.graph:0" });
  await settle();
  await press("k");
  assert.match(
    await page.getByRole("menu").textContent(),
    /large things8 things7 ns.*odd things.*not available.*--odd/,
  );
  await page.getByRole("menuitemradio", { name: /large/ }).click();
  await settle();
  assert.equal((await state(page)).runs[0].trees.things.lens.name, "large");
  const count = () => page.locator(".threshold-count").textContent();
  assert.match(await count(), /8 things/);
  await page.locator(".threshold input").evaluate((el) => {
    el.value = el.max;
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await settle();
  assert.match(await count(), /1 thing$/);
  assert.equal(asked("scene").at(-1).look.trees.things.lens.value, 12);
  await page.getByRole("button", { name: "reset" }).click();
  await settle();
  assert.match(await count(), /8 things/);
  await press(",");
  assert.equal((await state(page)).runs[0].trees.things, undefined);
});

test("the first sheet: findings lead to their look, tables sort, slow pictures wait for a button", async () => {
  await open();
  await settle();
  const text = await page.locator(".sheet").textContent();
  for (const word of [
    "3 of 4 places busy",
    "Problem 1 of run 0",
    "31.0",
    "200 ns lost",
    "place 1",
    "work();",
  ])
    assert.ok(text.includes(word), word);
  const rows = () => page.locator(".sheet-table tbody tr td:first-child").allTextContents();
  await page.locator(".sheet-table").getByRole("button", { name: "Work" }).click();
  assert.deepEqual(await rows(), ["place 1", "place 2", "place 0"]);
  assert.ok(!asked("scene").some((q) => q.look.view === "sample.slow"), "nobody asked for what is slow");
  const slow = page.locator("figure", { hasText: "A slow picture" });
  await slow.getByRole("button", { name: "Compute" }).click();
  await settle();
  assert.match(await slow.textContent(), /thinking 25.%/);
  await slow.getByRole("button", { name: "Cancel" }).click();
  await settle();
  assert.equal(asked("cancel").length, 1);
  await slow.getByRole("button", { name: "Compute" }).click();
  await settle();
  page.finish();
  await settle();
  assert.equal(await slow.getByRole("button").count(), 0);
  await page.locator(".finding-open").first().click();
  await settle();
  const s = await state(page);
  assert.deepEqual(
    [s.panes[0].view, s.selected.nodes, s.runs[0].trees.things.lens.name],
    ["sample.graph", "2", "large"],
  );
  assert.ok(await nodeAt(page, 2), "what the finding is about is opened");
  await press("p");
  assert.equal(asked("overview").length > 0, true);
  assert.deepEqual(page.problems, []);
});

test("search groups hits by tree, Enter shows the next", async () => {
  await open();
  await press("/");
  await page.keyboard.type("main.c:1");
  await settle();
  assert.match(await page.locator(".search-list").textContent(), /Things 9/);
  await press("Enter");
  const s = await state(page);
  assert.deepEqual([s.panes[0].view, s.selected.nodes], ["sample.graph", "1"]);
  await page.keyboard.press("/");
  await page.locator("input.search-field").fill("nothing such");
  await settle();
  assert.match(
    await page.locator(".search-list").textContent(),
    /Nothing matches “nothing such”.*#12 is one of Things/,
  );
});

test("the table sorts, filters, steps with keys, and lists all that the lens chooses", async () => {
  await open({ fragment: "#v=1&p=sample.table:0&0/things=;lens=large" });
  await settle();
  const names = () =>
    page.locator(".table-row:not(.empty)").evaluateAll((rows) =>
      rows
        .map((row) => [parseFloat(row.style.top), row.querySelector(".first > :last-child").textContent])
        .sort((a, b) => a[0] - b[0])
        .map(([, name]) => name),
    );
  assert.deepEqual(await names(), ["thing main.c:11", "thing main.c:15", "thing main.c:19"]);
  await page.getByRole("columnheader", { name: "Work" }).click();
  await settle();
  assert.equal((await names())[0], "thing main.c:19");
  await page.getByRole("button", { name: "all with large things" }).click();
  await settle();
  assert.equal((await names()).length, 8);
  await page.getByLabel("Filter rows").fill(":22");
  await settle();
  assert.deepEqual(await names(), ["thing main.c:22"]);
  await page.getByLabel("Filter rows").fill("");
  await page.locator(".table-body").focus();
  await press("ArrowDown", "ArrowDown");
  assert.equal((await state(page)).selected.nodes, "11");
});

test("along time: the wheel zooms, dragging moves, Shift selects a stretch, the strip brushes, Home shows all", async () => {
  await open({ fragment: "#v=1&p=sample.bars:0" });
  await settle();
  const window = async () => (await state(page)).runs[0].scope.time;
  const pane = await page.locator("section.pane canvas").first().boundingBox();
  await page.mouse.move(pane.x + 500, pane.y + 200);
  await page.mouse.wheel(0, -300);
  await settle();
  const zoomed = await window();
  assert.ok(zoomed[1] - zoomed[0] < 700);
  assert.deepEqual(asked("scene").at(-1).look.scope.time, zoomed);
  await page.mouse.down();
  await page.mouse.move(pane.x + 400, pane.y + 200, { steps: 4 });
  await page.mouse.up();
  const moved = await window();
  assert.ok(moved[0] > zoomed[0] && Math.abs(moved[1] - moved[0] - zoomed[1] + zoomed[0]) < 1e-6);
  await press("Home");
  assert.equal(await window(), undefined);
  await page.keyboard.down("Shift");
  await page.mouse.move(pane.x + 300, pane.y + 200);
  await page.mouse.down();
  await page.mouse.move(pane.x + 500, pane.y + 220, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const brushed = await window();
  assert.ok(brushed[0] > 1000 && brushed[1] < 2000);
  const strip = await page.locator("footer.strip canvas").boundingBox();
  await page.mouse.dblclick(strip.x + strip.width / 2, strip.y + 20);
  await settle();
  assert.equal(await window(), undefined);
  await page.mouse.move(strip.x + 200, strip.y + 20);
  await page.mouse.down();
  await page.mouse.move(strip.x + 400, strip.y + 20, { steps: 4 });
  await page.mouse.up();
  assert.ok((await window())[1] - (await window())[0] < 400);
});

test("two runs stand side by side; zoom and window are linked until they are not", async () => {
  await open({ runs: 2, width: 1600 });
  await settle();
  assert.deepEqual(
    (await state(page)).panes.map((p) => p.run),
    [0, 1],
  );
  await press("3");
  assert.deepEqual(await views(), ["sample.bars", "sample.bars"]);
  const pane = await page.locator("section.pane canvas").first().boundingBox();
  const zoom = async () => {
    await page.mouse.move(pane.x + 300, pane.y + 200);
    await page.mouse.wheel(0, -200);
    await settle();
    return (await state(page)).runs.map((run) => run.scope.time);
  };
  const [a, b] = await zoom();
  assert.deepEqual(a, b);
  await press("l");
  const [c, d] = await zoom();
  assert.notDeepEqual(c, d);
  await press("v");
  assert.equal((await state(page)).panes.length, 1);
});

test("what is wrong, partial, lost or slow is said", async () => {
  await open({ partial: "The last second is missing." });
  assert.match(await page.locator(".banner").textContent(), /one is partial\. The last second is missing/);
  await press("6");
  assert.match(await page.getByRole("alert").textContent(), /Wrong could not be made\..*always wrong.*Undo/);
  await press("Control+z", "4");
  await page.getByRole("button", { name: "Compute" }).click();
  await settle();
  assert.match(await page.locator(".slow").textContent(), /thinking 25.%.*Cancel/);
  page.settings.down = true;
  await page.sockets.at(-1).close();
  await settle();
  assert.match(
    await page.locator(".banner.problem").textContent(),
    /Connection to the server lost.*Trying again/,
  );
  page.settings.down = false;
  const before = asked("hello").length;
  await page.getByRole("button", { name: "Try now" }).click();
  await page.waitForFunction(() => !document.querySelector(".banner.problem"));
  assert.equal(asked("hello").length, before + 1, "it asks whether the server is the same");
});

test("a server of another build brings another page", async () => {
  await open();
  page.settings.build = "b2";
  const loaded = page.waitForEvent("load");
  await page.sockets.at(-1).close();
  await page.getByRole("button", { name: "Try now" }).click();
  await loaded;
});

test("hints are shown once for each kind of pane", async () => {
  await open({ hints: true });
  assert.match(await page.locator(".hint").textContent(), /What costs most comes first/);
  await page.getByRole("button", { name: "Got it" }).click();
  assert.equal(await page.locator(".hint").count(), 0);
  await press("2");
  assert.match(await page.locator(".hint").textContent(), /Double click opens/);
  await page.getByRole("button", { name: "No hints" }).click();
  await press("3");
  assert.equal(await page.locator(".hint").count(), 0);
});

test("the palette and the help know every command and its key", async () => {
  await open({ fragment: "#v=1&p=sample.graph:0" });
  await settle();
  await press("?");
  const help = await page.getByRole("dialog").textContent();
  for (const word of ["Undo", "Open the worst", "Show Graph", "Strong: on", "Graph, made up."])
    assert.ok(help.includes(word), word);
  await press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await command(page, "Lens: large things");
  assert.equal((await state(page)).runs[0].trees.things.lens.name, "large");
});

test("every control has a name, and the table form of every view is one key away", async () => {
  await open({ fragment: "#v=1&p=sample.graph:0" });
  await settle();
  const nameless = await page
    .locator("button, select, input, canvas[tabindex]")
    .evaluateAll((all) =>
      all
        .filter(
          (el) =>
            !(el.ariaLabel || el.textContent.trim() || el.title || el.closest("label")?.textContent.trim()),
        )
        .map((el) => el.outerHTML),
    );
  assert.deepEqual(nameless, []);
  await press("Shift+T");
  assert.deepEqual(await views(), ["sample.table"]);
  assert.equal(await page.getByRole("table").getAttribute("aria-label"), "Things");
});
