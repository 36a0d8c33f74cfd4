// Calls: the flame graph opens, a selection is followed by the other views, bins are brushed, super nodes are split and merged.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { profiled, serve } from "../server.mjs";
import {
  canvas,
  drag,
  marks,
  picture,
  press,
  runState,
  selected,
  show,
  state,
  stats,
} from "../workbench.mjs";

let browser, server, pictures, page;

before(async () => {
  server = await serve(profiled("sixteen"), profiled("fast", { eos: 0.5, module: "tables" }));
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

const middleOf = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
const meaning = async (words) => (await marks(page)).filter((mark) => mark.meaning.startsWith(words));
const places = async () => (await runState(page)).scope.places;
const against = () => page.locator("section.pane").first().getByLabel("Compared with");
/** A page with room for two flows. */
const widen = async () => {
  await page.context().close();
  page = await open(browser, server.link, { width: 1800, height: 900 });
};
/** Drags over the bin with the largest values of the histogram: it ends 20 px left of the picture's end, there is one for each rank. */
const brushLast = async () => {
  const { x, y, width, height } = await canvas(page).boundingBox();
  const bin = (width - 76) / 16;
  await drag(page, [x + width - 20 - bin * 0.8, y + height * 0.4], [bin * 0.6, 0]);
};

test("a call path fills the flame graph, and undo takes that back", async () => {
  await show(page, "Flame");
  const paths = await meaning("call path");
  assert.ok(paths.length > 4, String(paths.length));
  const whole = await picture(page, 0);
  await page.mouse.dblclick(...middleOf(paths[3]));
  await still(page);
  assert.equal((await state(page)).options["calls.icicle"].root, String(paths[3].node));
  assert.ok((await pictures.changed(whole, await picture(page, 0))) > 0.01);
  await press(page, "Control+z");
  assert.equal((await state(page)).options["calls.icicle"]?.root, undefined);
  assert.deepEqual(page.problems, []);
});

test("what is selected in the flame graph is what the places are drawn for", async () => {
  await show(page, "Places");
  const program = await picture(page, 0);
  await show(page, "Flame");
  const paths = await meaning("call path");
  await page.mouse.click(...middleOf(paths[4]));
  await still(page);
  assert.equal(await selected(page, "calls"), paths[4].node);
  await show(page, "Places");
  assert.ok((await pictures.changed(program, await picture(page, 0))) > 0.005);
});

test("bins are brushed, all views follow, and all places count again", async () => {
  await show(page, "Flame");
  const all = await picture(page, 0);
  await show(page, "Places");
  await brushLast();
  assert.equal(await places(), "4-6");
  await show(page, "Flame");
  assert.ok((await pictures.changed(all, await picture(page, 0))) > 0.001);
  await show(page, "Places");
  await press(page, "Shift+A");
  assert.equal(await places(), undefined);
});

test("a super node is split, merged, and split again by undo", async () => {
  await show(page, "Flow");
  const bars = await meaning("super node");
  assert.ok(bars.length > 2, JSON.stringify(await marks(page)));
  const split = async () => (await runState(page)).trees["super/module"]?.with?.split;
  for (const bar of bars.slice(1)) {
    await page.mouse.click(...middleOf(bar));
    await still(page);
    await press(page, "Shift+E");
    if (await split()) break;
  }
  const after = await split();
  assert.match(after, /^caller /);
  const more = await meaning("super node");
  assert.ok(more.length > bars.length, `${more.length} after ${bars.length}`);
  await press(page, "Shift+M");
  assert.equal(await split(), undefined);
  await press(page, "Control+z");
  assert.equal(await split(), after);
});

test("brushed ranks and the rest are two super graphs, and undo makes them one again", async () => {
  await widen();
  await show(page, "Places");
  await brushLast();
  assert.equal(await places(), "4-6");
  await show(page, "Flow");
  const one = await picture(page, 0);
  await against().selectOption("rest");
  await still(page);
  assert.ok((await pictures.changed(one, await picture(page, 0))) > 0.02);
  assert.equal((await state(page)).panes[0].against, "rest");
  assert.match(await page.locator("body").innerText(), /super nodes; the program is .* for each rank/);
  await press(page, "Control+z");
  assert.equal((await state(page)).panes[0].against, null);
  assert.ok((await pictures.changed(one, await picture(page, 0))) < 0.001);
  assert.deepEqual(page.problems, []);
});

test("two runs are beside each other, with what only the other one has", async () => {
  await widen();
  await show(page, "Flow");
  const one = await picture(page, 0);
  await against().selectOption("1");
  await still(page);
  assert.deepEqual((await state(page)).panes[0].against, [1]);
  assert.ok((await pictures.changed(one, await picture(page, 0))) > 0.02);
  assert.match(await page.locator("body").innerText(), /1 that only other runs have/);
  await press(page, "Control+z");
  assert.ok((await pictures.changed(one, await picture(page, 0))) < 0.001);
  assert.deepEqual(page.problems, []);
});

test("a query of the address is what the tree shows", async () => {
  const query = encodeURIComponent('(q) where q.name = "mpi::wait"');
  const asked = await open(browser, `${server.link}#v=1&p=calls.tree:0&0/calls=;query=${query}`);
  assert.match(await asked.locator("body").innerText(), /2 call paths found/);
  assert.deepEqual(asked.problems, []);
  await asked.context().close();
});

test("every view of calls is drawn, light and dark", async () => {
  for (const theme of ["light", "dark"]) {
    const themed = await open(browser, server.link, { theme });
    for (const title of ["Flow", "Flame", "Tree", "Places", "Correlation"]) {
      await show(themed, title);
      assert.ok((await stats(themed)).visible > 0, `${title}, ${theme}`);
    }
    assert.deepEqual(themed.problems, []);
    await themed.context().close();
  }
});
