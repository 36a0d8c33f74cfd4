// Pictures of a call profile that is uneven over its ranks, for docs/case-study-calls.md: `node e2e/case-study.mjs FOLDER RUN`. They are taken
// on the way that a person takes: the flow, what is uneven at all places, a brush over the bins that stand out, the two flows.

import { join } from "node:path";
import { launch, open, still } from "./browser.mjs";
import { serve } from "./server.mjs";
import { canvas, drag, show } from "./workbench.mjs";

const [folder, run] = process.argv.slice(2);
if (!folder || !run) {
  console.error("usage: node e2e/case-study.mjs FOLDER RUN");
  process.exit(2);
}

const browser = await launch();
const server = await serve(run);
const page = await open(browser, server.link, { width: 1600, height: 900, theme: "light" });
const take = async (name) => {
  await still(page);
  await page.screenshot({ path: join(folder, `calls-${name}.png`) });
  console.log(name);
};

await take("overview");
await show(page, "Flow");
await take("flow");
await page.evaluate(() => (window.location.hash = "#v=1&p=calls.places:0"));
await take("places");
// What stands apart is in the right half of the histogram, which ends 20 px left of the picture's end.
const { x, y, width, height } = await canvas(page).boundingBox();
await drag(page, [x + width * 0.6, y + height * 0.4], [width * 0.4 - 24, 0]);
await take("brushed");
await show(page, "Flow");
await page.locator("section.pane").first().getByLabel("Compared with").selectOption("rest");
await take("compared");
await show(page, "Correlation");
await take("correlation");
for (const problem of page.problems) console.error(problem);
server.stop();
await browser.close();
process.exit(page.problems.length > 0 ? 1 : 0);
