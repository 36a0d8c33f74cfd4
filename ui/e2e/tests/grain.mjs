// A walk through the grain view: open, close, look through a problem, move its threshold, to the worst grain, along
// the critical path, what is alike, the table, a finding. What is asked of the picture is asked of its pixels.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { serve, synthetic } from "../server.mjs";
import {
  canvas,
  centre,
  click,
  command,
  marks,
  nodeAt,
  picture,
  press,
  runState,
  state,
  stats,
  toDepth,
  wheel,
} from "../workbench.mjs";

const LENS = "low-parallelism";
let browser, server, pictures, page;

before(async () => {
  server = await serve(synthetic("sort", 1200));
  browser = await launch();
  pictures = await decoder(browser);
});
beforeEach(async () => {
  await page?.context().close();
  page = await open(browser, server.link);
  await press(page, "3");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** A colour of the palette that the server sent, or of the page's own. */
const token = (name) =>
  page.evaluate((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim(), name);
const boxes = async () => (await stats(page)).boxes;
const lens = (word) => command(page, `Lens: ${word.replaceAll("-", " ")}`);

/** A closed group that is on the screen and large enough to be hit. */
async function closedGroup() {
  await toDepth(page, 2);
  const group = (await marks(page)).find((mark) => mark.shape === "group" && mark.flags.includes("closed"));
  assert.ok(group, "something is closed at depth 2");
  return group.node;
}
/** Clicks on the title of an open group. */
async function clickTitle(node) {
  const { x, y } = await nodeAt(page, node);
  await page.mouse.click(x + 12, y + 6);
  await still(page);
}
/** Selects a grain or group without touching it. */
async function selectByAddress(node) {
  await page.waitForTimeout(300);
  await page.evaluate((id) => {
    location.hash = `${location.hash.replace(/&?grain0=\d*/, "")}&grain0=${id}`;
  }, node);
  await still(page);
}
const shapeOf = async (node) => (await marks(page)).find((mark) => mark.node === node)?.shape;

/** How many pixels of the pane are red. */
async function red() {
  return pictures.count(await picture(page, 0), await token("--problem"), 20);
}

test("key 3 shows the grains, more than one square, and says how many of how many", async () => {
  assert.equal((await state(page)).panes[0].view, "grain");
  assert.ok((await boxes()) > 3);
  assert.match(await page.locator(".plot-foot").textContent(), /grains · .*groups · .*raw nodes · max θ/);
  assert.match(await page.locator(".plot-foot .chip").textContent(), /\d of .*\d grains shown/);
  const own = (await marks(page)).filter((mark) => mark.shape === "grain" && !mark.flags.includes("merged"));
  const [shown] = (await page.locator(".plot-foot .chip").textContent()).split(" of ");
  assert.equal(Number(shown), own.length, "what is counted is what is drawn");
  assert.deepEqual(page.problems, []);
});

test("one click opens a group and selects it, one on its title closes it", async () => {
  const node = await closedGroup();
  const closed = await boxes();
  const before = await picture(page, 0);
  await click(page, node);
  assert.equal((await runState(page)).grain, node);
  assert.equal(await shapeOf(node), "open", "an envelope stands where the group was");
  assert.ok((await boxes()) > closed);
  const opened = await picture(page, 0);
  assert.ok((await pictures.changed(before, opened)) > 0.01);
  const { x, y, width, height } = await nodeAt(page, node);
  const inside = { x, y, width, height };
  const clip = await page.screenshot({ clip: inside });
  assert.ok((await pictures.count(clip, await token("--surface"), 3)) < 0.9 * width * height, "the envelope is filled");
  await clickTitle(node);
  assert.equal(await shapeOf(node), "group");
  assert.equal(await boxes(), closed);
  const again = await picture(page, 0);
  await press(page, "Enter", "Enter");
  assert.equal(await pictures.changed(again, await picture(page, 0)), 0, "opened and closed again: the same picture");
  assert.ok((await pictures.changed(opened, again)) > 0.01);
});

test("a click inside of an open group selects it and closes nothing; a double click opens once", async () => {
  const node = await closedGroup();
  const [x, y] = await nodeAt(page, node).then((r) => [r.x + r.width / 2, r.y + r.height / 2]);
  await page.mouse.dblclick(x, y);
  await still(page);
  assert.equal(await shapeOf(node), "open");
  const count = await boxes();
  const rect = await nodeAt(page, node);
  await page.mouse.click(rect.x + 3, rect.y + rect.height - 4);
  await still(page);
  assert.equal((await runState(page)).grain, node);
  assert.equal(await boxes(), count);
});

test("undo brings the picture back, redo the other", async () => {
  const node = await closedGroup();
  const before = await picture(page, 0);
  const cut = (await runState(page)).grainCut;
  await click(page, node);
  const opened = (await runState(page)).grainCut;
  for (let i = 0; i < 4 && ((await runState(page)).grainCut !== cut || (await runState(page)).grain !== null); i += 1)
    await press(page, "Control+z");
  assert.equal(await pictures.changed(before, await picture(page, 0)), 0);
  for (let i = 0; i < 4; i += 1) await press(page, "Control+Shift+z");
  assert.equal((await runState(page)).grainCut, opened);
});

test("a lens marks problem grains red, good groups green, and dims the rest", async () => {
  await toDepth(page, 4);
  assert.equal(await red(), 0, "nothing is red without a lens");
  const plain = await picture(page, 0);
  const grain = (await marks(page)).find((mark) => mark.shape === "grain");
  /** A little of a grain's fill, below its texts. */
  const fillOf = ({ x, y, height }) =>
    page.screenshot({ clip: { x: x + 8, y: y + height - 6, width: 6, height: 3 } });
  const colour = await fillOf(grain);
  await lens(LENS);
  assert.equal((await state(page)).lens, LENS);
  const seen = await picture(page, 0);
  const flagged = await marks(page);
  for (const flag of ["problem", "dimmed"]) assert.ok(flagged.some((mark) => mark.flags.includes(flag)));
  assert.ok((await red()) > 50, "red rims");
  assert.ok((await pictures.count(seen, await token("--good"))) > 30, "green borders");
  const dimmed = flagged.find((mark) => mark.shape === "grain" && mark.flags.includes("dimmed"));
  if (dimmed) {
    const [full, faint] = [await pictures.sketch(colour, 1, 1), await pictures.sketch(await fillOf(dimmed), 1, 1)];
    assert.ok(faint[0] > full[0] + 20, `dimmed ${faint[0]}, full ${full[0]}`);
  }
  await lens("none");
  assert.ok((await pictures.changed(plain, await picture(page, 0))) < 0.001, "without the lens the picture is back");
  assert.deepEqual(page.problems, []);
});

test("another lens keeps the place: cut, zoom, and the selected thing on the screen", async () => {
  await toDepth(page, 4);
  const all = await marks(page);
  const grain = all.filter((mark) => mark.shape === "grain").at(Math.floor(all.length / 4)) ?? all[2];
  await click(page, grain.node);
  const before = await runState(page);
  const at = await nodeAt(page, grain.node);
  for (const key of [".", ".", ","]) {
    await press(page, key);
    const now = await runState(page);
    assert.equal(now.grainCut, before.grainCut);
    assert.equal(now.grain, grain.node);
    const is = await nodeAt(page, grain.node);
    if (!is) await holderStays(all, grain);
    else assert.ok(Math.abs(is.x - at.x) < 2 && Math.abs(is.y - at.y) < 2, `${is.x},${is.y} was ${at.x},${at.y}`);
  }
});

const holds = (outer, inner) =>
  outer.shape === "open" &&
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

/** What was folded away is still where the nearest group around it is: the middle of its top has not moved. */
async function holderStays(before, grain) {
  const area = (mark) => mark.width * mark.height;
  const around = before.filter((mark) => holds(mark, grain)).toSorted((a, b) => area(a) - area(b));
  for (const outer of around) {
    const is = await nodeAt(page, outer.node);
    if (!is) continue;
    const [was, now] = [outer.x + outer.width / 2, is.x + is.width / 2];
    assert.ok(Math.abs(now - was) < 2 && Math.abs(is.y - outer.y) < 2, `${now},${is.y} was ${was},${outer.y}`);
    return;
  }
  assert.fail("nothing around the grain is drawn");
}

test("what a lens folds away leaves the group around it where it was", async () => {
  await toDepth(page, 6);
  await lens(LENS);
  const dimmed = (await marks(page)).filter((mark) => mark.flags.includes("dimmed") && mark.flags.includes("merged"));
  assert.ok(dimmed.length > 0, "something is folded under the lens");
  await lens("none");
  const all = await marks(page);
  const grain = all.find((mark) => mark.shape === "grain" && mark.node > dimmed[0].node);
  await selectByAddress(grain.node);
  const before = await marks(page);
  await press(page, ".");
  const is = await nodeAt(page, grain.node);
  if (!is) await holderStays(before, before.find((mark) => mark.node === grain.node));
  else assert.ok(Math.abs(is.y - before.find((mark) => mark.node === grain.node).y) < 2);
});

test("the slider changes how many grains have the problem, at once; reset goes back", async () => {
  await lens(LENS);
  await command(page, "Grains: open to the worst problem");
  const count = async () => Number((await page.locator(".threshold-count").textContent()).replace(/\D/g, ""));
  const [usual, seen] = [await count(), await picture(page, 0)];
  const slider = page.locator(".threshold input");
  await slider.evaluate((el) => {
    el.value = "0";
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await still(page);
  assert.notEqual(await count(), usual);
  assert.ok((await state(page)).thresholds[LENS] > 0);
  assert.ok((await pictures.changed(seen, await picture(page, 0))) > 0.0005);
  await slider.focus();
  await press(page, "ArrowRight");
  await page.getByRole("button", { name: "reset" }).click();
  await still(page);
  assert.equal(await count(), usual);
  assert.deepEqual((await state(page)).thresholds, {});
});

test("the menu names every problem, what it costs, and what is missing", async () => {
  await press(page, "k");
  const items = page.getByRole("menuitemradio");
  assert.equal(await items.count(), 8);
  const text = await page.locator(".lens-list").textContent();
  assert.match(text, /low parallelism.*grains.*lost/);
  assert.match(text, /work deviation.*cannot be told.*--baseline/);
  await page.keyboard.press("ArrowDown");
  await press(page, "Enter");
  assert.notEqual((await state(page)).lens, "");
  await press(page, "k", "Escape");
  assert.equal(await items.count(), 0);
});

test("Shift+W opens to the worst grain; p and P walk the worst", async () => {
  await lens(LENS);
  await press(page, "0");
  await press(page, "Shift+W");
  const worst = (await runState(page)).grain;
  assert.ok(await nodeAt(page, worst), "it is drawn");
  assert.ok((await marks(page)).find((mark) => mark.node === worst).flags.includes("problem"));
  assert.ok((await red()) > 50);
  await press(page, "p");
  const second = (await runState(page)).grain;
  assert.notEqual(second, worst);
  assert.ok(await nodeAt(page, second));
  await press(page, "Shift+P");
  assert.equal((await runState(page)).grain, worst);
});

test("the critical path is opened and red; that of a group alone is shorter", async () => {
  await press(page, "Shift+C");
  const whole = await red();
  assert.ok(whole > 200, `${whole} red pixels`);
  const before = await picture(page, 0);
  await press(page, "c");
  assert.equal(await red(), 0);
  await press(page, "c");
  assert.ok((await pictures.changed(before, await picture(page, 0))) < 0.001);
  const groups = (await marks(page)).filter((mark) => mark.shape === "open");
  await clickInside(groups.at(-1));
  await press(page, "Shift+L");
  const { pathOf, grain } = await runState(page);
  assert.equal(pathOf, grain);
  const own = (await marks(page)).filter((mark) => mark.flags.includes("critical")).length;
  await page.locator(".graph-tools .chip").click();
  await still(page);
  assert.equal((await runState(page)).pathOf, null);
  assert.ok((await marks(page)).filter((mark) => mark.flags.includes("critical")).length > own);
});

/** Selects an open group by its lower left corner, where nothing else is. */
async function clickInside(mark) {
  await command(page, "Fit everything");
  const rect = await nodeAt(page, mark.node);
  await page.mouse.click(rect.x + 2, rect.y + rect.height - 2);
  await still(page);
}

test("what is alike is folded into one mark, opened alike, and unfolded", async () => {
  await toDepth(page, 5);
  const all = await boxes();
  const plain = await picture(page, 0);
  await press(page, "Shift+E");
  assert.equal((await state(page)).alike, true);
  const folded = (await marks(page)).filter((mark) => mark.flags.includes("merged"));
  assert.ok(folded.length > 0 && (await boxes()) < all, `${await boxes()} of ${all} boxes`);
  assert.ok((await pictures.changed(plain, await picture(page, 0))) > 0.001);
  const fold = folded[0].node;
  await selectByAddress(fold);
  assert.match(await page.locator(".inspector").textContent(), /of .* siblings alike/);
  await press(page, "r");
  assert.match((await runState(page)).grainCut, /!/);
  await press(page, "Shift+E");
  assert.equal((await state(page)).alike, false);
});

test("E opens everything alike to the selected group the same way", async () => {
  await toDepth(page, 3);
  const groups = (await marks(page)).filter((mark) => mark.flags.includes("closed"));
  await click(page, groups[0].node);
  const one = (await marks(page)).filter((mark) => mark.shape === "open").length;
  await press(page, "e");
  const many = (await marks(page)).filter((mark) => mark.shape === "open").length;
  const alike = await page.locator(".alike").textContent().catch(() => "");
  assert.ok(/groups? in the run/.test(alike) ? many >= one : many === one, `${one} open, then ${many}; ${alike}`);
});

test("the inspector tells metrics, problems, members and source of a group, and leads on", async () => {
  const node = await closedGroup();
  await click(page, node);
  const inspector = page.locator(".inspector");
  const text = await inspector.textContent();
  const words = ["work", "path of grains", "T∞ with overhead", "low parallelism", "sibling scatter", "members", "Source"];
  for (const word of words) assert.ok(text.includes(word), word);
  await inspector.locator(".members button").first().click();
  await still(page);
  const member = (await runState(page)).grain;
  assert.notEqual(member, node);
  assert.ok(await nodeAt(page, member));
  await inspector.getByRole("button", { name: "In time" }).click();
  await still(page);
  assert.equal((await state(page)).panes[0].view, "timeline");
  assert.ok((await runState(page)).window);
});

test("selections follow each other between grains, DAG and timeline", async () => {
  const node = await closedGroup();
  await click(page, node);
  const { selected } = await runState(page);
  assert.ok(Number.isInteger(selected), "the task of the group is selected too");
  await press(page, "Shift+G");
  assert.equal((await state(page)).panes[0].view, "dag");
  assert.ok(await nodeAt(page, selected), "and shown in the DAG");
  await page.keyboard.press("Escape");
  await toDepth(page, 3);
  const drawn = (await marks(page)).filter((mark) => mark.shape === "create" || mark.shape === "end");
  await click(page, drawn.at(-1).node);
  const task = (await runState(page)).selected;
  await press(page, "g");
  const now = await runState(page);
  assert.equal((await state(page)).panes[0].view, "grain");
  assert.ok(Number.isInteger(now.grain) && (await nodeAt(page, now.grain)), "its grain is drawn");
  assert.ok(Number.isInteger(task));
});

test("the table lists what is drawn or all with the problem, sorts, filters, and leads back", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  const visible = (await stats(page)).boxes;
  await press(page, "5");
  assert.equal((await state(page)).table, "grain");
  const total = async () => Number(await page.locator("[role=table]").getAttribute("aria-rowcount"));
  const shown = await total();
  assert.ok(shown > 1 && shown <= visible);
  await page.getByRole("button", { name: "all with low parallelism" }).click();
  await still(page);
  const all = await total();
  assert.ok(all > 0);
  const rows = page.locator(".table-row:not(.empty)");
  assert.equal(await page.locator(".table-row .problem-sign").count(), await rows.count());
  await page.getByRole("columnheader", { name: /^Work/ }).click();
  await still(page);
  const work = await page
    .locator(".table-body .col-work")
    .evaluateAll((cells) =>
      cells.map((cell) => [parseFloat(cell.parentElement.style.top), Number(cell.title.replace(/[^\d.]/g, ""))]),
    );
  const sorted = work.sort((a, b) => a[0] - b[0]).map(([, value]) => value);
  assert.deepEqual(sorted, sorted.toSorted((a, b) => b - a));
  await page.getByLabel("Filter rows").fill("no-such-source");
  await still(page);
  assert.equal(await total(), 0);
  await page.getByLabel("Filter rows").fill("");
  await still(page);
  await page.locator(".table-row").nth(1).dblclick();
  await still(page);
  const { grain } = await runState(page);
  assert.equal((await state(page)).panes[0].view, "grain");
  assert.ok(await nodeAt(page, grain), "the row is drawn");
});

test("a finding opens the grains through its lens at its worst grain", async () => {
  await press(page, "1");
  await page.locator(".findings-card .finding", { hasText: "low parallelism" }).first().click();
  await still(page);
  const s = await state(page);
  assert.equal(s.panes[0].view, "grain");
  assert.equal(s.lens, LENS);
  assert.ok(await nodeAt(page, s.runs[0].grain));
  assert.ok((await red()) > 50);
  assert.deepEqual(page.problems, []);
});

test("the address brings the same picture to another window", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  await command(page, "Colour by worker");
  await wheel(page, await centre(page), -200);
  const seen = await picture(page);
  await page.waitForTimeout(400);
  const copy = await open(browser, server.link + new URL(page.url()).hash);
  assert.deepEqual(await state(copy), await state(page));
  assert.ok((await pictures.changed(seen, await picture(copy))) < 0.002);
  await copy.context().close();
});

test("dark has its own red and green", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  const light = await picture(page, 0);
  await press(page, "Shift+D");
  assert.ok((await red()) > 50);
  assert.ok((await pictures.changed(light, await picture(page, 0))) > 0.5);
});

test("keys begin with the root where nothing is selected", async () => {
  for (const key of ["Enter", "]", "u", "Backspace"]) {
    await press(page, "Escape");
    assert.equal((await runState(page)).grain, null);
    await press(page, key);
    assert.equal((await runState(page)).grain, 0, key);
  }
  await press(page, "0", "Escape");
  await press(page, "Escape", "ArrowRight");
  assert.equal((await runState(page)).grain, 0, "an arrow, where there is nothing to move to");
});

test("Back goes to the view, the lens and the cut before, and forward again", async () => {
  const node = await closedGroup();
  await page.waitForTimeout(300);
  const cut = (await runState(page)).grainCut;
  await click(page, node);
  await page.waitForTimeout(300);
  const opened = (await runState(page)).grainCut;
  await lens(LENS);
  await page.waitForTimeout(300);
  await press(page, "4");
  await page.waitForTimeout(300);
  const back = async () => {
    await page.goBack();
    await still(page);
    return state(page);
  };
  let now = await back();
  assert.deepEqual([now.panes[0].view, now.lens, now.runs[0].grainCut], ["grain", LENS, opened]);
  now = await back();
  assert.deepEqual([now.panes[0].view, now.lens, now.runs[0].grainCut], ["grain", "", opened]);
  now = await back();
  assert.equal(now.runs[0].grainCut, cut);
  await page.goForward();
  await still(page);
  assert.equal((await runState(page)).grainCut, opened);
});

test("the worst without a lens is that of the problem that costs most, and says of what", async () => {
  await press(page, "Shift+W");
  const { lens: chosen, runs } = await state(page);
  assert.notEqual(chosen, "");
  assert.ok((await marks(page)).find((mark) => mark.node === runs[0].grain).flags.includes("problem"));
  assert.match(await page.locator(".notice").textContent(), /^Worst of .* with .*: .*(lost|of work)/);
  await press(page, "Escape", "Escape");
  assert.match(await page.locator(".inspector").textContent(), /Worst of .* by (time lost|work)/);
});

test("the findings follow the threshold", async () => {
  await lens(LENS);
  await press(page, "Escape");
  const finding = () => page.locator(".inspector .finding", { hasText: "ow parallelism" }).textContent();
  const usual = await finding();
  const slider = page.locator(".threshold input");
  await slider.evaluate((el) => {
    el.value = String(Number(el.value) + 40);
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await still(page);
  const count = (await page.locator(".threshold-count").textContent()).match(/[\d\u2009]+/)[0];
  const moved = await finding();
  assert.ok(moved.includes(`in ${count} grain`) && /at threshold [\d.]+/.test(moved), `${moved}; was ${usual}`);
});

test("a lens that cannot be told is dropped with the reason", async () => {
  await page.context().close();
  page = await open(browser, `${server.link}#view=grain:0&lens=work-deviation`);
  await page.waitForFunction(() => window.crosscut.state().lens === "");
  await still(page);
  assert.ok((await boxes()) > 3, "the graph is drawn");
  assert.match(await page.locator(".notice").textContent(), /work deviation: .*baseline/);
});

test("the table fits beside the inspector, the worst comes first", async () => {
  await press(page, "5");
  const pane = await page.locator(".table").evaluate((el) => [el.scrollWidth, el.clientWidth]);
  assert.ok(pane[0] <= pane[1], `${pane[0]} of ${pane[1]} pixels`);
  const cut = await page
    .locator(".table-head button")
    .evaluateAll((heads) => heads.filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.textContent));
  assert.deepEqual(cut, [], "no head is cut");
  await page.getByRole("columnheader", { name: /^Parallelism/ }).click();
  await still(page);
  assert.equal((await state(page)).descending, false, "little parallelism is bad");
  await page.getByRole("columnheader", { name: /^Balance/ }).click();
  await still(page);
  assert.equal((await state(page)).descending, true, "much imbalance is bad");
});

test("opening that stops says how much is open and how to go on", async (t) => {
  const large = await serve(synthetic("fib", 60000));
  t.after(() => large.stop());
  const other = await open(browser, `${large.link}#view=grain:0`);
  await other.getByLabel("Open to depth").selectOption("30");
  await still(other);
  const text = await other.locator(".notice").textContent();
  assert.match(text, /^Stopped .*: [\d\u2009]+ of [\d\u2009]+ grains shown.*Open single groups/);
  await press(other, "0", "Enter", "Shift+Enter");
  assert.match(await other.locator(".notice").textContent(), /Stopped .*Open up to/);
  await other.context().close();
});

test("the canvas has a name that says what it shows", async () => {
  assert.match(await canvas(page).getAttribute("aria-label"), /Grain graph, .* grains shown.*table form is view 5/);
});
