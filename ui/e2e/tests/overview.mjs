// The first screen: its numbers are those of `crosscut info`, and a finding leads to the view that shows it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, still } from "../browser.mjs";
import { decoder } from "../picture.mjs";
import { imported, info, serve, synthetic } from "../server.mjs";
import { nodeAt, press, state } from "../workbench.mjs";

/** The red of problems in the light theme. */
const RED = "#c3202a";

let browser, server, page, pictures, truth;

before(async () => {
  const run = imported("sort_mth4");
  truth = info(run).tasks;
  server = await serve(run);
  browser = await launch();
  pictures = await decoder(browser);
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** The number in an exact text such as "2 981 254 958 ticks". */
const number = (text) => Number(text.replace(/[^\d.]/g, ""));

test("a run opens on its overview", async () => {
  assert.equal((await state(page)).panes[0].view, "overview");
  assert.match(await page.title(), /sort_mth4/);
});

test("the counted facts are those of crosscut info", async () => {
  const facts = await page.locator(".sheet .facts").evaluateAll((lists) =>
    Object.fromEntries(
      lists.flatMap((list) => {
        const values = [...list.querySelectorAll("dd")].map(
          (dd) => dd.querySelector("[title]")?.title ?? dd.textContent,
        );
        return [...list.querySelectorAll("dt")].map((dt, i) => [dt.textContent, values[i]]);
      }),
    ),
  );
  assert.equal(number(facts.tasks), truth.tasks);
  assert.equal(number(facts.intervals), truth.intervals);
  assert.equal(number(facts.work), truth.work_ns);
  assert.equal(number(facts.elapsed), truth.elapsed_ns);
});

test("where the time went is drawn, and so are the charts below it", async () => {
  const figures = page.locator(".sheet figure");
  assert.ok((await figures.count()) >= 2);
  for (const figure of (await figures.all()).slice(0, 4)) {
    await figure.scrollIntoViewIfNeeded();
    if (await figure.getByRole("button", { name: "Compute" }).count()) continue;
    const cells = await pictures.sketch(await still(page, figure.locator("canvas").first()), 24, 6);
    assert.ok(
      Math.max(...cells) - Math.min(...cells) > 20,
      `${await figure.locator("canvas").getAttribute("aria-label")} is not empty`,
    );
  }
});

test("findings are sorted by what they cost, and numbered", async () => {
  const findings = page.locator(".finding");
  const numbers = await findings.locator(".finding-number").allTextContents();
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => String(i + 1)),
  );
  const shares = await findings.locator(".finding-cost strong").allTextContents();
  const values = shares.map(number);
  assert.deepEqual(
    values,
    values.toSorted((a, b) => b - a),
  );
});

test("the run without what costs most is a ladder, each rung shorter", async () => {
  const ladder = page.getByRole("img", { name: "Without what costs most" });
  await ladder.scrollIntoViewIfNeeded();
  const picture = await still(page, ladder);
  const blue = await pictures.count(picture, "#2a6bb0", 40);
  assert.ok(blue > 200, "the run as it is");
  assert.match(await page.locator(".finding-cost").first().textContent(), /without it \((replay|at most)\)/);
});

test("what proves a finding is outlined in red", async () => {
  for (const finding of (await page.locator(".finding").all()).slice(0, 3)) {
    await finding.scrollIntoViewIfNeeded();
    const picture = await still(page, finding.locator("canvas"));
    assert.ok((await pictures.count(picture, RED)) > 10, await finding.textContent());
    assert.match(await finding.locator(".picture-note").textContent(), /outlined|shorter/);
  }
});

test("a finding opens the view that shows it, with the place selected", async () => {
  await page.locator(".finding-open").first().click();
  await still(page);
  const s = await state(page);
  assert.notEqual(s.panes[0].view, "overview");
  if (s.selected && s.panes[0].view !== "tasks.timeline")
    assert.ok(await nodeAt(page, Number(s.selected.nodes)));
  await press(page, "p");
  assert.notDeepEqual((await state(page)).selected, s.selected);
});

test("a run of some microseconds is drawn, not judged", async () => {
  const short = await serve(synthetic("fib", 400));
  const tiny = await open(browser, short.link);
  assert.match(await tiny.locator("h1.headline").textContent(), /tasks in .* too little to judge/);
  assert.match(await tiny.locator(".sheet").textContent(), /some hundred times/);
  assert.equal(await tiny.locator(".finding").count(), 0);
  const workers = tiny.getByRole("img", { name: "What the workers did" });
  const cells = await pictures.sketch(await still(tiny, workers), 24, 6);
  assert.ok(Math.max(...cells) - Math.min(...cells) > 20, "its timeline is drawn");
  assert.deepEqual(tiny.problems, []);
  await tiny.context().close();
  short.stop();
});

test("nothing went wrong in the page", () => assert.deepEqual(page.problems, []));
