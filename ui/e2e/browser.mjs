// A real Chromium, and the page opened in it until it is ready to be used.

import { chromium } from 'playwright-core'

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts the browser. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS })
}

/**
 * Opens a link in a new window of its own (own cookies), and waits until the page has drawn.
 * Errors in the page are collected in `page.problems`.
 */
export async function open(browser, link, { width = 1280, height = 800, theme = 'light' } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // Motion would make every picture depend on when it was taken.
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.problems = []
  page.on('pageerror', (error) => page.problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') page.problems.push(message.text())
  })
  await page.goto(link)
  await settled(page)
  return page
}

/** Waits until the page has everything it asked for and has drawn it. */
export async function settled(page) {
  await page.waitForFunction(() => window.crosscut?.ready === true, undefined, { timeout: 20_000 })
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
