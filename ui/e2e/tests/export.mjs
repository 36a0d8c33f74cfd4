// Pictures of the server: the same scene as SVG and PNG.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { imported, serve } from "../server.mjs";
import { show } from "../workbench.mjs";

let browser, server, page;

before(async () => {
  server = await serve(imported("nested_sections"));
  browser = await launch();
  page = await open(browser, server.link);
});
after(async () => {
  await browser?.close();
  server?.stop();
});

for (const [view, title] of [
  ["tasks.dag", "Task DAG"],
  ["tasks.grains", "Grain graph"],
  ["tasks.timeline", "Timeline"],
]) {
  for (const format of ["svg", "png"]) {
    test(`${view} as ${format}`, async () => {
      await show(page, title);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export the picture" }).click();
      await page.getByRole("menuitem", { name: new RegExp(format, "i") }).click();
      const bytes = await collect(await (await download).createReadStream());
      const begin = bytes.subarray(0, 200).toString("latin1");
      assert.match(begin, format === "svg" ? /<svg/ : /^\x89PNG/);
      assert.ok(bytes.length > 1500, `${bytes.length} bytes`);
    });
  }
}

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
