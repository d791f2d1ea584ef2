// Calls that become tasks, in a real browser: their state, questions, result and cancel.
import t, { type Test } from 'tap'
import { defineTool, type ToolDefinition } from '../../src/index.ts'
import { chooseRevision, hasStatus, openConsole, press } from '../support/browser/console.ts'
import { form } from '../support/browser/rack.ts'
import { gated } from '../support/clients/gate.ts'

/** Here the client asks for a task, once the list of this revision says that it has to; newer lists do not say. */
const WITH_SUPPORT = '2025-11-25'

/** A console whose user has called the tool, as a task. */
async function callAsTask(t: Test, revision: string, tool: ToolDefinition) {
  const opened = await openConsole(t, { tools: [{ ...tool, task: 'required' }], taskInlineMs: 0 }, `tools/${tool.name}`)
  const { page } = opened
  await chooseRevision(page, revision)
  if (revision === WITH_SUPPORT) await page.getByText('task: required').waitFor()
  await press(page, 'Call')
  return { ...opened, task: page.getByRole('article', { name: `Task of ${tool.name}` }) }
}

for (const revision of ['2026-07-28', WITH_SUPPORT]) {
  t.test(`${revision}: a call becomes a task, and its result comes`, async t => {
    const { tool, release } = gated('quiet')
    const { page, origin, task } = await callAsTask(t, revision, tool)
    await hasStatus(task, 'working')
    await page.goto(`${origin}/console/#/tasks`)

    release()

    await hasStatus(task, 'completed')
    await task.getByText('done').waitFor()
    t.pass('the list shows it, too')
  })

  t.test(`${revision}: a task is cancelled`, async t => {
    const { tool, aborted } = gated('quiet')
    const { page } = await callAsTask(t, revision, tool)
    await press(page, 'Cancel task')

    await hasStatus(page, 'cancelled')
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
    const { page, task } = await callAsTask(t, revision, ask)
    await hasStatus(task, 'working')
    gate.resolve()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('name').fill('Ada')
    await press(dialog, 'Answer')

    await task.getByText('Hello Ada').waitFor()
    t.pass('its result is shown')
  })
}
