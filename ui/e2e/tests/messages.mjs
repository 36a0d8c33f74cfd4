// Messages: phases and groups, their number typed and turned, phases opened, a window brushed, other views beside.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { serve, traced } from "../server.mjs";
import { cut, drag, marks, picture, press, show, state, stats, wheel, windowOf } from "../workbench.mjs";

let browser, server, pictures, page;

before(async () => {
  server = await serve(traced("integ16"));
  browser = await launch();
  pictures = await decoder(browser);
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
  await show(page, "Messages");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const phases = async () => (await marks(page)).filter((mark) => mark.meaning === "phase");
const middleOf = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
const treeOf = async (key) => (await state(page)).runs[0].trees[key] ?? { with: {}, cut: "" };

async function type(k) {
  const field = page.getByLabel("Phases, as a number");
  await field.fill(String(k));
  await field.press("Enter");
  await still(page);
}

test("phases that repeat are found and drawn", async () => {
  assert.equal((await phases()).length, 27);
  const proposed = page.getByLabel("proposed", { exact: true });
  assert.match(await proposed.locator("option").first().textContent(), /27: \(A×8 B\)×3/);
  assert.deepEqual(page.problems, []);
});

test("the number of phases is typed, turned and chosen", async () => {
  const auto = await picture(page, 0);
  await type(9);
  assert.equal((await treeOf("phases")).with.k, "9");
  assert.equal((await phases()).length, 9);
  assert.ok((await pictures.changed(auto, await picture(page, 0))) > 0.02);
  await wheel(page, middleOf((await phases())[0]), -100);
  assert.equal((await treeOf("phases")).with.k, "10");
  assert.equal((await phases()).length, 10);
  await page.getByLabel("proposed", { exact: true }).selectOption("27");
  await still(page);
  assert.equal((await phases()).length, 27);
});

test("a selected phase stays so when the number of phases changes", async () => {
  const kept = [];
  for (const at of [0, 5]) {
    await type(27);
    await page.mouse.click(...middleOf((await phases())[at]));
    await still(page);
    assert.equal((await state(page)).selected?.tree, "phases");
    // One of the phases is split: all others are still there.
    await type(28);
    kept.push((await state(page)).selected?.tree === "phases");
  }
  assert.ok(kept.includes(true));
});

test("a phase opens into sub-phases and closes again", async () => {
  const closed = await picture(page, 0);
  const opens = (await phases()).filter((phase) => phase.press === "open");
  const last = opens.at(-1);
  await page.mouse.dblclick(...middleOf(last));
  await still(page);
  assert.notEqual(await cut(page, "phases"), "");
  assert.ok((await pictures.changed(closed, await picture(page, 0))) > 0.02);
  await page.mouse.click(...middleOf(last));
  await still(page);
  await press(page, "Enter");
  const again = await cut(page, "phases");
  await press(page, "Enter");
  assert.notEqual(await cut(page, "phases"), again);
});

test("a drag over the strip is a window that other views follow", async () => {
  const cells = await phases();
  const [x, y] = middleOf(cells[4]);
  const [to] = middleOf(cells[7]);
  await drag(page, [x, y], [to - x, 0]);
  const window = await windowOf(page);
  assert.ok(window && window[1] > window[0]);
  await show(page, "Ranks");
  assert.deepEqual(await windowOf(page), window);
  assert.ok((await stats(page)).boxes > 16);
  await press(page, "Home");
  assert.equal(await windowOf(page), null);
});

test("a group is selected, told about, and kept in the address", async () => {
  const blocks = (await marks(page)).filter((mark) => mark.meaning.startsWith("sender"));
  assert.ok(blocks.length >= 16);
  await page.mouse.click(...middleOf(blocks[3]));
  await still(page);
  const { selected } = await state(page);
  assert.match(selected.tree, /^communities\/wall-\d+-\d+$/);
  await page.getByText("received", { exact: true }).first().waitFor();
  const before = await picture(page, 0);
  await page.reload();
  await still(page);
  assert.deepEqual((await state(page)).selected, selected);
  assert.equal(await pictures.changed(before, await picture(page, 0)), 0);
});

test("matrix, volume, sizes and ranks are drawn", async () => {
  for (const title of ["Ranks", "Matrix", "Volume", "Sizes"]) {
    await show(page, title);
    assert.ok((await stats(page)).boxes > 0, title);
  }
  assert.deepEqual(page.problems, []);
});
