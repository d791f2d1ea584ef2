// Calls that become tasks, in a real browser: their state, questions, result and cancel.
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { chooseRevision, openConsole, press } from '../support/browser/console.ts'
import { form } from '../support/browser/rack.ts'
import { gated } from '../support/clients/gate.ts'

/** Here the client asks for a task, once the list of this revision says that it has to; newer lists do not say. */
const WITH_SUPPORT = '2025-11-25'

for (const revision of ['2026-07-28', WITH_SUPPORT]) {
  t.test(`${revision}: a call becomes a task, and its result comes`, async t => {
    const { tool, release } = gated('quiet')
    const { page, origin } = await openConsole(
      t,
      { tools: [{ ...tool, task: 'required' }], taskInlineMs: 0 },
      'tools/wait',
    )
    await chooseRevision(page, revision)
    if (revision === WITH_SUPPORT) await page.getByText('task: required').waitFor()
    await press(page, 'Call')
    const task = page.getByRole('article', { name: 'Task of wait' })
    await task.getByRole('status').filter({ hasText: 'working' }).waitFor()
    await page.goto(`${origin}/console/#/tasks`)

    release()

    await task.getByRole('status').filter({ hasText: 'completed' }).waitFor()
    await task.getByText('done').waitFor()
    t.pass('the list shows it, too')
  })

  t.test(`${revision}: a task is cancelled`, async t => {
    const { tool, aborted } = gated('quiet')
    const { page } = await openConsole(t, { tools: [{ ...tool, task: 'required' }], taskInlineMs: 0 }, 'tools/wait')
    await chooseRevision(page, revision)
    if (revision === WITH_SUPPORT) await page.getByText('task: required').waitFor()
    await press(page, 'Call')
    await press(page, 'Cancel task')

    await page.getByRole('status').filter({ hasText: 'cancelled' }).waitFor()
    t.match(await aborted, { name: 'AbortError' })
  })

  t.test(`${revision}: a task asks its questions`, async t => {
    const gate = Promise.withResolvers<void>()
    const ask = defineTool({
      name: 'ask',
      task: 'required',
      async handler(_args, ctx) {
        await gate.promise
        const { content } = await ctx.elicit('name', form('name'))
        return `Hello ${content?.['name']}`
      },
    })
    const { page } = await openConsole(t, { tools: [ask], taskInlineMs: 0 }, 'tools/ask')
    await chooseRevision(page, revision)
    if (revision === WITH_SUPPORT) await page.getByText('task: required').waitFor()
    await press(page, 'Call')
    const task = page.getByRole('article', { name: 'Task of ask' })
    await task.getByRole('status').filter({ hasText: 'working' }).waitFor()
    gate.resolve()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('name').fill('Ada')
    await press(dialog, 'Answer')

    await task.getByText('Hello Ada').waitFor()
    t.pass('its result is shown')
  })
}
