// The timeline with its profile: zoom, move, select, and the way from the DAG to it.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { imported, serve } from "../server.mjs";
import {
  canvas,
  centre,
  click,
  drag,
  drawn,
  picture,
  press,
  selected,
  show,
  state,
  stats,
  wheel,
  windowOf,
} from "../workbench.mjs";

let browser, server, pictures, page;

before(async () => {
  server = await serve(imported("sort_mth4"));
  browser = await launch();
  pictures = await decoder(browser);
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
  await show(page, "Timeline");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const length = ([from, to]) => to - from;

test("key 5 shows the timeline with something in it", async () => {
  await press(page, "1", "5");
  assert.equal((await state(page)).panes[0].view, "tasks.timeline");
  assert.ok((await stats(page)).boxes > 0);
  assert.equal(await windowOf(page), null);
  assert.deepEqual(page.problems, []);
});

test("the wheel zooms in time, Home shows the whole run again", async () => {
  const whole = await picture(page, 0);
  await wheel(page, await centre(page), -500);
  const window = await windowOf(page);
  assert.ok(window);
  await wheel(page, await centre(page), -500);
  assert.ok(length(await windowOf(page)) < 0.7 * length(window));
  assert.ok((await pictures.changed(whole, await picture(page, 0))) > 0.02);
  await press(page, "Home");
  assert.equal(await windowOf(page), null);
  assert.equal(await pictures.changed(whole, await picture(page, 0)), 0);
});

test("dragging moves the window and keeps its length", async () => {
  await wheel(page, await centre(page), -800);
  const before = await windowOf(page);
  await drag(page, await centre(page), [-150, 0]);
  const after = await windowOf(page);
  assert.ok(after[0] > before[0]);
  assert.ok(Math.abs(length(after) / length(before) - 1) < 0.01);
});

test("a click selects the interval under the pointer", async () => {
  const { x, y, width, height } = await canvas(page).boundingBox();
  for (let dy = height; dy > 0 && (await selected(page)) === null; dy -= 20) {
    await page.mouse.click(x + width / 2, y + dy);
  }
  const node = await selected(page, "tasks");
  assert.notEqual(node, null);
  await still(page);
  assert.match(await page.locator("aside.inspector").textContent(), new RegExp(`#${node}(?!\\d)`));
});

test("t goes from a node of the DAG to its time", async () => {
  await show(page, "Task DAG");
  const nodes = await drawn(page, 2000);
  await click(page, nodes.at(-1));
  await press(page, "t");
  assert.ok((await state(page)).panes.some((pane) => pane.view === "tasks.timeline"));
  const window = await windowOf(page);
  assert.ok(window, "the window is around the node");
});
