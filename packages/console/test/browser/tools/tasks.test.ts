// Calls that become tasks, in a real browser: the list, and the detail of one.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, type ToolDefinition, ToolError } from '../../../../../src/index.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { goTo, openTool, pressCall } from '../../../../../test/support/browser/calls.ts'
import { chooseRevision, openConsole, press } from '../../../../../test/support/browser/console.ts'
import { form } from '../../../../../test/support/browser/rack.ts'
import { measureOverflow } from '../../../../../test/support/browser/screenshots.ts'
import { gated } from '../../../../../test/support/clients/gate.ts'

const NEWEST = '2026-07-28'
/** Here the client asks for a task, once the list of this revision says that it has to; newer lists do not say. */
const WITH_SUPPORT = '2025-11-25'

const list = (page: Page) => page.getByRole('group', { name: 'Tasks' })
const detail = (page: Page) => page.getByRole('region', { name: 'Result of the task' })
const panel = (page: Page) => detail(page).getByRole('tabpanel')

/** A console whose user has called each tool, as a task, and looks at the tasks. */
async function callAsTasks(t: Test, revision: string, ...tools: readonly ToolDefinition[]) {
  const all = tools.map(tool => ({ ...tool, task: 'required' as const }))
  const opened = await openConsole(t, { tools: all, tasks: { inlineMs: 0 } })
  const { page } = opened
  if (revision !== NEWEST) await chooseRevision(page, revision)
  for (const { name } of all) {
    await openTool(page, name)
    await page.getByRole('region', { name: 'Arguments' }).getByRole('heading', { name }).waitFor()
    await pressCall(page)
  }
  await goTo(page, 'tasks')
  await list(page)
    .getByRole('link')
    .nth(tools.length - 1)
    .waitFor()
  return opened
}

for (const revision of [NEWEST, WITH_SUPPORT]) {
  t.test(`${revision}: a call becomes a task, and its result comes`, async t => {
    const { tool, release } = gated('quiet')
    const { page } = await callAsTasks(t, revision, tool)
    await detail(page).getByText('Task running').waitFor()
    t.match(await list(page).textContent(), /^waitCancelRunning\d+\.\d s$/)

    release()

    await list(page).getByText('done', { exact: true }).waitFor()
    await panel(page).getByText('done').waitFor()
    t.match(await list(page).textContent(), /^waitdoneEnded at [\d:]{8}\d.* m?s$/)
  })

  t.test(`${revision}: a task is cancelled`, async t => {
    const { tool, aborted } = gated('quiet')
    const { page } = await callAsTasks(t, revision, tool)
    await press(list(page), 'Cancel')

    await list(page).getByText('cancelled', { exact: true }).waitFor()
    await list(page).getByText('Stopped by you').waitFor()
    await detail(page).getByText('Cancelled by you').waitFor()
    t.match(await aborted, { name: 'AbortError' })
  })

  t.test(`${revision}: a task asks its questions`, async t => {
    const gate = Promise.withResolvers<void>()
    const ask = defineTool({
      name: 'ask',
      async handler(_args, ctx) {
        await gate.promise
        const { content } = await ctx.elicit('name', form('name'))
        return `Hello ${content?.['name']}`
      },
    })
    const { page } = await callAsTasks(t, revision, ask)
    gate.resolve()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('name').fill('Ada')
    await list(page).getByText('asks', { exact: true }).waitFor({ state: 'attached' })
    await press(dialog, 'Send answer')

    await panel(page).getByText('Hello Ada').waitFor()
    t.pass('its result is shown')
  })
}

/** Reports, and waits. */
function counting(t: Test) {
  const gate = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'counts',
    inputSchema: { type: 'object', properties: { n: { type: 'integer', default: 14 } } },
    async handler(_args, ctx) {
      ctx.progress(6, 14, 'Counting 6')
      await gate.promise
      return 'counted'
    },
  })
  t.teardown(() => gate.resolve())
  return { tool, release: () => gate.resolve() }
}

/** Fails after its first turn: a call that fails at once has a plain result, and never becomes a task. */
function failing() {
  const gate = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'fails',
    async handler() {
      await gate.promise
      throw new ToolError('no such SKU')
    },
  })
  return { tool, fail: () => gate.resolve() }
}

t.test('a task has a bar, its message and its time', async t => {
  const { tool, release } = counting(t)
  const { page } = await callAsTasks(t, NEWEST, tool)
  const bar = list(page).getByRole('progressbar', { name: 'Progress of counts' })
  await bar.waitFor()

  t.strictSame([await bar.getAttribute('value'), await bar.getAttribute('max')], ['6', '14'])
  await list(page).getByText('Counting 6 · 6 of 14').waitFor()
  await panel(page).getByText('6 of 14 · 43%').waitFor()
  release()
  await bar.waitFor({ state: 'detached' })
})

t.test('a failed task says why, in red', async t => {
  const { tool, fail } = failing()
  const { page } = await callAsTasks(t, NEWEST, tool)
  fail()

  await list(page).getByText('failed', { exact: true }).waitFor()
  await list(page).getByText('no such SKU').waitFor()
  await panel(page).getByRole('alert').getByText('no such SKU').waitFor()
})

t.test('the list is all, running, or ended, and an address names a task', async t => {
  const { tool, release } = gated('quiet')
  t.teardown(release)
  const fails = failing()
  const { page } = await callAsTasks(t, NEWEST, fails.tool, tool)
  fails.fail()
  await list(page).getByText('failed', { exact: true }).waitFor()
  const names = () => list(page).getByRole('link').allTextContents()
  t.strictSame(await names(), ['wait', 'fails'], 'the newest first')

  await page.getByRole('radio', { name: 'Running' }).check()
  await assertBecomes(t, names, ['wait'])
  await page.getByRole('radio', { name: 'Ended' }).check()
  await assertBecomes(t, names, ['fails'])
  await list(page).getByRole('link').click()
  await detail(page).getByRole('tab', { name: 'Details' }).click()
  const id = decodeURIComponent(page.url().split('/').at(-1)!)
  t.match(await panel(page).textContent(), `Task${id}`)
  await detail(page).getByRole('tab', { name: 'JSON' }).click()
  await panel(page).getByText('"isError"').waitFor()
  await goTo(page, 'tasks/unknown')
  await page.getByText('This tab does not follow that task').waitFor()
  release()
})

t.test('without tasks it says how to make one', async t => {
  const { page } = await openConsole(t, { tools: [failing().tool] }, 'tasks')

  await page.getByText('No tasks yet').waitFor()
  await assertAccessible(t, page, 'no tasks')
})

t.test('the view is accessible, and a phone shows one pane at a time', async t => {
  const { tool, release } = counting(t)
  const fails = failing()
  const { page } = await callAsTasks(t, NEWEST, fails.tool, tool)
  fails.fail()
  await list(page).getByText('failed', { exact: true }).waitFor()
  await list(page).getByRole('progressbar').waitFor()

  await assertAccessible(t, page, 'the tasks')
  t.equal(await measureOverflow(page), 0)
  await page.setViewportSize({ width: 390, height: 844 })
  t.notOk(await detail(page).isVisible())
  await list(page).getByRole('link', { name: 'fails' }).click()
  await detail(page).waitFor()
  t.notOk(await list(page).isVisible())
  await page.getByRole('link', { name: 'Tasks' }).first().click()
  await list(page).waitFor()
  release()
})
