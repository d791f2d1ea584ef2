// The picture of the README, light and dark. `npm run pictures` writes it anew; the test looks whether
// it still can be made.
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { inCall, openConsole } from '../../../../../test/support/browser/console.ts'
import { SHOP } from '../../../../../test/support/browser/shop.ts'

const FOLDER = 'docs/pictures'
const SIZE = { width: 1280, height: 760 }
/** Of one scheme; test/docs/readme.test.ts has what both together may take. */
const MAX_BYTES = 100_000

async function takePicture(page: Page, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  return Buffer.from(data, 'base64')
}

t.test('a call that has answered with a table, in both schemes', async t => {
  const { page, origin } = await openConsole(t, SHOP, 'tools/query_database')
  await page.setViewportSize(SIZE)
  await page.goto(`${origin}/console/#/tools/query_database`)
  await page.getByLabel('query', { exact: true }).fill('SELECT id, customer, total, paid FROM orders ORDER BY id DESC')
  await page.locator('.pane-form .pane-foot .button-primary').click()
  await inCall(page, 'OK')

  for (const scheme of ['light', 'dark'] as const) {
    const picture = await takePicture(page, scheme)
    t.equal(picture.toString('latin1', 8, 12), 'WEBP')
    t.ok(picture.length > 10_000 && picture.length < MAX_BYTES, `${picture.length} bytes`)
    if (!process.argv.includes('--write')) continue
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(`${FOLDER}/console-${scheme}.webp`, picture)
  }
})
