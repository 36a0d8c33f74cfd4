// Pictures of every view for people to look at: `node e2e/screenshots.mjs FOLDER RUN…`.
// Each run × view × size × theme becomes FOLDER/RUN-VIEW-SIZE-THEME.png.

import { basename, join } from "node:path";
import { launch, open } from "./browser.mjs";
import { serve } from "./server.mjs";

const VIEWS = ["overview", "tasks.dag", "tasks.grains", "tasks.timeline", "tasks.profile", "table"];
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

const browser = await launch();
let failed = false;
for (const run of runs) {
  const server = await serve(run);
  for (const [width, height] of SIZES) {
    for (const theme of THEMES) {
      for (const view of VIEWS) {
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
