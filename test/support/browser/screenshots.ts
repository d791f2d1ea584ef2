// Pictures of the views for people, below test-results/, which git ignores.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const FOLDER = 'test-results/screenshots'
const DESKTOP = { width: 1280, height: 800 }
const SMALLEST = { width: 320, height: 640 }
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 800 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
]

/** Observers of sizes and of colours hear of a change in its next frame, and effects of theirs run after one more. */
const REDRAWN = `new Promise(redrawn => {
  const wait = frames => frames === 0 ? setTimeout(redrawn) : requestAnimationFrame(() => wait(frames - 1))
  wait(3)
})`

/** In light and in dark, at the widths of the design: `NAME-light-1440.png`. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const size of SIZES) {
      await page.setViewportSize(size)
      await page.evaluate(REDRAWN)
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${size.width}.png`), fullPage: true })
    }
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: null })
}

/** Pixels by which the page is wider than the smallest phone, which is also a desktop at 400 %. WCAG 2.2, 1.4.10. */
export async function measureOverflow(page: Page): Promise<number> {
  await page.setViewportSize(SMALLEST)
  await page.evaluate(REDRAWN)
  const pixels = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number
  await page.setViewportSize(DESKTOP)
  return pixels
}
