// One Chromium for all test files of a process. It ends when no page has been open for a moment.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import type { Test } from 'tap'

/** The shell without windows comes first: it opens a page in half the time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** Between two files; the next would have to start it again. */
const IDLE_MS = 2_000
/** What a test waits for comes within it on a busy machine, too. Who waits for what never comes waits that long. */
const PATIENCE_MS = 60_000

const shared: { browser?: Promise<Browser>; open: number; idle?: NodeJS.Timeout } = { open: 0 }

/** @throws what to install */
export function findChromium(): string {
  const paths = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : PATHS
  const found = paths.find(path => existsSync(path))
  if (found === undefined) {
    throw new Error(
      `No Chromium at ${paths.join(', ')}. Install it (Debian: apt install chromium-headless-shell), or set CHROMIUM to its path.`,
    )
  }
  return found
}

/** A browser profile of its own; it closes with the test. */
export async function openContext(t: Test, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  clearTimeout(shared.idle)
  shared.open++
  shared.browser ??= chromium.launch({ executablePath: findChromium(), args: ARGS })
  const browser = await shared.browser
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENCE_MS)
  t.teardown(async () => {
    await context.close()
    shared.open--
    if (shared.open === 0) shared.idle = setTimeout(close, IDLE_MS)
  })
  return context
}

async function close(): Promise<void> {
  const { browser } = shared
  delete shared.browser
  await (await browser)?.close()
}
