// Which tools are listed with TASK_FALLBACK_TOOLS and without, and whose they are.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { gatedReport, type Listed, rack, TOLD, textOf, VERSIONS } from '../../../test/support/tasks/fallback-rack.ts'
import { answer, names, serve, source } from '../../../test/support/tools-folder.ts'

const FALLBACK = ['cancel_task', 'get_task_result']
const namesOf = (tools: Listed[]) => tools.map(({ name }) => name)
const reportOf = (tools: Listed[]) => tools.find(({ name }) => name === 'report')

/** How a call that needs a task is refused where nothing else is offered. */
const REFUSED = { '2026-07-28': -32021, '2025-11-25': -32601, '2025-06-18': -32600 }

for (const version of VERSIONS) {
  t.test(`tasks: with TASK_FALLBACK_TOOLS two more tools are listed in ${version}, and none needs a task`, async t => {
    const { client } = await rack(t, version, [gatedReport().report])

    const tools = await client.tools()

    t.strictSame(namesOf(tools), [...FALLBACK, 'report'])
    t.equal(reportOf(tools)!.outputSchema, undefined)
    t.equal(reportOf(tools)!.execution?.taskSupport, version === '2025-11-25' ? 'optional' : undefined)
  })

  t.test(`tasks: without TASK_FALLBACK_TOOLS a client of ${version} finds neither`, async t => {
    const { client } = await rack(t, version, [gatedReport().report], { tasks: { fallbackTools: false } })

    const tools = await client.tools()

    t.strictSame(namesOf(tools), ['report'])
    t.ok(reportOf(tools)!.outputSchema)
    t.equal(reportOf(tools)!.execution?.taskSupport, version === '2025-11-25' ? 'required' : undefined)
    t.equal((await client.call('report')).error.code, REFUSED[version])
    t.equal((await client.call('get_task_result', { taskId: 'x' })).error.code, -32602)
  })
}

t.test('tasks: a tool of the program comes before the one of its name', async t => {
  const own = defineTool({ name: 'get_task_result', handler: () => 'mine' })
  const { app, client } = await rack(t, '2026-07-28', [own])

  t.equal(textOf(await client.call('get_task_result')), 'mine')
  t.ok(app.toolrack.remove('get_task_result'))
  t.match(textOf(await client.call('get_task_result', { taskId: 'x' })), /no such task/, 'it is back')
  app.toolrack.add(own)
  t.equal(textOf(await client.call('get_task_result')), 'mine')
})

t.test('tasks: the program can take them away', async t => {
  const { app, client } = await rack(t, '2026-07-28', [gatedReport().report])

  for (const name of FALLBACK) t.ok(app.toolrack.remove(name))

  t.strictSame(namesOf(await client.tools()), ['report'])
})

t.test('tasks: a tool of the folder comes before the one of its name, for as long as it is there', async t => {
  const { app, write } = await serve(t, { 'own.ts': source('cancel_task', { answer: 'mine' }) }, TOLD)

  t.equal(await answer(app, 'cancel_task'), 'mine')
  write({ 'own.ts': source('cancel_task', { answer: 'still mine' }) })
  await app.toolrack.reload()
  t.equal(await answer(app, 'cancel_task'), 'still mine')
  write({ 'own.ts': undefined })
  await app.toolrack.reload()

  t.match(await answer(app, 'cancel_task'), /^Invalid arguments/)
  t.strictSame(await names(app), FALLBACK)
  t.notOk(app.logs.lines.some(({ msg }) => msg === 'tool not served'))
})
