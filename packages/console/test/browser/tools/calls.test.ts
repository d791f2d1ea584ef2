// Calls, in a real browser: progress and log entries as they come, cancel, outcomes, the calls before, other clients.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, type ToolDefinition, Type } from '../../../../../src/index.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { openTool, pressCall } from '../../../../../test/support/browser/calls.ts'
import {
  chooseRevision,
  findCall,
  hasStatus,
  inCall,
  openConsole,
  press,
} from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { gated } from '../../../../../test/support/clients/gate.ts'

const ERAS = ['2026-07-28', '2025-11-25', '2025-03-26']

/** A console with one tool, which its user has called. */
async function callAlone(t: Test, revision: string, tool: ToolDefinition, expected: readonly RegExp[] = []) {
  const opened = await openConsole(t, { tools: [tool] }, `tools/${tool.name}`, { expected })
  await chooseRevision(opened.page, revision)
  await pressCall(opened.page)
  return opened
}

const openTab = (page: Page, name: string | RegExp) => findCall(page).getByRole('tab', { name }).click()

/** Says its argument. */
const say = (name: string) =>
  defineTool({
    name,
    inputSchema: Type.Object({ text: Type.String() }),
    handler: ({ text }) => `${name} says ${text}`,
  })

async function callWith(page: Page, tool: string, text: string): Promise<void> {
  await openTool(page, tool)
  await page.getByRole('region', { name: 'Arguments' }).getByRole('heading', { name: tool }).waitFor()
  await page.getByRole('textbox', { name: /^text/ }).fill(text)
  await pressCall(page)
  await inCall(page, `${tool} says ${text}`)
}

for (const revision of ERAS) {
  t.test(`${revision}: progress is shown while a call is under way`, async t => {
    const { tool, release } = gated()
    const { page } = await callAlone(t, revision, tool)
    await inCall(page, '1 of 2 · 50%')
    await inCall(page, 'waiting')
    await hasStatus(findCall(page), /^Running\d+\.\d s/)
    t.equal(await findCall(page).getByRole('progressbar', { name: 'Progress' }).getAttribute('value'), '1')

    release()

    await hasStatus(findCall(page), /^OK/)
  })

  t.test(`${revision}: a call is cancelled, and its tool stops`, async t => {
    const { tool, aborted } = gated()
    const { page } = await callAlone(t, revision, tool)
    await inCall(page, '1 of 2 · 50%')

    await findCall(page)
      .getByRole('button', { name: /^Cancel/ })
      .click()

    await inCall(page, 'You cancelled this call')
    await hasStatus(findCall(page), /^Cancelled by you/)
    t.equal(await findCall(page).locator('.dot-off').count(), 1, 'grey, never red')
    t.match(await aborted, { name: 'AbortError' })
  })

  t.test(`${revision}: log entries are shown while a call is under way, and in their tab`, async t => {
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
    const { page } = await callAlone(t, revision, chatty)
    await inCall(page, 'fine detail')
    await inCall(page, /"code":7/)

    gate.resolve()

    await hasStatus(findCall(page), /^OK/)
    await openTab(page, 'Log 2')
    await inCall(page, 'fine detail')
  })

  t.test(`${revision}: a server that dies in a call says so`, async t => {
    const { tool } = gated()
    const { page, app } = await callAlone(t, revision, tool, [/ERR_/, /Failed to load/])
    await inCall(page, '1 of 2 · 50%')

    // Nobody listens any more.
    await page.route('**/mcp', route => route.abort())
    app.server.closeAllConnections()

    await hasStatus(findCall(page), /^No answer/)
    await findCall(page).getByRole('alert').getByText('The server did not answer').waitFor()
    await inCall(page, 'The browser says')
    t.notMatch(await findCall(page).textContent(), /not valid/)
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
  await page.getByRole('button', { name: /^Connected/ }).click()
  await page.getByRole('dialog', { name: 'Connection' }).getByLabel('Revision').selectOption('2025-11-25')
  await asked.promise
  const status = page.locator('[data-follows]')
  await assertBecomes(t, () => status.textContent(), /^Connecting/)

  gate.resolve()

  await assertBecomes(t, () => status.textContent(), /^Connected ?2025-11-25/)
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
  await page.getByRole('link', { name: 'mirrored' }).waitFor()

  t.equal(await page.locator('.notice').count(), 0)
})

t.test('without a total the bar moves; with one it says how long the rest may take', async t => {
  const steps = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const counts = defineTool({
    name: 'counts',
    async handler(_args, ctx) {
      ctx.progress(1)
      await steps.promise
      for (const step of [2, 3, 4]) {
        await new Promise(resolve => setTimeout(resolve, 50))
        ctx.progress(step, 400, `Counting ${step}`)
      }
      await gate.promise
      return 'counted'
    },
  })
  const { page } = await openConsole(t, { tools: [counts] }, 'tools/counts')
  await pressCall(page)
  const bar = findCall(page).getByRole('progressbar')
  await bar.waitFor()
  t.equal(await bar.getAttribute('value'), null)
  steps.resolve()

  await inCall(page, '4 of 400 · 1%')
  await inCall(page, /^about \d+ s left$/)
  await inCall(page, 'Counting 4')
  gate.resolve()
  await hasStatus(findCall(page), /^OK/)
})

t.test('thousands of events: the newest state, a log with a bound, and one row of messages', async t => {
  const { page } = await openConsole(t, RACK, 'tools/fail')
  await page.route('**/mcp', route => {
    const { id, method, params } = JSON.parse(route.request().postData() ?? '{}')
    if (method !== 'tools/call') return route.continue()
    const { progressToken } = params._meta
    const events = Array.from({ length: 2_000 }, (_, step) => [
      { method: 'notifications/progress', params: { progressToken, progress: step + 1, total: 2_000 } },
      { method: 'notifications/message', params: { level: 'info', data: `step ${step + 1}` } },
    ]).flat()
    const messages = [...events, { id, result: { resultType: 'complete', content: [{ type: 'text', text: 'all' }] } }]
    const body = messages.map(message => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join('')
    return route.fulfill({ contentType: 'text/event-stream', body })
  })
  await pressCall(page)
  await hasStatus(findCall(page), /^OK/)
  await openTab(page, /^Log/)

  await inCall(page, 'The newest 500 of 2,000')
  const last = findCall(page).getByText('step 2000', { exact: true })
  await assertBecomes(
    t,
    () =>
      last.evaluate(element => {
        const { top, bottom } = (element as unknown as Boxed).getBoundingClientRect()
        return top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight
      }),
    true,
    'the newest entry is in sight',
  )
  await openTab(page, /^Messages/)
  await inCall(page, /2,000 times/)
})

interface Boxed {
  getBoundingClientRect(): { readonly top: number; readonly bottom: number }
}

t.test('what a call sent and received can be read', async t => {
  const { page } = await openConsole(t, RACK, 'tools/list_orders')
  await page.getByRole('spinbutton', { name: /^count/ }).fill('3')
  await pressCall(page)
  await hasStatus(findCall(page), /^OK/)
  await openTab(page, 'Messages 2')
  const request = findCall(page).getByRole('article', { name: 'Request' })
  const answer = findCall(page).getByRole('article', { name: 'Answer' })

  const sent = await request.textContent()
  t.match(sent, /POST \/mcp/)
  t.match(sent, /mcp-name: list_orders/)
  t.match(sent, /"count": 3/)
  t.notMatch(sent, /console-call/)
  t.match(await answer.textContent(), /200 OK[\s\S]+"structuredContent"/)
})

t.test('a failure of the tool is said in its own words', async t => {
  const { page } = await openConsole(t, RACK, 'tools/fail')
  await pressCall(page)
  await findCall(page).getByRole('alert').getByText('The rack is empty').waitFor()
  await hasStatus(findCall(page), /^Tool error/)
  await inCall(page, 'isError')
})

t.test('a refusal of the protocol says what is wrong, and its code last', async t => {
  const { page } = await openConsole(t, { tools: [say('echo')] }, 'tools/echo')
  await page.route('**/mcp', route => {
    const body = route.request().postData() ?? ''
    return body.includes('"tools/call"')
      ? route.continue({ postData: body.replace('"text":"hi"', '"text":7') })
      : route.continue()
  })
  await page.getByRole('textbox', { name: /^text/ }).fill('hi')
  await pressCall(page)

  await hasStatus(findCall(page), /^(?:Refused|Tool error)/)
  await findCall(page).getByRole('alert').getByText(/text/).first().waitFor()
  await assertAccessible(t, page, 'a refused call')
})

t.test('a tool that is gone and a server that is gone', async t => {
  const { page, app, origin } = await openConsole(t, RACK, 'tools/nothing', { expected: [/ERR_/, /Failed to load/] })
  await page.getByText('This server has no such tool').waitFor()
  await page.goto(`${origin}/console/#/tools/fail`)
  await pressCall(page)
  await hasStatus(findCall(page), /^Tool error/)
  await app.close()
  await hasStatus(page, 'Reconnecting')
  await inCall(page, 'before the break')
})

t.test('a parameter that is mirrored into a header', async t => {
  const { page } = await openConsole(t, RACK, 'tools/mirrored')
  await page.getByRole('textbox', { name: /^region/ }).fill('Zürich')
  await pressCall(page)
  await inCall(page, 'Region Zürich')
})

t.test('the last calls of all tools are gone through, and their arguments go back into the form', async t => {
  const { page } = await openConsole(t, { tools: [say('ada'), say('noah')] }, 'tools/ada')
  await callWith(page, 'ada', 'one')
  await callWith(page, 'noah', 'two')
  await callWith(page, 'noah', 'three')
  const field = page.getByRole('textbox', { name: /^text/ })

  await press(findCall(page), 'Call before')
  await inCall(page, 'noah says two')
  await assertBecomes(t, () => field.inputValue(), 'two')
  await press(findCall(page), 'Call before')
  await inCall(page, 'ada says one')
  await assertBecomes(t, () => field.inputValue(), 'one')
  t.match(page.url(), /#\/tools\/ada$/)
  t.ok(await findCall(page).getByRole('button', { name: 'Call before' }).isDisabled())
  await page.keyboard.press(']')
  await inCall(page, 'noah says two')
})

t.test('calls outlive a reload', async t => {
  const { page } = await openConsole(t, { tools: [say('ada'), say('noah')] }, 'tools/ada')
  await callWith(page, 'ada', 'one')
  await callWith(page, 'noah', 'two')
  await page.reload()

  await inCall(page, 'noah says two')
  await hasStatus(findCall(page), /^OK\d+ ms\d+ B/)
  await press(findCall(page), 'Call before')
  await inCall(page, 'ada says one')
  await openTab(page, /^Messages/)
  await inCall(page, 'The messages of a call are not kept over a reload.')
  await callWith(page, 'ada', 'three')
})

for (const [what, script] of [
  [
    'no storage',
    `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
  ],
  ['a storage that is full', `Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }`],
] as const) {
  t.test(`a browser that gives the page ${what} calls all the same`, async t => {
    const { page, context } = await openConsole(t, { tools: [say('ada')] }, 'tools/ada')
    await context.addInitScript(script)
    await page.reload()
    await hasStatus(page, /^Connected/)
    await callWith(page, 'ada', 'one')
    await callWith(page, 'ada', 'two')

    await press(findCall(page), 'Call before')
    await inCall(page, 'ada says one')
  })
}

t.test('a decline is grey, says what was asked, and what the tool then said', async t => {
  const asks = defineTool({
    name: 'delete_report',
    annotations: { destructiveHint: true },
    async handler(_args, ctx) {
      const requestedSchema = { type: 'object' as const, properties: {} }
      const { action } = await ctx.elicit('sure', { message: 'Delete `july.txt` for good?', requestedSchema })
      if (action !== 'accept') throw new Error(`Kept it: ${action}`)
      return 'Deleted'
    },
  })
  for (const revision of ERAS.slice(0, 2)) {
    const { page } = await callAlone(t, revision, asks)
    await hasStatus(findCall(page), /^Waits for your answer/)
    await page.getByRole('alertdialog').waitFor()
    // Keys and buttons obey half a second after the question came.
    await assertBecomes(
      t,
      async () => {
        const no = page.getByRole('button', { name: 'No', exact: true })
        if ((await no.count()) > 0) await no.click()
        return page.getByRole('alertdialog').count()
      },
      0,
      'the question is answered',
    )

    await hasStatus(findCall(page), /^Declined by you/)
    await findCall(page).getByRole('heading', { name: 'You answered No' }).waitFor()
    await inCall(page, 'july.txt')
    await findCall(page).getByRole('heading', { name: 'The tool then said' }).waitFor()
    await inCall(page, /Kept it: decline/)
    t.equal(await findCall(page).locator('.verdict-danger').count(), 0, 'nothing is red')
    t.equal(await findCall(page).locator('.dot-danger').count(), 0)
  }
})

t.test('a call that becomes a task shows how far it is, and its result', async t => {
  const { tool, release } = gated()
  const { page } = await openConsole(t, { tools: [{ ...tool, task: 'required' }] }, 'tools/wait')
  await pressCall(page)
  await hasStatus(findCall(page), /^Task running/)
  await findCall(page).getByRole('button', { name: 'Cancel task' }).waitFor()
  await findCall(page).getByRole('link', { name: 'Tasks' }).waitFor()

  release()

  await hasStatus(findCall(page), /^OK/)
  await inCall(page, 'done')
})

t.test('the same call elsewhere: before a call, as the form says it, in the language chosen last', async t => {
  const { page, origin } = await openConsole(t, { ...RACK, plainHttp: true }, 'tools/list_orders')
  await openTab(page, 'Code')
  const code = findCall(page).locator('pre').last()
  await page.getByRole('spinbutton', { name: /^count/ }).fill('7')
  await assertBecomes(t, () => code.textContent(), `curl ${origin}/tools/list_orders \\\n  --json '{"count":7}'`)

  const chosen = findCall(page).getByRole('radio', { name: 'curl' })
  await chosen.focus()
  await page.keyboard.press('ArrowRight')
  await assertBecomes(t, () => code.textContent(), /arguments: \{ count: 7 \}/)
  await page.keyboard.press('ArrowRight')
  await assertBecomes(t, () => code.textContent(), /call_tool\("list_orders", \{ "count": 7 \}\)/)
  await page.keyboard.press('ArrowRight')
  await assertBecomes(t, () => code.textContent(), /"method": "tools\/call"/)
  const [headers, message] = await findCall(page).locator('pre').allTextContents()
  const init = headers!.split('\n').map(line => line.split(': ') as [string, string])
  const sent = await fetch(`${origin}/mcp`, { method: 'POST', headers: init, body: message! })
  t.equal(sent.status, 200, 'it is answered as printed')
  await assertAccessible(t, page, 'the code')

  await page.reload()
  await openTab(page, 'Code')
  await assertBecomes(t, () => code.textContent(), /"method": "tools\/call"/)
})

t.test('the same call elsewhere has the headers of the user', async t => {
  const { page } = await openConsole(t, { ...RACK, plainHttp: true }, 'tools/list_orders')
  await openTab(page, 'Code')
  await page.getByRole('button', { name: /^Connected/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Connection' })
  await press(dialog, 'Add a header')
  await dialog.getByLabel('Name of header 1').fill('X-Tenant')
  await dialog.getByLabel('Value of header 1').fill('north')
  await press(dialog, 'Add a header')
  // No browser sends it, and so no snippet has it.
  await dialog.getByLabel('Name of header 2').fill('Cookie')

  const code = findCall(page).locator('pre')
  await assertBecomes(t, () => code.textContent(), /-H 'X-Tenant: north'/)
  t.notMatch(await code.textContent(), /Cookie/)
})

t.test('curl works with plain HTTP off, too', async t => {
  const { page, origin } = await openConsole(t, { ...RACK, plainHttp: false }, 'tools/list_orders')
  await openTab(page, 'Code')

  await assertBecomes(t, () => findCall(page).locator('pre').textContent(), new RegExp(`^curl -N ${origin}/mcp`))
})

t.test('before a call: what the tool returns', async t => {
  const { page } = await openConsole(t, RACK, 'tools/list_orders')
  await findCall(page).getByRole('heading', { name: 'Returns' }).waitFor()
  await inCall(page, 'Not called yet')
  t.match(await findCall(page).locator('pre').textContent(), /orders: \{\n {4}id: integer/)
})
