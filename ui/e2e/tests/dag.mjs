// The DAG under mouse and keyboard: open, close, zoom, move, colour, undo.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { info, serve, synthetic } from "../server.mjs";
import {
  canvas,
  centre,
  click,
  command,
  cut,
  doubleClick,
  drag,
  drawn,
  nodeAt,
  picture,
  press,
  selected,
  show,
  state,
  stats,
  toDepth,
  wheel,
} from "../workbench.mjs";

let browser, server, pictures, page, count;

before(async () => {
  const run = synthetic("fib", 400);
  count = info(run).tasks.nodes;
  server = await serve(run);
  browser = await launch();
  pictures = await decoder(browser);
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
  await show(page, "Task DAG");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/**
 * A closed node of the DAG opened to depth 1: in pre-order, its subtree lies before the next node that is
 * drawn.
 */
async function closedNode() {
  await toDepth(page, 1);
  const nodes = [...(await drawn(page, count)), count];
  const node = nodes.find((id, i) => i > 0 && nodes[i + 1] - id > 1);
  assert.ok(node, "something is closed at depth 1");
  return node;
}

const boxes = async () => (await stats(page)).boxes;

test("key 2 shows the DAG", async () => {
  await press(page, "1", "3");
  assert.equal((await state(page)).panes[0].view, "tasks.dag");
  assert.ok((await boxes()) > 1);
  assert.ok(await nodeAt(page, 0));
  assert.deepEqual(page.problems, []);
});

test("a double click opens a node, another closes it", async () => {
  const node = await closedNode();
  const closed = await boxes();
  const before = await picture(page, 0);
  await doubleClick(page, node);
  assert.ok((await boxes()) > closed);
  assert.ok((await drawn(page, count)).includes(node + 1), "its first child is drawn");
  assert.ok((await pictures.changed(before, await picture(page, 0))) > 0.005);
  await press(page, "Enter");
  assert.equal(await boxes(), closed);
  assert.ok(!(await drawn(page, count)).includes(node + 1));
});

test("Enter opens the selected node, Backspace on a child closes it", async () => {
  const node = await closedNode();
  const closed = await boxes();
  await click(page, node);
  assert.equal(await selected(page, "tasks"), node);
  await press(page, "Enter");
  assert.ok((await boxes()) > closed);
  await click(page, node + 1);
  await press(page, "Backspace");
  assert.equal(await boxes(), closed);
  assert.equal(await selected(page, "tasks"), node);
});

test("the depth decides how much is open", async () => {
  const sizes = [];
  for (const depth of [0, 1, 2, 3]) {
    await toDepth(page, depth);
    sizes.push(await boxes());
  }
  assert.ok(
    sizes.every((size, i) => i === 0 || size > sizes[i - 1]),
    sizes.join(" < "),
  );
});

test("shift-click opens everything below", async () => {
  const node = await closedNode();
  await page.keyboard.down("Shift");
  await click(page, node);
  await page.keyboard.up("Shift");
  const nodes = await drawn(page, count);
  assert.ok(nodes.includes(node + 1) && nodes.includes(node + 2));
});

test("the wheel zooms at the pointer", async () => {
  const before = await picture(page, 0);
  const [x, y] = await centre(page);
  const root = await nodeAt(page, 0);
  const at = (rect) => [(x - rect.x) / rect.width, (y - rect.y) / rect.height];
  await wheel(page, [x, y], -400);
  const zoomed = await nodeAt(page, 0);
  assert.ok(zoomed.width > 1.2 * root.width);
  at(zoomed).forEach((share, i) =>
    assert.ok(Math.abs(share - at(root)[i]) < 0.01, "the point under the pointer stays"),
  );
  assert.ok((await pictures.changed(before, await picture(page, 0))) > 0.01);
});

test("dragging moves the picture with the pointer, keys move it too", async () => {
  const root = await nodeAt(page, 0);
  await drag(page, await centre(page), [120, 60]);
  const moved = await nodeAt(page, 0);
  assert.ok(Math.abs(moved.x - root.x - 120) < 5 && Math.abs(moved.y - root.y - 60) < 5);
  await press(page, "d");
  assert.ok((await nodeAt(page, 0)).x < moved.x);
});

test("f fits everything into the pane", async () => {
  await toDepth(page, 4);
  await press(page, "f");
  const pane = await canvas(page).boundingBox();
  const root = await nodeAt(page, 0);
  assert.ok(root.x >= pane.x && root.x + root.width <= pane.x + pane.width);
  assert.ok(root.y >= pane.y && root.y + root.height <= pane.y + pane.height);
});

test("colours change with what decides them, and the legend says so", async () => {
  const byWorker = await picture(page, 0);
  const legend = page.locator(".plot-foot").first();
  const workers = await legend.textContent();
  await page.getByLabel("Colour").selectOption("kind");
  const byKind = await picture(page, 0);
  assert.equal((await state(page)).options["tasks.dag"].colour, "kind");
  assert.ok((await pictures.changed(byWorker, byKind)) > 0.005);
  assert.notEqual(await legend.textContent(), workers);
  await command(page, "Colour: Worker");
  assert.equal(await pictures.changed(byWorker, await picture(page, 0)), 0);
});

test("c marks the critical path", async () => {
  const before = await picture(page, 0);
  await press(page, "c");
  assert.equal((await state(page)).options["tasks.dag"].critical, "true");
  assert.ok((await pictures.changed(before, await picture(page, 0))) > 0.0005);
});

test("undo and redo go back and forth through what was done", async () => {
  const node = await closedNode();
  const before = await cut(page, "tasks");
  const seen = await picture(page, 0);
  await doubleClick(page, node);
  const after = await cut(page, "tasks");
  assert.notEqual(after, before);
  for (let i = 0; i < 5 && (await cut(page, "tasks")) !== before; i += 1) await press(page, "Control+z");
  assert.equal(await cut(page, "tasks"), before);
  for (let i = 0; i < 5 && (await selected(page)) !== null; i += 1) await press(page, "Control+z");
  assert.ok((await pictures.changed(seen, await picture(page, 0))) < 0.001);
  for (let i = 0; i < 5; i += 1) await press(page, "Control+Shift+z");
  assert.equal(await cut(page, "tasks"), after);
});
