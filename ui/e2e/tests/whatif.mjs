// Predictions, the first slow view: asked for on demand, with progress, given up, and told in the inspector
// about the selection.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { serve, synthetic } from "../server.mjs";
import { canvas, click, drawn, press, show, state, stats } from "../workbench.mjs";

let browser, server, pictures, page;

before(async () => {
  server = await serve(synthetic("sort", 4000));
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

const compute = (where = page.locator("section.pane")) => where.getByRole("button", { name: "Compute" });

test("the view waits for a button, then draws the prediction", async () => {
  await show(page, "What if");
  assert.equal((await stats(page)).boxes + (await stats(page)).links, 0, "nothing was asked for");
  await compute().click();
  await page.waitForFunction(() => document.querySelector(".pane .slow") === null);
  const cells = await pictures.sketch(await still(page, canvas(page)), 24, 12);
  assert.ok(Math.max(...cells) - Math.min(...cells) > 15, "a picture is drawn");
  assert.deepEqual(page.problems, []);
});

test("another factor is another prediction, and the address keeps it", async () => {
  await show(page, "Task DAG");
  await click(page, (await drawn(page, 4))[0]);
  await show(page, "What if");
  await page.getByRole("button", { name: "What is faster" }).click();
  await compute().click();
  await page.waitForFunction(() => document.querySelector(".pane .slow") === null);
  const before = await still(page, canvas(page));
  const field = page.locator("section.pane").getByLabel("Times as fast, as a number");
  await field.fill("50");
  await page.waitForTimeout(600);
  await page.waitForFunction(() => document.querySelector(".pane .slow") === null);
  assert.equal((await state(page)).options["tasks.whatif"].faster, "50");
  assert.ok((await pictures.changed(before, await still(page, canvas(page)))) > 0.001);
  await field.fill("nothing");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "50");
  await page.waitForTimeout(400);
  const copy = await open(browser, server.link + new URL(page.url()).hash);
  assert.deepEqual((await state(copy)).options, (await state(page)).options);
  await copy.context().close();
});

test("the inspector predicts for the selection, on demand", async () => {
  await show(page, "Task DAG");
  await click(page, (await drawn(page, 4))[0]);
  const figure = page.locator(".inspector figure", { hasText: "What if this were faster" });
  await compute(figure).click();
  await page.waitForFunction(() => document.querySelector(".inspector .slow") === null);
  const cells = await pictures.sketch(await still(page, figure.locator("canvas")), 16, 8);
  assert.ok(Math.max(...cells) - Math.min(...cells) > 20);
  await press(page, "Escape");
  assert.equal(await figure.count(), 0);
  assert.deepEqual(page.problems, []);
});
