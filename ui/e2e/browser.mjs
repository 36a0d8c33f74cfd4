// A real Chromium, and the page opened in it until it has drawn.

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
];

/** Starts the browser. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGS });
}

/**
 * Opens a link in a window with its own cookies and waits until the page has drawn. Hints for first use are off.
 * Errors in the page are collected in `page.problems`.
 */
export async function open(browser, link, { width = 1280, height = 800, theme = "light" } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // Motion would make every picture depend on when it was taken.
    reducedMotion: "reduce",
  });
  await context.addInitScript(() => localStorage.setItem("crosscut.hints", "overview,dag,timeline"));
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  await page.goto(link);
  await page.waitForFunction(() => window.crosscut?.ready === true, undefined, { timeout: 20_000 });
  await still(page);
  return page;
}

/** A picture of the page once it has stopped changing: two in a row are the same. */
export async function still(page, where = page) {
  const deadline = Date.now() + 15_000;
  let last = await where.screenshot();
  while (Date.now() < deadline) {
    await page.waitForTimeout(120);
    const next = await where.screenshot();
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error("the page does not come to rest");
}
