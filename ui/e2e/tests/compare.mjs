// Two runs side by side: both are shown, and zoom goes together until it is unlinked.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { serve, synthetic } from "../server.mjs";
import { canvas, centre, press, runState, state, wheel } from "../workbench.mjs";

let browser, server, page;

before(async () => {
  server = await serve(synthetic("fib", 2000), synthetic("sort", 2000));
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
  assert.deepEqual(panes.map((pane) => pane.run), [0, 1]);
  const text = await page.locator("main").textContent();
  assert.match(text, /fib-2000/);
  assert.match(text, /sort-2000/);
  assert.deepEqual(page.problems, []);
});

test("a view is chosen for both, and zoom is linked", async () => {
  await press(page, "2");
  assert.deepEqual((await state(page)).panes.map((pane) => pane.view), ["dag", "dag"]);
  await press(page, "f");
  await wheel(page, await centre(page, 0), -500);
  const zoom = async () => (await state(page)).runs.map((run) => run.camera.k);
  const [a, b] = await zoom();
  assert.ok(Math.abs(a / b - 1) < 1e-6, `${a} and ${b}`);
  await press(page, "l");
  await wheel(page, await centre(page, 0), -300);
  const [c, d] = await zoom();
  assert.ok(c > a);
  assert.equal(d, b);
});

test("windows of time are linked as shares of each run", async () => {
  await press(page, "3");
  await wheel(page, await centre(page, 1), -700);
  const [a, b] = [await runState(page, 0), await runState(page, 1)];
  assert.ok(a.window && b.window);
  assert.equal(await canvas(page, 1).count(), 1);
});
