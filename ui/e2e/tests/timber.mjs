// A domain that the page has never heard of (crates/workbench/tests/timber), served by a real server: it is listed,
// drawn, opened, looked through, tabled, searched, compared and found on the overview, without a line for it here.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { serveTimber } from "../server.mjs";
import { lensOf, marks, nodeAt, press, show, state } from "../workbench.mjs";

let browser, server, page;

before(async () => {
  browser = await launch();
  server = await serveTimber();
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const boxes = async () => (await marks(page)).filter((mark) => mark.node !== null).length;

test("it is listed, and its finding is on the overview", async () => {
  const rail = page.getByRole("navigation", { name: "Views" }).getByRole("button");
  const names = await rail.evaluateAll((all) => all.map((one) => one.ariaLabel));
  for (const title of ["Overview", "Stand", "Rings", "Growth", "Table", "Compare"]) {
    assert.ok(names.includes(title), `${title} in ${names}`);
  }
  await page
    .getByText(/logs are rotten/)
    .first()
    .waitFor();
  await page.getByText("A stand of 6 trunks").first().waitFor();
  assert.deepEqual(page.problems, []);
});

test("it is drawn and opened, and what is selected is told about", async () => {
  await show(page, "Stand");
  const before = await boxes();
  assert.ok(before >= 6, `${before} boxes`);
  const rect = await nodeAt(page, 1);
  await page.mouse.click(rect.x + rect.width / 2, rect.y + rect.height / 2);
  await still(page);
  assert.equal((await state(page)).selected.tree, "logs");
  await page.getByText("trunk 0").first().waitFor();
  await press(page, "Enter");
  assert.ok((await boxes()) > before, "its logs are shown");
  assert.deepEqual(page.problems, []);
});

test("every mark of its plots is drawn", async () => {
  await show(page, "Rings");
  assert.ok((await boxes()) >= 6);
  assert.deepEqual(page.problems, []);
});

test("it is looked through its lens", async () => {
  await show(page, "Stand");
  const address = new URL(page.url());
  await page.goto(`${address.origin}/#v=1&p=timber.stand:0&0/logs=;lens=rotten`);
  await page.reload();
  await still(page);
  assert.equal((await lensOf(page, "logs"))?.name, "rotten");
  assert.deepEqual(page.problems, []);
});

test("it is tabled, sorted and searched", async () => {
  await show(page, "Stand");
  await show(page, "Table");
  await page
    .getByRole("columnheader", { name: /Volume/ })
    .first()
    .click();
  await still(page);
  await page.getByText("trunk 2").first().waitFor();
  await press(page, "/");
  await page.keyboard.type("trunk 3");
  await page
    .getByText(/trunk 3/)
    .first()
    .waitFor();
  assert.deepEqual(page.problems, []);
});

test("two runs of it are compared", async () => {
  await show(page, "Compare");
  await page
    .getByText(/against|compare/i)
    .first()
    .waitFor();
  assert.deepEqual(page.problems, []);
});
