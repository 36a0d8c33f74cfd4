// A real Chromium, and the page opened in it until it has drawn.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A page that was replaced (see `replaced`) counts as one from elsewhere.
  ...(process.env.PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : []),
];

/** Starts the browser, with these arguments beside the usual ones. */
export function launch(...more) {
  const args = [...ARGS, ...more];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
}

/**
 * Opens a link in a window with its own cookies and waits until the page has drawn. Hints for first use are
 * off. Errors in the page are collected in `page.problems`.
 */
export async function open(browser, link, { width = 1280, height = 800, theme = "light" } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // Motion would make every picture depend on when it was taken.
    reducedMotion: "reduce",
  });
  await context.addInitScript(() => localStorage.setItem("crosscut.hints", "sheet,graph,plots,table"));
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  if (process.env.PAGE) await replaced(page, new URL(link).origin, process.env.PAGE);
  page.waiting = new Set();
  page.on("websocket", (socket) => listen(page, socket));
  await page.goto(link);
  // The launch link is answered by the program: with its cookie the page is asked for once more.
  if (process.env.PAGE) await page.reload();
  await still(page);
  return page;
}

/** Takes the page from a folder instead of from the server: `PAGE=dist` tries a new page on an old program. */
async function replaced(page, origin, folder) {
  await page.route(new RegExp(`^${origin}/(assets/|favicon)`), (route) =>
    route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
  );
  const html = readFileSync(join(folder, "index.html"));
  await page.route(
    (url) => url.origin === origin && url.pathname === "/" && !url.searchParams.has("token"),
    (route) => route.fulfill({ contentType: "text/html", body: html }),
  );
}

/** Keeps the ids of the requests that the server has not answered yet in `page.waiting`. */
function listen(page, socket) {
  page.waiting.clear();
  socket.on("framesent", ({ payload }) => {
    const { id, ask } = JSON.parse(payload);
    if (ask !== "cancel") page.waiting.add(id);
  });
  socket.on("framereceived", ({ payload }) => {
    // Large answers are compressed (docs/api.md).
    const plain = payload.readUInt32LE(0) === 0xffffffff ? gunzipSync(payload.subarray(4)) : payload;
    const length = plain.readUInt32LE(0);
    const { id, progress } = JSON.parse(plain.subarray(4, 4 + length).toString());
    if (!progress) page.waiting.delete(id);
  });
}

/**
 * A picture once the server has answered everything and the page has stopped changing: two in a row are the
 * same.
 */
export async function still(page, where = page) {
  await page.waitForFunction(() => window.crosscut?.ready === true, undefined, { timeout: 20_000 });
  const deadline = Date.now() + 20_000;
  let last;
  while (Date.now() < deadline) {
    const next = await where.screenshot();
    if (page.waiting.size === 0 && last?.equals(next)) return next;
    last = next;
    await page.waitForTimeout(100);
  }
  throw new Error(`the page does not come to rest; ${page.waiting.size} requests are not answered`);
}
