// The address holds the whole view: whoever opens it sees the same picture.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { imported, serve } from "../server.mjs";
import { centre, click, drawn, picture, press, show, state, toDepth, wheel } from "../workbench.mjs";

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

/** The address is written a moment after the view has changed. */
async function address(page) {
  await page.waitForTimeout(400);
  return new URL(page.url()).hash;
}

/** Opens the view that a fragment describes in another window, and returns both. */
async function again(fragment) {
  const page = await open(browser, server.link + fragment);
  return { page, picture: await picture(page) };
}

test("a worked-on DAG comes back pixel for pixel", async () => {
  const page = await open(browser, server.link);
  await show(page, "Task DAG");
  const untouched = await picture(page);
  await toDepth(page, 4);
  await page.getByLabel("Colour").selectOption("source");
  await wheel(page, await centre(page), -200);
  await press(page, "c");
  const nodes = await drawn(page, 2000);
  await click(page, nodes[Math.floor(nodes.length / 2)]).catch(() => {});
  const seen = await picture(page);
  const copy = await again(await address(page));
  assert.deepEqual(await state(copy.page), await state(page));
  assert.ok((await pictures.changed(seen, copy.picture)) < 0.002);
  assert.ok((await pictures.changed(seen, untouched)) > 0.01, "the comparison can fail");
});

test("a window of the timeline comes back", async () => {
  const page = await open(browser, server.link);
  await show(page, "Timeline");
  await wheel(page, await centre(page), -600);
  const seen = await picture(page, 0);
  const copy = await again(await address(page));
  assert.ok((await pictures.changed(seen, await picture(copy.page, 0))) < 0.002);
});

test("reloading keeps the view", async () => {
  const page = await open(browser, server.link);
  await show(page, "Task DAG");
  await toDepth(page, 3);
  const seen = await picture(page, 0);
  await address(page);
  await page.reload();
  assert.ok((await pictures.changed(seen, await picture(page, 0))) < 0.002);
});

test("an address that makes no sense opens the first view", async () => {
  const { page } = await again("#v=1&p=nonsense:9&0/nonsense=~~~&c0=a~b&w0=3&s=x&g=7x7");
  assert.equal((await state(page)).panes[0].view, "overview");
});
