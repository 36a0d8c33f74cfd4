// Two runs side by side: both are shown, and zoom goes together until it is unlinked.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { info, serve, synthetic } from "../server.mjs";
import { centre, command, press, show, state, wheel, windowOf } from "../workbench.mjs";

let browser, server, page, elapsed;

before(async () => {
  const runs = [synthetic("fib", 2000), synthetic("sort", 2000)];
  elapsed = runs.map((run) => info(run).tasks.elapsed_ns);
  server = await serve(...runs);
  browser = await launch();
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link, { width: 1600, height: 900 });
});
after(async () => {
  await browser?.close();
  server?.stop();
});

test("two runs open beside each other", async () => {
  const { panes } = await state(page);
  assert.deepEqual(
    panes.map((pane) => pane.run),
    [0, 1],
  );
  const text = await page.locator("main").textContent();
  assert.match(text, /fib-2000/);
  assert.match(text, /sort-2000/);
  assert.deepEqual(page.problems, []);
});

test("a view is chosen for both, and zoom is linked", async () => {
  await show(page, "Task DAG");
  assert.deepEqual(
    (await state(page)).panes.map((pane) => pane.view),
    ["tasks.dag", "tasks.dag"],
  );
  await press(page, "f");
  await wheel(page, await centre(page, 0), -500);
  const zoom = async () => (await state(page)).panes.map((pane) => pane.camera.k);
  const [a, b] = await zoom();
  assert.ok(Math.abs(a / b - 1) < 1e-6, `${a} and ${b}`);
  await press(page, "l");
  await wheel(page, await centre(page, 0), -300);
  const [c, d] = await zoom();
  assert.ok(c > a);
  assert.equal(d, b);
});

test("both panes of grains keep all their tools, and a message names its run", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await show(page, "Grain graph");
  await press(page, ".");
  for (const pane of await page.locator("section.pane").all()) {
    const room = await pane.boundingBox();
    const tools = await pane
      .locator(":is(.pane-head, .tools-row) :is(button, select, label, .threshold-count)")
      .all();
    assert.ok(tools.length >= 12, `${tools.length} tools`);
    for (const tool of tools) {
      const box = await tool.boundingBox();
      const name = (await tool.textContent()) || "a tool";
      assert.ok(box && box.x >= room.x && box.x + box.width <= room.x + room.width, `${name} is in its pane`);
    }
  }
  await press(page, "Shift+W");
  assert.match(await page.locator(".notice").textContent(), /^fib-2000: line 1 of 1, worst first/);
});

test("windows of time are linked: the same stretch, counted from the start of each run", async () => {
  await show(page, "Timeline");
  await wheel(page, await centre(page, 1), -700);
  const [a, b] = [await windowOf(page, 0), await windowOf(page, 1)];
  assert.ok(b[1] - b[0] < 0.9 * elapsed[1]);
  assert.ok(Math.abs((a[1] - a[0]) / (b[1] - b[0]) - 1) < 1e-6, `${a} and ${b}`);
});

test("the comparison says how two runs differ", async () => {
  await command(page, "Compare runs side by side");
  assert.equal((await state(page)).panes.length, 1);
  await show(page, "Compare");
  const text = await page.locator(".sheet").textContent();
  assert.match(text, /fib-2000/);
  assert.match(text, /sort-2000/);
  assert.deepEqual(page.problems, []);
});
