// Pictures of every view at four widths, light and dark, in the tests' output; each accessible, none scrolls sideways.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { assertAccessible } from '../support/browser/axe.ts'
import { inCall, openConsole, press } from '../support/browser/console.ts'
import { SHOP } from '../support/browser/shop.ts'

t.setTimeout(300_000)

/** Git ignores it. */
const FOLDER = 'test-results/pictures'
const WIDTHS = [1440, 1100, 768, 390]

interface View {
  /** Such as `tools/list_sales`. */
  readonly route: string
  /** Brings it into the state of the picture. */
  prepare?(page: Page): Promise<void>
}

const call = async (page: Page) => {
  await page.locator('.pane-form .pane-foot .button-primary').click()
}

const VIEWS: Readonly<Record<string, View>> = {
  tools: { route: 'tools' },
  'no-hit': { route: 'tools', prepare: page => page.getByRole('searchbox').fill('zzzz') },
  form: { route: 'tools/list_sales', prepare: page => page.getByRole('searchbox').fill('') },
  table: {
    route: 'tools/query_database',
    async prepare(page) {
      await page.getByLabel('query', { exact: true }).fill('SELECT 1')
      await call(page)
      await inCall(page, 'OK')
    },
  },
  error: {
    route: 'tools/always_fails',
    async prepare(page) {
      await call(page)
      await inCall(page, 'Tool error')
    },
  },
  'ask-delete': {
    route: 'tools/delete_report',
    async prepare(page) {
      await page.getByLabel('name', { exact: true }).fill('july.txt')
      await call(page)
      await page.getByRole('alertdialog').waitFor()
    },
  },
  resources: { route: 'resources' },
  prompts: { route: 'prompts/monthly_review' },
  tasks: { route: 'tasks' },
  activity: { route: 'activity' },
  messages: { route: 'messages' },
  connect: { route: 'connect' },
}

t.test('every view, at every width, in both schemes', async t => {
  mkdirSync(FOLDER, { recursive: true })
  const { page, origin } = await openConsole(t, SHOP)
  for (const [name, { route, prepare }] of Object.entries(VIEWS)) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${origin}/console/#/${route}`)
    await page.locator('main').waitFor()
    await prepare?.(page)
    await assertAccessible(t, page, name)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 900 ? 844 : 900 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) })
      }
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.equal(overflow, 0, `${name} at ${width} px does not scroll sideways`)
    }
    if ((await page.getByRole('alertdialog').count()) > 0) await press(page, 'No')
  }
  t.comment(`pictures in ${FOLDER}`)
})
