// Predictions: the curve on the first screen and what it tells, and "what if this were k× faster" in the inspector.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { crosscut, serve, synthetic } from "../server.mjs";
import { click, drawn, marks, press, runState, state } from "../workbench.mjs";

let browser, server, pictures, page, truth;

before(async () => {
  const run = synthetic("sort", 4000);
  truth = JSON.parse(crosscut("whatif", run, "--json"));
  server = await serve(run);
  browser = await launch();
  pictures = await decoder(browser);
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const token = (name) =>
  page.evaluate((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim(), name);
const chart = () => page.locator(".speedup");
const says = () => page.locator(".whatif-says").textContent();
const slider = () => page.getByRole("slider", { name: "How many times as fast" });
const field = () => page.getByLabel("How many times as fast, as a number");
/** Waits until the sentence is another one and the newest. */
async function another(old) {
  await page.waitForFunction((text) => {
    const now = document.querySelector(".whatif-says");
    return now && !now.classList.contains("old") && now.textContent !== text;
  }, old);
  return says();
}
/** "12.3 ms" in nanoseconds. */
function nanos(text) {
  const [, value, unit] = text.match(/([\d.]+)\s?(ns|µs|ms|s)\b/);
  return Number(value) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
}

test("the predicted curve is drawn, a point for each number of workers", async () => {
  await chart().scrollIntoViewIfNeeded();
  assert.equal(await chart().locator("circle.predicted-point").count(), truth.points.length);
  const line = await pictures.count(await still(page, chart()), await token("--work"), 8);
  assert.ok(line > 400, `${line} pixels of the line and its points`);
  await page.addStyleTag({ content: ".predicted, .predicted-point { display: none; }" });
  const without = await pictures.count(await still(page, chart()), await token("--work"), 8);
  assert.ok(without < line / 4, `${without} pixels without them`);
  assert.match(await page.locator(".chart-note").textContent(), /overhead: 100.ns to create it/);
});

test("pointer and keys tell the numbers of crosscut whatif", async () => {
  const box = await chart().boundingBox();
  await page.mouse.move(box.x + box.width - 14, box.y + 60);
  const tells = page.locator(".speedup-tell");
  assert.match(await tells.textContent(), /^P = 256 · /);
  const last = truth.points.at(-1);
  assert.equal(last.workers, 256);
  assert.ok(Math.abs(nanos(await tells.locator("div").first().textContent()) / last.elapsed_ns - 1) < 0.01);
  await page.mouse.move(2, 2);
  assert.equal(await tells.count(), 0);
  await chart().focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await tells.textContent(), /^P = 4 .*recorded/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await tells.textContent(), /^P = 3 /);
  await page.keyboard.press("Escape");
  assert.equal(await tells.count(), 0);
  assert.deepEqual(page.problems, []);
});

test("the slider changes the sentence, with the pointer and with keys", async () => {
  await press(page, "2");
  await click(page, (await drawn(page, 4))[0]);
  const twice = await says();
  assert.match(twice, /^The run would take .* instead of .* \(−[\d.]+.%\) on 4 workers\.$/);
  const { x, y, width, height } = await slider().boundingBox();
  await page.mouse.click(x + width * 0.8, y + height / 2);
  const more = await another(twice);
  assert.ok(nanos(more) < nanos(twice), `${more} after ${twice}`);
  assert.ok((await state(page)).faster > 10);
  await slider().focus();
  await page.keyboard.press("Home");
  const least = await another(more);
  assert.ok(nanos(least) > nanos(twice));
  assert.equal((await state(page)).faster, 1.1);
  assert.match(await slider().getAttribute("aria-valuetext"), /1\.1 times as fast/);
  assert.match(await page.locator(".whatif h3").textContent(), /What if this were 1\.1× faster/);
});

test("the field takes a number, refuses others, and the address keeps it", async () => {
  await press(page, "2");
  await click(page, (await drawn(page, 4))[0]);
  const twice = await says();
  await field().fill("1");
  assert.match(await another(twice), /would still take/);
  await field().fill("nothing");
  assert.equal(await field().getAttribute("aria-invalid"), "true");
  assert.match(await page.locator(".whatif-wrong").textContent(), /“nothing” is no number from 0.001/);
  await page.keyboard.press("Enter");
  assert.equal(await field().inputValue(), "1");
  await field().fill("0,5");
  assert.match(await another(""), /\(\+[\d.]+.%\)/);
  await page.waitForTimeout(400);
  const copy = await open(browser, server.link + new URL(page.url()).hash);
  assert.equal((await state(copy)).faster, 0.5);
  assert.equal(await copy.locator(".whatif-says").textContent(), await says());
  await copy.context().close();
  assert.deepEqual(page.problems, []);
});

test("the inspector tells it for groups of grains, about their task", async () => {
  await press(page, "3");
  const group = (await marks(page)).find((mark) => mark.shape === "group" || mark.shape === "grain");
  await click(page, group.node);
  const text = await page.locator(".whatif").textContent();
  for (const word of ["The run would", "if it took no time", "T∞ with overhead", "speed-up limit", "greedy schedule"]) {
    assert.ok(text.includes(word), word);
  }
  const grains = await says();
  await press(page, "2");
  assert.ok(Number.isInteger((await runState(page)).selected));
  assert.equal(await says(), grains, "the same task in the DAG");
  assert.deepEqual(page.problems, []);
});
