// Pictures of the views for people, below test-results/, which git ignores.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const FOLDER = 'test-results/screenshots'
const DESKTOP = { width: 1280, height: 800 }
const SMALLEST = { width: 320, height: 640 }
const PHONE = { width: 390, height: 844 }

/** Light, dark, and at the width of a phone. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const shoot = (kind: string) => page.screenshot({ path: join(FOLDER, `${name}-${kind}.png`), fullPage: true })
  await page.setViewportSize(DESKTOP)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await shoot(colorScheme)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  await shoot('phone')
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: null })
}

/** Pixels by which the page is wider than the smallest phone, which is also a desktop at 400 %. WCAG 2.2, 1.4.10. */
export async function measureOverflow(page: Page): Promise<number> {
  await page.setViewportSize(SMALLEST)
  const pixels = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number
  await page.setViewportSize(DESKTOP)
  return pixels
}
