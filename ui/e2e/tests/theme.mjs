// Light and dark: both follow the system or the key, and every view draws in both without an error.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { imported, serve } from "../server.mjs";
import { press } from "../workbench.mjs";

let browser, server, pictures;

before(async () => {
  server = await serve(imported("sort_mth4"));
  browser = await launch();
  pictures = await decoder(browser);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** Of the top bar: what lies below it is full of data in some views. */
async function brightness(page) {
  const cells = await pictures.sketch(await still(page, page.locator("header.topbar")), 48, 1);
  return cells.reduce((a, b) => a + b) / cells.length;
}

for (const view of ["overview", "tasks.dag", "tasks.grains", "tasks.timeline", "tasks.profile", "table"]) {
  test(`${view} is light on a light system and dark on a dark one`, async () => {
    const light = await open(browser, `${server.link}#v=1&p=${view}:0`, { theme: "light" });
    const dark = await open(browser, `${server.link}#v=1&p=${view}:0`, { theme: "dark" });
    assert.ok((await brightness(light)) > 200);
    assert.ok((await brightness(dark)) < 70);
    assert.deepEqual([...light.problems, ...dark.problems], []);
    await light.context().close();
    await dark.context().close();
  });
}

test("Shift+D switches by hand, and the address remembers it", async () => {
  const page = await open(browser, server.link);
  await press(page, "Shift+D");
  assert.ok((await brightness(page)) < 70);
  await page.waitForTimeout(400);
  const copy = await open(browser, server.link + new URL(page.url()).hash);
  assert.ok((await brightness(copy)) < 70);
});
