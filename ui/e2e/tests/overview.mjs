// The first screen: its numbers are those of `crosscut info`, and a finding leads to the view that shows it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { imported, info, serve } from "../server.mjs";
import { state } from "../workbench.mjs";

let browser, server, page, truth;

before(async () => {
  const run = imported("sort_mth4");
  truth = info(run).tasks;
  server = await serve(run);
  browser = await launch();
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** The number in an exact text such as "2 981 254 958 ticks". */
const number = (text) => Number(text.replace(/[^\d.]/g, ""));

test("a run opens on its overview", async () => {
  assert.equal((await state(page)).panes[0].view, "overview");
  assert.match(await page.title(), /sort_mth4/);
});

test("work, delay and no work are those of crosscut info", async () => {
  const titles = await page.locator(".bar-key .num").evaluateAll((all) => all.map((one) => one.title));
  assert.deepEqual(titles.map(number), [truth.work_ns, truth.delay_ns, truth.no_work_ns]);
});

test("the parts of the bar are as wide as their share", async () => {
  const widths = await page
    .locator(".bar-part")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  const sum = widths.reduce((a, b) => a + b);
  const total = truth.workers * truth.elapsed_ns;
  const shares = [truth.work_ns, truth.delay_ns, truth.no_work_ns].map((part) => part / total);
  shares.forEach((share, i) => assert.ok(Math.abs(widths[i] / sum - share) < 0.01, `part ${i}`));
});

test("the counted facts are those of crosscut info", async () => {
  const facts = await page.locator(".card .facts").evaluate((list) => {
    const names = [...list.querySelectorAll("dt")].map((dt) => dt.textContent);
    const values = [...list.querySelectorAll("dd .value")].map((dd) => dd.title);
    return Object.fromEntries(names.map((name, i) => [name, values[i]]));
  });
  assert.equal(number(facts.tasks), truth.tasks);
  assert.equal(number(facts.intervals), truth.intervals);
});

test("a finding opens the view that shows it", async () => {
  await page.locator(".findings-card .finding").first().click();
  await still(page);
  assert.notEqual((await state(page)).panes[0].view, "overview");
});

test("nothing went wrong in the page", () => assert.deepEqual(page.problems, []));
