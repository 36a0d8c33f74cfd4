// Pictures of every view for people to look at: `node e2e/screenshots.mjs FOLDER RUN…`.
// Each run × view that it has × size × theme becomes FOLDER/RUN-VIEW-SIZE-THEME.png.

import { basename, join } from "node:path";
import { launch, open } from "./browser.mjs";
import { serve } from "./server.mjs";

const SIZES = [
  [1280, 800],
  [2560, 1440],
];
const THEMES = ["light", "dark"];

const [folder, ...runs] = process.argv.slice(2);
if (!folder || runs.length === 0) {
  console.error("usage: node e2e/screenshots.mjs FOLDER RUN…");
  process.exit(2);
}

/** The views that the rail lists. */
async function viewsOf(server) {
  const page = await open(browser, server.link);
  const views = await page.evaluate(() => window.crosscut.views());
  await page.context().close();
  return views.filter(({ hidden }) => !hidden).map(({ name }) => name);
}

const browser = await launch();
let failed = false;
for (const run of runs) {
  const server = await serve(run);
  const views = await viewsOf(server);
  for (const [width, height] of SIZES) {
    for (const theme of THEMES) {
      for (const view of views) {
        const name = `${basename(run, ".crosscut")}-${view}-${width}x${height}-${theme}.png`;
        const page = await open(browser, `${server.link}#v=1&p=${view}:0`, { width, height, theme });
        await page.screenshot({ path: join(folder, name) });
        for (const problem of page.problems) console.error(`${name}: ${problem}`);
        failed ||= page.problems.length > 0;
        await page.context().close();
        console.log(name);
      }
    }
  }
  server.stop();
}
await browser.close();
process.exit(failed ? 1 : 0);
