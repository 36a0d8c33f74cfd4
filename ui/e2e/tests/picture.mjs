// The comparers themselves: they must see a changed picture, and forgive what fonts do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "../browser.mjs";
import { apart, decoder } from "../picture.mjs";

let browser;
let pictures;

before(async () => {
  browser = await launch();
  pictures = await decoder(browser);
});
after(() => browser.close());

/** A picture of a few boxes with a text in each. */
async function boxes(list, font = "12px sans-serif") {
  const page = await browser.newPage({ viewport: { width: 480, height: 300 } });
  const html = list.map(
    ([x, y]) =>
      `<div style="position:absolute;left:${x}px;top:${y}px;width:80px;height:40px;background:#27a">task</div>`,
  );
  await page.setContent(`<body style="font:${font};margin:0;background:#fff">${html.join("")}</body>`);
  const png = await page.screenshot();
  await page.close();
  return png;
}

test("the same picture is the same", async () => {
  const [a, b] = [
    await boxes([
      [20, 20],
      [200, 100],
    ]),
    await boxes([
      [20, 20],
      [200, 100],
    ]),
  ];
  assert.equal(await pictures.changed(a, b), 0);
  assert.equal(apart(await pictures.sketch(a), await pictures.sketch(b)), 0);
});

test("a moved box is seen by both comparers", async () => {
  const [a, b] = [
    await boxes([
      [20, 20],
      [200, 100],
    ]),
    await boxes([
      [20, 20],
      [200, 160],
    ]),
  ];
  assert.ok((await pictures.changed(a, b)) > 0.01);
  assert.ok(apart(await pictures.sketch(a), await pictures.sketch(b)) > 0.01);
});

test("another font is forgiven by the sketch", async () => {
  const [a, b] = [await boxes([[20, 20]]), await boxes([[20, 20]], "12px monospace")];
  assert.ok((await pictures.changed(a, b)) > 0);
  assert.ok(apart(await pictures.sketch(a), await pictures.sketch(b)) < 0.01);
});

test("pictures of different sizes are different", async () => {
  const a = await boxes([[20, 20]]);
  const page = await browser.newPage({ viewport: { width: 481, height: 300 } });
  assert.equal(await pictures.changed(a, await page.screenshot()), 1);
  assert.equal(apart([1, 2], [1, 2, 3]), 1);
});
