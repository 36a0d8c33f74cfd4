// Pictures against references. A reference is a sketch: a small grid of brightness kept as JSON, coarse
// enough for other fonts, fine enough to see a box that moved. After a wanted change: UPDATE=1 cargo xtask
// test browser.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { apart, decoder } from "../picture.mjs";
import { imported, serve } from "../server.mjs";
import { command, picture, press, show, toDepth } from "../workbench.mjs";

const COLUMNS = 48;
const ROWS = 30;
let browser, pictures;

before(async () => {
  browser = await launch();
  pictures = await decoder(browser);
});
after(() => browser?.close());

const file = (name) => new URL(`../references/${name}.json`, import.meta.url);

/** One line for each row of the grid, so that a change can be read. */
const text = (cells) =>
  `[\n${Array.from({ length: ROWS }, (_, row) => cells.slice(row * COLUMNS, (row + 1) * COLUMNS).join(",")).join(",\n")}\n]\n`;

async function check(name, page) {
  const cells = await pictures.sketch(await picture(page, 0), COLUMNS, ROWS);
  if (process.env.UPDATE) writeFileSync(file(name), text(cells));
  const reference = JSON.parse(readFileSync(file(name), "utf8"));
  const far = apart(cells, reference);
  assert.ok(
    far < 0.03,
    `${name}: ${(100 * far).toFixed(1)} % of the picture differ from ui/e2e/references/${name}.json`,
  );
}

for (const fixture of ["nested_sections", "sort_mth4"]) {
  test(`DAG, grains and timeline of ${fixture}`, async (t) => {
    const server = await serve(imported(fixture));
    t.after(() => server.stop());
    const page = await open(browser, `${server.link}#v=1&p=tasks.dag:0`);
    await check(`${fixture}-dag`, page);
    const closed = await pictures.sketch(await picture(page, 0), COLUMNS, ROWS);
    await toDepth(page, 1);
    await press(page, "f");
    const opened = await pictures.sketch(await picture(page, 0), COLUMNS, ROWS);
    assert.ok(apart(closed, opened) > 0.03, "another cut is another picture");
    await show(page, "Timeline");
    await check(`${fixture}-timeline`, page);
    await show(page, "Grain graph");
    await check(`${fixture}-grain`, page);
    await command(page, "Lens: sibling imbalance");
    await check(`${fixture}-grain-lens`, page);
  });
}
