// The opened page in the words of the tests: its view state, what it has drawn, and what hands do to it.

import { still } from "./browser.mjs";

/** The whole state of the page. */
export const state = (page) => page.evaluate(() => window.crosscut.state());

/** What is looked at in one run: scope and trees. */
export const runState = async (page, run = 0) => (await state(page)).runs[run];

/** The cut of a tree; "" is the one it opens with. */
export const cut = async (page, tree, run = 0) => (await runState(page, run)).trees[tree]?.cut ?? "";

/** The lens of a tree, or null. */
export const lensOf = async (page, tree, run = 0) => (await runState(page, run)).trees[tree]?.lens ?? null;

/** The window of time, or null for the whole run. */
export const windowOf = async (page, run = 0) => (await runState(page, run)).scope.time ?? null;

/** The selected node of a tree, or null. */
export async function selected(page, tree) {
  const of = (await state(page)).selected;
  return of && (tree === undefined || of.tree === tree) ? Number(of.nodes) : null;
}

/** Shows a view by its title in the rail. */
export async function show(page, title) {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("button", { name: title, exact: true })
    .click();
  await still(page);
}

/** Counts of what the active pane shows: boxes, links, visible, serverMs, lastPaintMs. */
export const stats = (page) => page.evaluate(() => window.crosscut.stats());

/** Where a node is drawn, in CSS pixels of the window, or null. */
export const nodeAt = (page, node) => page.evaluate((id) => window.crosscut.nodeAt(id), node);

/** The nodes below `count` that the graph draws, in the order of the tree. */
export const drawn = (page, count) =>
  page.evaluate(
    (n) => Array.from({ length: n }, (_, node) => node).filter((node) => window.crosscut.nodeAt(node)),
    count,
  );

/** The marks of the active pane without their parts: node, meaning, press and where they are. */
export const marks = (page) => page.evaluate(() => window.crosscut.marks());

/** Presses keys one after the other, and waits until the page has answered. */
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await still(page);
}

/** The middle of a node on the screen. */
export async function middle(page, node) {
  const rect = await nodeAt(page, node);
  if (!rect) throw new Error(`node ${node} is not drawn`);
  return [rect.x + rect.width / 2, rect.y + rect.height / 2];
}

export async function click(page, node) {
  await page.mouse.click(...(await middle(page, node)));
  await still(page);
}

export async function doubleClick(page, node) {
  await page.mouse.dblclick(...(await middle(page, node)));
  await still(page);
}

/** Turns the wheel over a point; up (negative) zooms in. */
export async function wheel(page, [x, y], by) {
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, by);
  await still(page);
}

export async function drag(page, [x, y], [dx, dy]) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2);
  await page.mouse.move(x + dx, y + dy);
  await page.mouse.up();
  await still(page);
}

/** Opens the graph down to a depth. */
export async function toDepth(page, depth) {
  await page.getByLabel("Open to depth").selectOption(String(depth));
  await still(page);
}

/** The first canvas of a pane: a graph or the timeline. */
export const canvas = (page, pane = 0) => page.locator("section.pane").nth(pane).locator("canvas").first();

/** The middle of a pane's canvas. */
export async function centre(page, pane = 0) {
  const { x, y, width, height } = await canvas(page, pane).boundingBox();
  return [x + width / 2, y + height / 2];
}

/** A picture of a pane, or of the whole page, without focus ring and without anything under the pointer. */
export async function picture(page, pane) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(2, 2);
  return still(page, pane === undefined ? page : canvas(page, pane));
}

/** Runs a command of the palette by its title. */
export async function command(page, title) {
  await page.keyboard.press("Control+k");
  await page.getByLabel("Command", { exact: true }).fill(title);
  await page.keyboard.press("Enter");
  await still(page);
}
