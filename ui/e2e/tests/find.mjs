// Search, the table, the palette and the help: finding things without knowing where they are.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { imported, serve } from "../server.mjs";
import { command, press, selected, show, state } from "../workbench.mjs";

let browser, server, page;

before(async () => {
  server = await serve(imported("sort_mth4"));
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

const hits = () => page.locator(".search-list li");

async function search(text) {
  await page.keyboard.press("/");
  await page.keyboard.type(text);
  await still(page);
}

test("a source file is found, Enter walks through the hits and shows them", async () => {
  await search("sort.cc");
  assert.ok((await hits().count()) > 1);
  await press(page, "Enter");
  const first = (await state(page)).selected;
  assert.equal((await state(page)).panes[0].view, "lines", "a person knows the source: lines come first");
  assert.equal(await page.locator(".table-row.selected").count(), 1, "the hit is shown");
  assert.equal(await hits().count(), 0, "the list is out of the way");
  await press(page, "Enter");
  assert.notDeepEqual((await state(page)).selected, first);
});

test("#N goes to a node by its number", async () => {
  await search("#100");
  await press(page, "Enter");
  assert.equal(await selected(page, "tasks"), 100);
});

test("what does not exist is said, not shown as nothing", async () => {
  await search("no-such-thing");
  assert.match(await page.locator(".search").textContent(), /Nothing matches/);
});

test("the table lists the cut, sorts and filters it", async () => {
  await show(page, "Task DAG");
  await show(page, "Table");
  const rows = page.locator(".table-row:not(.empty)");
  const all = Number(await page.locator("[role=table]").getAttribute("aria-rowcount"));
  assert.ok(all > 1 && (await rows.count()) > 1);
  await page.getByRole("columnheader", { name: /^work( ▼)?$/i }).click();
  await still(page);
  const work = await page
    .locator(".table-body [data-column=work]")
    .evaluateAll((cells) =>
      cells.map((cell) => [
        parseFloat(cell.parentElement.style.top),
        Number(cell.querySelector(".value").title.replace(/[^\d.]/g, "")),
      ]),
    );
  const sorted = work.sort((a, b) => a[0] - b[0]).map(([, value]) => value);
  assert.deepEqual(
    sorted,
    sorted.toSorted((a, b) => b - a),
  );
  await page.getByLabel("Filter rows").fill("section");
  await still(page);
  const some = Number(await page.locator("[role=table]").getAttribute("aria-rowcount"));
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
});

test("the palette runs a command by its name", async () => {
  await command(page, "Show Timeline");
  assert.equal((await state(page)).panes[0].view, "tasks.timeline");
});

test("? shows the keys, Escape hides them", async () => {
  await press(page, "?");
  assert.match(await page.getByRole("dialog").textContent(), /Undo/);
  await press(page, "Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
});
