// A walk through the grain graph: open, close, look through a problem, move its threshold, to the worst
// grain, along the critical path, what is alike, the table, a finding. What is asked of the picture is asked
// of its pixels.

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
  cut,
  doubleClick,
  lensOf,
  marks,
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

const VIEW = "tasks.grains";
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
  await show(page, "Grain graph");
});
after(async () => {
  await browser?.close();
  server?.stop();
});

const token = (name) =>
  page.evaluate(
    (n) => getComputedStyle(document.querySelector(".crosscut")).getPropertyValue(n).trim(),
    name,
  );
const boxes = async () => (await stats(page)).boxes;
const lens = (word) => command(page, `Lens: ${word.replaceAll("-", " ")}`);
const grain = () => selected(page, "grains");
const options = async () => (await state(page)).options[VIEW] ?? {};
const meaningOf = async (node) => (await marks(page)).find((mark) => mark.node === node)?.meaning;

/** A closed group that is on the screen and large enough to be hit. */
async function closedGroup() {
  await toDepth(page, 2);
  const group = (await marks(page)).find((mark) => mark.press === "open");
  assert.ok(group, "something is closed at depth 2");
  return group.node;
}

/** How many pixels of the pane are red. */
async function red() {
  return pictures.count(await picture(page, 0), await token("--problem"), 20);
}

test("key 4 shows the grains, more than one square, and says how many of how many", async () => {
  await press(page, "1", "4");
  assert.equal((await state(page)).panes[0].view, VIEW);
  assert.ok((await boxes()) > 3);
  assert.match(await page.locator(".plot-foot").textContent(), /\d of .*\d shown/);
  assert.deepEqual(page.problems, []);
});

test("a double click opens a group and selects it, the sign in its corner closes it", async () => {
  const node = await closedGroup();
  const closed = await boxes();
  const before = await picture(page, 0);
  await doubleClick(page, node);
  assert.equal(await grain(), node);
  assert.equal(
    (await marks(page)).find((mark) => mark.node === node).press,
    "close",
    "an envelope stands there",
  );
  assert.ok((await boxes()) > closed);
  const opened = await picture(page, 0);
  assert.ok((await pictures.changed(before, opened)) > 0.01);
  await press(page, "Enter");
  assert.equal(await boxes(), closed);
  const again = await picture(page, 0);
  await press(page, "Enter", "Enter");
  assert.equal(
    await pictures.changed(again, await picture(page, 0)),
    0,
    "opened and closed again: the same picture",
  );
  assert.ok((await pictures.changed(opened, again)) > 0.01);
});

test("a click inside of an open group selects it and closes nothing", async () => {
  const node = await closedGroup();
  await doubleClick(page, node);
  const count = await boxes();
  const rect = await nodeAt(page, node);
  await page.mouse.click(rect.x + 3, rect.y + rect.height - 4);
  await still(page);
  assert.equal(await grain(), node);
  assert.equal(await boxes(), count);
});

test("undo brings the picture back, redo the other", async () => {
  const node = await closedGroup();
  const before = await picture(page, 0);
  const was = await cut(page, "grains");
  await doubleClick(page, node);
  const opened = await cut(page, "grains");
  for (let i = 0; i < 4 && ((await cut(page, "grains")) !== was || (await grain()) !== null); i += 1) {
    await press(page, "Control+z");
  }
  assert.equal(await pictures.changed(before, await picture(page, 0)), 0);
  for (let i = 0; i < 4; i += 1) await press(page, "Control+Shift+z");
  assert.equal(await cut(page, "grains"), opened);
});

test("a lens marks problem grains red, good groups green, and dims the rest", async () => {
  await toDepth(page, 4);
  assert.equal(await red(), 0, "nothing is red without a lens");
  const plain = await picture(page, 0);
  await lens(LENS);
  assert.equal((await lensOf(page, "grains")).name, LENS);
  const seen = await picture(page, 0);
  const meanings = (await marks(page)).map((mark) => mark.meaning);
  assert.ok(meanings.some((text) => /problem/.test(text)));
  assert.ok((await red()) > 50, "red rims");
  assert.ok((await pictures.count(seen, await token("--good"))) > 30, "green borders");
  await lens("none");
  assert.ok(
    (await pictures.changed(plain, await picture(page, 0))) < 0.001,
    "without the lens the picture is back",
  );
  assert.deepEqual(page.problems, []);
});

test("another lens keeps the place: cut, zoom, and the selected thing on the screen", async () => {
  await toDepth(page, 4);
  const all = await marks(page);
  const one = all.filter((mark) => mark.meaning === "grain").at(Math.floor(all.length / 4)) ?? all[2];
  await click(page, one.node);
  const was = await cut(page, "grains");
  const at = await nodeAt(page, one.node);
  for (const key of [".", ".", ","]) {
    await press(page, key);
    assert.equal(await cut(page, "grains"), was);
    assert.equal(await grain(), one.node);
    const is = await nodeAt(page, one.node);
    if (!is) await holderStays(all, one);
    else
      assert.ok(
        Math.abs(is.x - at.x) < 2 && Math.abs(is.y - at.y) < 2,
        `${is.x},${is.y} was ${at.x},${at.y}`,
      );
  }
});

const holds = (outer, inner) =>
  outer.press === "close" &&
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

/**
 * What was folded away is still where the nearest group around it is: the middle of its top has not moved.
 */
async function holderStays(before, inner) {
  const area = (mark) => mark.width * mark.height;
  const around = before.filter((mark) => holds(mark, inner)).toSorted((a, b) => area(a) - area(b));
  for (const outer of around) {
    const is = await nodeAt(page, outer.node);
    if (!is) continue;
    const [was, now] = [outer.x + outer.width / 2, is.x + is.width / 2];
    assert.ok(
      Math.abs(now - was) < 2 && Math.abs(is.y - outer.y) < 2,
      `${now},${is.y} was ${was},${outer.y}`,
    );
    return;
  }
  assert.fail("nothing around it is drawn");
}

test("the slider changes how many grains have the problem, at once; reset goes back", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  const count = async () => Number((await page.locator(".threshold-count").textContent()).replace(/\D/g, ""));
  const [usual, seen] = [await count(), await picture(page, 0)];
  const slider = page.locator(".threshold input");
  await slider.evaluate((el) => {
    el.value = "0";
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await still(page);
  assert.notEqual(await count(), usual);
  assert.ok((await lensOf(page, "grains")).value > 0);
  assert.ok((await pictures.changed(seen, await picture(page, 0))) > 0.0005);
  await slider.focus();
  await press(page, "ArrowRight");
  await page.getByRole("button", { name: "reset" }).click();
  await still(page);
  assert.equal(await count(), usual);
  assert.deepEqual(await lensOf(page, "grains"), { name: LENS });
});

test("the menu names every problem, what it costs, and what is missing", async () => {
  await press(page, "k");
  const items = page.getByRole("menuitemradio");
  assert.equal(await items.count(), 8);
  const text = await page.getByRole("menu").textContent();
  assert.match(text, /low parallelism.*grain/i);
  assert.match(text, /work deviation.*not available.*baseline/i);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await press(page, "Enter");
  assert.notEqual(await lensOf(page, "grains"), null);
  await press(page, "k", "Escape");
  assert.equal(await items.count(), 0);
});

test("Shift+W opens to the worst line, and again to the next", async () => {
  await lens(LENS);
  await press(page, "0", "Shift+W");
  const worst = await grain();
  assert.ok(await nodeAt(page, worst), "it is drawn");
  assert.match(await meaningOf(worst), /problem/);
  assert.ok((await red()) > 50);
  await press(page, "Shift+W");
  const second = await grain();
  assert.notEqual(second, worst);
  assert.ok(await nodeAt(page, second));
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
  const groups = (await marks(page)).filter((mark) => mark.press === "close" && /open/.test(mark.meaning));
  await clickInside(groups.at(-1));
  await press(page, "Shift+L");
  assert.equal((await options()).path, String(await grain()));
  const critical = async () => (await marks(page)).filter((mark) => /critical/.test(mark.meaning)).length;
  const own = await critical();
  await page.locator(".tools-row .chip").click();
  await still(page);
  assert.equal((await options()).path, undefined);
  assert.ok((await critical()) > own);
});

/** Selects an open group by its lower left corner, where nothing else is. */
async function clickInside(mark) {
  await command(page, "Fit everything");
  const rect = await nodeAt(page, mark.node);
  await page.mouse.click(rect.x + 2, rect.y + rect.height - 2);
  await still(page);
}

test("what is alike is folded into one mark and unfolded", async () => {
  await toDepth(page, 5);
  const all = await boxes();
  const plain = await picture(page, 0);
  await press(page, "Shift+E");
  assert.equal((await options()).alike, "true");
  const folded = (await marks(page)).filter((mark) => /alike/.test(mark.meaning));
  assert.ok(folded.length > 0 && (await boxes()) < all, `${await boxes()} of ${all} boxes`);
  assert.ok((await pictures.changed(plain, await picture(page, 0))) > 0.001);
  await page.waitForTimeout(300);
  await page.evaluate((id) => {
    location.hash = `${location.hash.replace(/&s=[^&]*/, "")}&s=0:grains:${id}`;
  }, folded[0].node);
  await still(page);
  assert.match(await page.locator(".inspector").textContent(), /alike/);
  await press(page, "r");
  assert.match(await cut(page, "grains"), /!/);
  await press(page, "Shift+E");
  assert.equal((await options()).alike, undefined);
});

test("E opens everything alike to the selected group the same way", async () => {
  await toDepth(page, 3);
  const groups = (await marks(page)).filter((mark) => mark.press === "open");
  await doubleClick(page, groups[0].node);
  const opened = async () => (await marks(page)).filter((mark) => mark.press === "close").length;
  const one = await opened();
  await press(page, "e");
  assert.ok((await opened()) >= one);
});

test("the inspector tells metrics, problems and members of a group, and leads on", async () => {
  const node = await closedGroup();
  await click(page, node);
  const inspector = page.locator(".inspector");
  const text = (await inspector.textContent()).toLowerCase();
  for (const word of ["work", "low parallelism", "sibling scatter", "members", "source"])
    assert.ok(text.includes(word), word);
  await inspector.locator(".sheet-table tr.link").last().click();
  await still(page);
  assert.notEqual(await grain(), node);
  await inspector.getByRole("button", { name: "In time" }).click();
  await still(page);
  assert.equal((await state(page)).panes[0].view, "tasks.timeline");
});

test("selections follow each other between grains, DAG and timeline", async () => {
  const node = await closedGroup();
  await click(page, node);
  await press(page, "Shift+G");
  assert.equal((await state(page)).panes[0].view, "tasks.dag");
  const task = await selected(page, "tasks");
  assert.ok(Number.isInteger(task) && (await nodeAt(page, task)), "its task is shown in the DAG");
  await press(page, "g");
  assert.equal((await state(page)).panes[0].view, VIEW);
  assert.ok(await nodeAt(page, await grain()), "its grain is drawn");
});

test("the table lists what is drawn or all with the problem, sorts, filters, and leads back", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  const visible = (await stats(page)).boxes;
  await show(page, "Table");
  const total = async () => Number(await page.locator(".table").getAttribute("aria-rowcount"));
  const shown = await total();
  assert.ok(shown > 1 && shown <= visible);
  await page.getByRole("button", { name: /^all with low parallelism/i }).click();
  await still(page);
  assert.ok((await total()) > 0);
  const rows = page.locator(".table-row:not(.empty)");
  assert.equal(await page.locator(".table-row .lens-mark").count(), await rows.count());
  await page.getByRole("columnheader", { name: /^work/i }).first().click();
  await still(page);
  const work = await page
    .locator(".table-body [data-column=work]")
    .evaluateAll((cells) =>
      cells.map((cell) => [
        parseFloat(cell.parentElement.style.top),
        Number(cell.querySelector(".value").title.replace(/[^\d.]/g, "")),
      ]),
    );
  const sorted = work.sort((a, b) => a[0] - b[0]).map(([, value]) => value);
  assert.deepEqual(
    sorted,
    sorted.toSorted((a, b) => b - a),
  );
  await page.getByLabel("Filter rows").fill("no-such-source");
  await still(page);
  assert.equal(await total(), 0);
  await page.getByLabel("Filter rows").fill("");
  await still(page);
  await page.locator(".table-row").nth(1).dblclick();
  await still(page);
  assert.equal((await state(page)).panes[0].view, VIEW);
  assert.ok(await nodeAt(page, await grain()), "the row is drawn");
});

test("a finding opens the view that shows it, and the next one follows", async (t) => {
  // The run of the other tests is too short to have findings.
  const longer = await serve(synthetic("sort", 20000));
  t.after(() => longer.stop());
  const other = await open(browser, longer.link);
  const first = other.locator(".sheet .finding-open").first();
  assert.match(await first.textContent(), /lost/);
  await first.click();
  await still(other);
  const { panes } = await state(other);
  assert.match(panes[0].view, /^tasks\.(timeline|dag|grains)$/);
  assert.ok((await stats(other)).boxes > 0);
  assert.deepEqual(other.problems, []);
  await other.context().close();
});

test("the address brings the same picture to another window", async () => {
  await lens(LENS);
  await press(page, "Shift+W");
  await command(page, "Colour: Worker");
  await wheel(page, await centre(page), -200);
  await page.waitForTimeout(7000);
  const seen = await picture(page);
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
    assert.equal(await grain(), null);
    await press(page, key);
    assert.equal(await grain(), 0, key);
  }
  await press(page, "0");
  await press(page, "Escape");
  await press(page, "ArrowRight");
  assert.equal(await grain(), 0, "an arrow, where there is nothing to move to");
});

test("Back goes to the view, the lens and the cut before, and forward again", async () => {
  const node = await closedGroup();
  await page.waitForTimeout(300);
  const was = await cut(page, "grains");
  await doubleClick(page, node);
  await page.waitForTimeout(300);
  const opened = await cut(page, "grains");
  await lens(LENS);
  await page.waitForTimeout(300);
  await show(page, "Timeline");
  await page.waitForTimeout(300);
  const back = async () => {
    await page.goBack();
    await still(page);
    return [
      (await state(page)).panes[0].view,
      (await lensOf(page, "grains"))?.name,
      await cut(page, "grains"),
    ];
  };
  assert.deepEqual(await back(), [VIEW, LENS, opened]);
  assert.deepEqual(await back(), [VIEW, undefined, opened]);
  assert.equal((await back())[2], was);
  await page.goForward();
  await still(page);
  assert.equal(await cut(page, "grains"), opened);
});

test("the worst without a lens is that of the problem that costs most, and says of what", async () => {
  await press(page, "Shift+W");
  assert.ok(await nodeAt(page, await grain()));
  assert.match(
    await page.locator(".notice").textContent(),
    /line 1 of \d+, worst first: .* grains? with .*, .*(lost|of work)/,
  );
});

test("a lens that is not available is dropped with the reason", async () => {
  await page.context().close();
  page = await open(browser, `${server.link}#v=1&p=${VIEW}:0&0/grains=;lens=work-deviation`);
  await page.waitForFunction(() => !window.crosscut.state().runs[0].trees.grains?.lens);
  await still(page);
  assert.ok((await boxes()) > 3, "the graph is drawn");
  assert.match(await page.locator(".notice").textContent(), /work deviation: .*baseline/i);
});

test("the table fits beside the inspector", async () => {
  await show(page, "Table");
  const cutOff = await page
    .locator(".table-head button")
    .evaluateAll((heads) =>
      heads.filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.textContent),
    );
  assert.deepEqual(cutOff, [], "no head is cut");
});

test("opening that stops says so and how to go on", async (t) => {
  const large = await serve(synthetic("fib", 60000));
  t.after(() => large.stop());
  const other = await open(browser, `${large.link}#v=1&p=${VIEW}:0`);
  await other.getByLabel("Open to depth").selectOption("30");
  await still(other);
  assert.match(await other.locator(".notice").textContent(), /^Stopped/);
  await press(other, "0", "Enter", "Shift+Enter");
  assert.match(await other.locator(".notice").textContent(), /Stopped.*Open up to/);
  await other.context().close();
});

test("the canvas has a name that says what it shows", async () => {
  assert.match(await canvas(page).getAttribute("aria-label"), /Grain graph, .* shown\. .*as a table/);
});
