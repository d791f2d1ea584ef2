// Pictures of every view at four widths, light and dark, in the tests' output; each accessible, none scrolls sideways.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../../../src/index.ts'
import { RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { inCall, openConsole, press, serveConsole } from '../../../../../test/support/browser/console.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'
import { SHOP } from '../../../../../test/support/browser/shop.ts'

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

const asks = (role: 'dialog' | 'alertdialog') => (page: Page) => page.getByRole(role).waitFor()

/** A tool that is called with texts. */
const calls = (tool: string, isThere: (page: Page) => Promise<void>, texts: Record<string, string> = {}): View => ({
  route: `tools/${tool}`,
  async prepare(page) {
    for (const [name, text] of Object.entries(texts)) await page.getByLabel(name, { exact: true }).fill(text)
    await call(page)
    await isThere(page)
  },
})

const VIEWS: Readonly<Record<string, View>> = {
  tools: { route: 'tools' },
  keys: {
    route: 'tools',
    async prepare(page) {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
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
  running: {
    route: 'tools/count_slowly',
    async prepare(page) {
      await page.getByLabel('n', { exact: true }).first().fill('100')
      await call(page)
      await inCall(page, /Counting/)
    },
  },
  picture: calls('draw_gradient', page => inCall(page, 'OK')),
  markdown: calls('get_note', page => inCall(page, 'Stand-up')),
  'ask-delete': calls('delete_report', asks('alertdialog'), { name: 'july.txt' }),
  'ask-form': calls('create_note', asks('dialog'), { title: 'Stand-up' }),
  'ask-url': calls('send_message', asks('dialog')),
  'ask-sampling': calls('summarize_report', asks('dialog')),
  declined: calls('send_message', async page => {
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await inCall(page, 'Declined by you')
  }),
  resources: { route: 'resources' },
  prompts: { route: 'prompts/monthly_review' },
  tasks: { route: 'tasks' },
  activity: { route: 'activity' },
  messages: { route: 'messages' },
  connect: { route: 'connect' },
}

async function takePictures(t: Test, page: Page, name: string): Promise<void> {
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
  await page.setViewportSize({ width: 1440, height: 900 })
}

t.test('every view, at every width, in both schemes', async t => {
  mkdirSync(FOLDER, { recursive: true })
  const { app, page, origin } = await openConsole(t, SHOP, 'tools', { expected: [/ERR_/, /Failed to load/] })
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const [name, { route, prepare }] of Object.entries(VIEWS)) {
    await page.goto(`${origin}/console/#/${route}`)
    await page.locator('main').waitFor()
    await prepare?.(page)
    await takePictures(t, page, name)
    if ((await page.locator('dialog[open]').count()) > 0) await page.keyboard.press('Escape')
  }
  await app.close()
  await page.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor()
  await takePictures(t, page, 'offline')
  t.comment(`pictures in ${FOLDER}`)
})

t.test('the way in, also after a token that is refused', async t => {
  const guarded = { ...SHOP, jwt: { secret: SECRET }, publicUrl: RESOURCE, allowedHosts: ['127.0.0.1'] }
  const { page } = await openShut(t, guarded)
  await takePictures(t, page, 'sign-in')
  await page.getByLabel('Token or API key').fill('no token')
  await press(page, 'Use token')
  await page.getByRole('alert').waitFor()
  await takePictures(t, page, 'sign-in-refused')
})

/** Who is not in has no connection to wait for. */
async function openShut(t: Test, options: ServerOptions) {
  const { origin } = await serveConsole(t, options)
  const opened = await openPage(t, `${origin}/console/`, { expected: [/status of 401/] })
  await opened.page.getByLabel('Token or API key').waitFor()
  return opened
}
