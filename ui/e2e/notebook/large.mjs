// Trees of a million nodes in JupyterLab: how long until they are seen and until a node is open is printed; how much is
// sent for it is tested.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "../browser.mjs";
import { Notebook, notebook, startLab } from "../jupyter.mjs";

const MOST_BYTES = 2_000_000;

let lab, browser;
before(async () => {
  lab = await startLab();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await lab?.stop();
});

/** Counts the bytes that come over the sockets of a page from now on. */
function counted(page) {
  const count = { bytes: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => (count.bytes += payload.length)),
  );
  return count;
}

/** Milliseconds from running a cell until its view has drawn: the first one of a notebook loads what widgets need. */
async function shown(nb, cell) {
  const begun = performance.now();
  await nb.start(cell);
  await nb.until(cell, () => true);
  return performance.now() - begun;
}

/** Milliseconds from the second press of a double click until the picture is another one. */
async function opening(nb, cell) {
  const box = nb.boxes(cell);
  await nb.show(cell);
  const within = await nb.canvas(cell);
  const seen = ({ x, y, width, height }) =>
    x > within.x &&
    x + width < within.x + within.width &&
    y > within.y &&
    y + height < within.y + within.height;
  const marks = await nb.probe(cell, (probe) => probe.marks().filter((mark) => mark.press === "open"));
  const mark = marks.find(seen);
  assert.ok(mark, "nothing to open");
  await box.evaluate((el) => {
    const drawn = () =>
      el.crosscut
        .marks()
        .map((each) => each.node)
        .join();
    const before = drawn();
    el.took = null;
    const begun = (press) => {
      const look = () => {
        if (drawn() === before) requestAnimationFrame(look);
        else el.took = performance.now() - press.timeStamp;
      };
      look();
    };
    el.addEventListener("dblclick", begun, { once: true, capture: true });
  });
  await nb.page.mouse.dblclick(mark.x + mark.width / 2, mark.y + mark.height / 2);
  await nb.page.waitForFunction((el) => el.took !== null, await box.elementHandle());
  return box.evaluate((el) => el.took);
}

for (const [what, make, tree, view] of [
  ["call paths", `cc.synth("calls", size=1_000_000, ranks=4)`, "calls", "run.calls.tree()"],
  ["tasks", `cc.synth("fib", size=1_000_000, workers=16)`, "tasks", "run.tasks.dag()"],
]) {
  test(`a million ${what}`, async (t) => {
    const cells = notebook(`import crosscut as cc\nrun = ${make}\nlen(run.tree("${tree}"))`, view, view);
    const nb = await Notebook.open(browser, lab, `${tree}.ipynb`, cells, { prepare: counted });
    const nodes = Number((await nb.run(0)).match(/\d+$/)[0]);
    assert.ok(nodes >= 900_000, `${nodes} nodes`);
    nb.prepared.bytes = 0;
    const first = await shown(nb, 1);
    const { bytes } = nb.prepared;
    const again = await shown(nb, 2);
    t.diagnostic(
      `${nodes} ${what}: seen after ${first.toFixed(0)} ms, ${(bytes / 1000).toFixed(0)} kB sent; ` +
        `the next view after ${again.toFixed(0)} ms`,
    );
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
    if (tree === "tasks") {
      const times = [];
      for (let i = 0; i < 5; i++) times.push((await opening(nb, 1)).toFixed(0));
      t.diagnostic(`nodes are open after ${times.join(", ")} ms`);
    }
    assert.deepEqual(nb.page.problems, []);
    await nb.close();
  });
}
