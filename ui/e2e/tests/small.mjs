// A run of a few tasks on two workers: what is shown of it fills its pane.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { serve, synthetic } from "../server.mjs";
import { canvas, centre, marks, press, show, wheel } from "../workbench.mjs";

let browser, server, page;

before(async () => {
  server = await serve(synthetic("fib", 20, 2));
  browser = await launch();
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** What all marks of the active pane cover of its canvas: the share of its width and of its height. */
async function covered() {
  const { width, height } = await canvas(page).boundingBox();
  const rects = await marks(page);
  assert.ok(rects.length > 0, "something is drawn");
  const extent = (from, length) =>
    Math.max(...rects.map((r) => r[from] + r[length])) - Math.min(...rects.map((r) => r[from]));
  return [extent("x", "width") / width, extent("y", "height") / height];
}

for (const title of ["Task DAG", "Grain graph"]) {
  test(`f enlarges the ${title.toLowerCase()} until it fills the pane, from whatever zoom`, async () => {
    await show(page, title);
    await press(page, "f");
    const [wide, high] = await covered();
    assert.ok(Math.max(wide, high) > 0.75 && Math.max(wide, high) <= 1, `${wide} × ${high}`);
    await wheel(page, await centre(page), 900);
    assert.ok((await covered())[1] < 0.7 * high, "zoomed out");
    await press(page, "f");
    const again = await covered();
    assert.ok(Math.abs(again[0] - wide) < 0.01 && Math.abs(again[1] - high) < 0.01, `${again}`);
    assert.deepEqual(page.problems, []);
  });
}

test("two workers fill the timeline, profile and rows", async () => {
  await show(page, "Timeline");
  const { y, height } = await canvas(page).boundingBox();
  const rows = await marks(page);
  const bottom = Math.max(...rows.map((r) => r.y + r.height));
  assert.ok((bottom - y) / height > 0.9, `rows end at ${(bottom - y) / height} of the pane`);
  const tallest = Math.max(...rows.map((r) => r.height));
  assert.ok(tallest > height / 5, `a row is ${tallest} of ${height} high`);
});
