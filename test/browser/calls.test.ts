// Calls, in a real browser: progress and log entries as they come, cancel, failures, raw messages, other clients.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, type ToolDefinition } from '../../src/index.ts'
import { assertBecomes } from '../support/browser/becomes.ts'
import { chooseRevision, findCall, hasStatus, inCall, openConsole, press } from '../support/browser/console.ts'
import { RACK } from '../support/browser/rack.ts'
import { gated } from '../support/clients/gate.ts'

const ERAS = ['2026-07-28', '2025-11-25', '2025-03-26']

/** A console with one tool, which its user has called. */
async function callAlone(t: Test, revision: string, tool: ToolDefinition): Promise<Page> {
  const { page } = await openConsole(t, { tools: [tool] }, `tools/${tool.name}`)
  await chooseRevision(page, revision)
  await press(page, 'Call')
  return page
}

for (const revision of ERAS) {
  t.test(`${revision}: progress is shown while a call is under way`, async t => {
    const { tool, release } = gated()
    const page = await callAlone(t, revision, tool)
    await inCall(page, '50% (1 of 2)')
    await inCall(page, 'waiting')

    release()

    await inCall(page, 'Done')
  })

  t.test(`${revision}: a call is cancelled, and its tool stops`, async t => {
    const { tool, aborted } = gated()
    const page = await callAlone(t, revision, tool)
    await inCall(page, '50% (1 of 2)')

    await press(page, 'Cancel')

    await inCall(page, 'You cancelled this call.')
    t.match(await aborted, { name: 'AbortError' })
  })

  t.test(`${revision}: log entries are shown while a call is under way`, async t => {
    const gate = Promise.withResolvers<void>()
    const chatty = defineTool({
      name: 'chatty',
      async handler(_args, ctx) {
        ctx.log.debug('fine detail')
        ctx.log.error('broken', { code: 7 })
        await gate.promise
        return 'done'
      },
    })
    const page = await callAlone(t, revision, chatty)
    await inCall(page, 'fine detail')
    await inCall(page, /"code":7/)

    gate.resolve()

    await inCall(page, 'Done')
  })
}

t.test('2025-11-25: it is connected once calls have their log entries', async t => {
  const { page, origin } = await openConsole(t, RACK)
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await page.route(`${origin}/mcp`, async route => {
    if (route.request().postData()?.includes('"logging/setLevel"')) {
      asked.resolve()
      await gate.promise
    }
    await route.continue()
  })
  await page.getByLabel('Revision').selectOption('2025-11-25')
  await asked.promise
  const status = page.locator('[data-follows]')
  t.equal(await status.textContent(), 'Connecting…')

  gate.resolve()

  await assertBecomes(t, () => status.textContent(), 'Connected, 2025-11-25')
})

t.test('who chooses a revision while lists are loaded is not told of the old connection', async t => {
  const { page, origin } = await openConsole(t, RACK)
  const asked = Promise.withResolvers<void>()
  let lists = 0
  await page.route(`${origin}/mcp`, route => {
    const isList = route.request().postData()?.includes('"tools/list"')
    if (!isList || ++lists > 1) return route.continue()
    // The first is never answered.
    asked.resolve()
  })
  await page.reload()
  await asked.promise
  await chooseRevision(page, '2025-11-25')
  await page.getByText(`${RACK.tools.length} tools`, { exact: true }).waitFor()

  t.strictSame(await page.locator('.notices').textContent(), '')
})

t.test('what a call sent and received can be read', async t => {
  const { page } = await openConsole(t, RACK, 'tools/list_orders')
  await press(page, 'Call')
  await inCall(page, 'Done')
  await page.getByText('Raw messages (2)').click()
  const messages = findCall(page).locator('.messages > li')
  await messages.nth(0).locator('summary').click()
  await messages.nth(1).locator('summary').click()

  const sent = await messages.nth(0).textContent()
  t.match(sent, /→ sent\s+tools\/call/)
  t.match(sent, /mcp-name: list_orders/)
  t.match(sent, /"count": 3/)
  t.notMatch(sent, /console-call/)
  t.match(await messages.nth(1).textContent(), /← received[\s\S]+"structuredContent"/)
})

t.test('a failure is said in words', async t => {
  const { page } = await openConsole(t, RACK, 'tools/fail')
  await press(page, 'Call')
  await inCall(page, /The rack is empty/)
  await inCall(page, 'Tool error')
})

t.test('a tool that is gone and a server that is gone', async t => {
  const { page, app, origin } = await openConsole(t, RACK, 'tools/nothing', { expected: [/ERR_/, /Failed to load/] })
  await page.getByText('This server has no such tool').waitFor()
  await page.goto(`${origin}/console/#/tools/fail`)
  await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
  await app.close()
  await hasStatus(page, 'Reconnecting')
  await press(page, 'Call')
  await inCall(page, 'Failed')
})

t.test('a parameter that is mirrored into a header', async t => {
  const { page } = await openConsole(t, RACK, 'tools/mirrored')
  await page.getByLabel('region').fill('Zürich')
  await press(page, 'Call')
  await inCall(page, 'Region Zürich')
})

t.test('the same call elsewhere', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools/list_orders')
  await page.getByLabel('count').fill('7')
  await page.getByText('The same call elsewhere').click()
  const panel = page.getByRole('tabpanel')
  await assertBecomes(t, () => panel.textContent(), /--json '\{"count":7\}'/)
  t.match(await panel.textContent(), /^curl '[^']*\/tools\/list_orders'/)

  await page.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  await assertBecomes(t, () => panel.textContent(), /"method": "tools\/call"/)
  await page.getByRole('tab', { name: 'MCP JSON' }).press('ArrowRight')
  await assertBecomes(t, () => panel.textContent(), new RegExp(`new URL\\("${origin}/mcp"\\)`))
})
