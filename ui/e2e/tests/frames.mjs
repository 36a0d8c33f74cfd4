// How smooth it is: frame times while thousands of nodes are dragged about. Reported, not asserted: a timing
// depends on the machine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { info, serve, synthetic } from "../server.mjs";
import { click, press, state, stats } from "../workbench.mjs";

const NODES = 5000;
/** Every grain has the problem below such a threshold: nothing is folded, all have a rim. */
const LOOK = { "tasks.dag": "", "tasks.grains": "&0/grains=;lens=low-parallelism~9999" };
let browser, page;
const servers = {};

before(async () => {
  const run = synthetic("random", NODES);
  assert.ok(info(run).tasks.nodes > NODES / 2);
  servers["tasks.dag"] = await serve(run);
  servers["tasks.grains"] = await serve(synthetic("fib", 4 * NODES));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  for (const server of Object.values(servers)) server.stop();
});

/** Pans a little in every frame for two seconds, and returns how long each frame took. */
function pan() {
  const canvas = document.querySelector("section.pane canvas");
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const at = {
    clientX: left + width / 2,
    clientY: top + height / 2,
    shiftKey: true,
    bubbles: true,
    cancelable: true,
  };
  const times = [];
  return new Promise((done) => {
    const frame = (now) => {
      times.push(now);
      if (times.length > 120) return done(times.slice(1).map((time, i) => time - times[i]));
      canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: 12 * Math.sin(times.length / 10) }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

const CASES = ["tasks.dag", "tasks.grains"].flatMap((view) =>
  ["readable", "all of it"].map((zoom) => [view, zoom]),
);
for (const [view, zoom] of CASES) {
  test(`${view}: panning thousands of visible nodes, ${zoom}`, async (t) => {
    await page?.context().close();
    page = await open(browser, `${servers[view].link}#v=1&p=${view}:0${LOOK[view]}`);
    if (view === "tasks.grains") await press(page, "0");
    await press(page, "f");
    await click(page, 0);
    await press(page, "Shift+Enter");
    if (zoom === "all of it") await press(page, "f");
    const before = (await state(page)).panes[0].camera;
    const frames = (await page.evaluate(pan)).toSorted((a, b) => a - b);
    const { boxes, links, serverMs } = await stats(page);
    const at = (share) => frames[Math.floor((frames.length - 1) * share)].toFixed(1);
    t.diagnostic(`${boxes} boxes, ${links} links, ${serverMs.toFixed(1)} ms on the server`);
    t.diagnostic(`${frames.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, worst ${at(1)} ms`);
    assert.ok(boxes > NODES / 2, `${boxes} boxes are drawn`);
    assert.notDeepEqual((await state(page)).panes[0].camera, before, "the picture moved");
    assert.ok((await page.evaluate(() => window.crosscut.frames())).length > 0);
    assert.deepEqual(page.problems, []);
  });
}

/** Notes how long each frame takes from now on; returns how to read it. */
const watch = (page) =>
  page.evaluate(() => {
    const times = [];
    window.watched = times;
    const frame = (now) => times.push(now) < 200 && requestAnimationFrame(frame);
    requestAnimationFrame(frame);
  });

test("grains: a group with thousands of members inside opens in motion", async (t) => {
  await page?.context().close();
  page = await open(browser, `${servers["tasks.grains"].link}#v=1&p=tasks.grains:0`);
  await press(page, "0", "f");
  await click(page, 0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const before = (await stats(page)).boxes;
  await watch(page);
  await press(page, "Shift+Enter");
  const times = await page.evaluate(() => window.watched);
  const frames = times
    .slice(1)
    .map((time, i) => time - times[i])
    .toSorted((a, b) => a - b);
  const { boxes } = await stats(page);
  const at = (share) => frames[Math.floor((frames.length - 1) * share)].toFixed(1);
  t.diagnostic(
    `${before} boxes became ${boxes}; median ${at(0.5)} ms, 95 % ${at(0.95)} ms, worst ${at(1)} ms`,
  );
  assert.ok(boxes > NODES);
  assert.deepEqual(page.problems, []);
});
