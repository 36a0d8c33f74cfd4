// How smooth it is: frame times while thousands of nodes are dragged about. Reported, not asserted: a timing
// depends on the machine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { info, serve, synthetic } from "../server.mjs";
import { centre, click, press, stats } from "../workbench.mjs";

const NODES = 5000;
let browser, server, page;

before(async () => {
  const run = synthetic("random", NODES);
  assert.ok(info(run).tasks.nodes > NODES / 2);
  server = await serve(run);
  browser = await launch();
  page = await open(browser, `${server.link}#view=dag:0`);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

test("panning thousands of visible nodes", async (t) => {
  await press(page, "f");
  await click(page, 0);
  await press(page, "Shift+Enter", "f");
  const { boxes, links, serverMs } = await stats(page);
  const [x, y] = await centre(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 120; step += 1) {
    await page.mouse.move(x + 150 * Math.sin(step / 10), y + 100 * Math.sin(step / 7));
  }
  await page.mouse.up();
  const frames = (await page.evaluate(() => window.crosscut.frames())).toSorted((a, b) => a - b);
  const { lastPaintMs } = await stats(page);
  await still(page);
  const at = (share) => frames[Math.floor((frames.length - 1) * share)]?.toFixed(1);
  t.diagnostic(`${boxes} boxes, ${links} links, ${serverMs.toFixed(1)} ms on the server, last paint ${lastPaintMs.toFixed(1)} ms`);
  t.diagnostic(`${frames.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, worst ${at(1)} ms`);
  assert.ok(boxes > NODES / 2, `${boxes} boxes are drawn`);
  assert.ok(frames.length > 0, "frames were measured");
  assert.deepEqual(page.problems, []);
});
