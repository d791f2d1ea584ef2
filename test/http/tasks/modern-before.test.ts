// Extension io.modelcontextprotocol/tasks: "Task Creation": what a tool asks before there is a task.
import t from 'tap'
import { call } from '../../support/app.ts'
import { ABLE, accept, form } from '../../support/input/rounds.ts'
import { job, nextTurn, rack, start, TASKS, textOf, whenEnded } from '../../support/tasks/modern.ts'

const asking = (calls: string[] = [], more = {}) =>
  job(
    'asking',
    async ctx => {
      calls.push('asked')
      const { content } = await ctx.elicit('name', form('name'))
      await nextTurn()
      calls.push('worked')
      return `Hello ${content?.['name']}`
    },
    more,
  )
const ALICE = { name: accept({ name: 'Alice' }) }

for (const taskInlineMs of [0, 60_000]) {
  t.test(`tools/call: what is asked first is asked before there is a task (taskInlineMs ${taskInlineMs})`, async t => {
    const app = await rack(t, [asking()], { tasks: { inlineMs: taskInlineMs } })
    const again = (more: object) =>
      call(app, 'tools/call', { name: 'asking', arguments: {}, ...more }, { capabilities: { ...ABLE, ...TASKS } })

    const first = (await again({})).result
    t.strictSame(Object.keys(first).sort(), ['_meta', 'inputRequests', 'requestState', 'resultType'])
    t.strictSame([first.resultType, Object.keys(first.inputRequests)], ['input_required', ['name']])
    const wrong = (await again({ requestState: first.requestState, inputResponses: { other: {} } })).result
    t.equal(wrong.resultType, 'input_required')

    const { requestState } = wrong
    const second = (await again({ requestState, inputResponses: ALICE })).result

    if (taskInlineMs > 0) t.match(second, { resultType: 'complete', content: [{ text: 'Hello Alice' }] })
    else t.equal(textOf(await whenEnded(app, second.taskId)), 'Hello Alice')
  })
}

t.test('tools/call: the requestState of a task is used once where the tool changes things', async t => {
  const calls: string[] = []
  const app = await rack(t, [asking(calls), asking([], { name: 'reads', annotations: { readOnlyHint: true } })])
  const again = (name: string, more: object = {}) =>
    call(app, 'tools/call', { name, arguments: {}, ...more }, { capabilities: { ...ABLE, ...TASKS } })
  const { requestState } = (await again('asking')).result
  const answered = { requestState, inputResponses: ALICE }

  t.equal(textOf(await whenEnded(app, (await again('asking', answered)).result.taskId)), 'Hello Alice')
  t.match((await again('asking', answered)).error, { code: -32602, message: /^Invalid requestState: .*already used/ })

  t.strictSame(calls, ['asked', 'asked', 'worked'])
  const free = { requestState: (await again('reads')).result.requestState, inputResponses: ALICE }
  for (const _ of [1, 2]) t.equal((await again('reads', free)).result.resultType, 'task')
})

t.test('tools/call: a requestState that is not as it was sealed makes no task', async t => {
  const calls: string[] = []
  const app = await rack(t, [asking(calls)])
  const again = (more: object) =>
    call(app, 'tools/call', { name: 'asking', arguments: {}, ...more }, { capabilities: { ...ABLE, ...TASKS } })
  const { requestState } = (await again({})).result

  const tampered = await again({ requestState: `${requestState}-TAMPERED`, inputResponses: ALICE })
  const other = await again({ requestState, inputResponses: ALICE, arguments: { other: true } })

  for (const { error } of [tampered, other]) t.match(error, { code: -32602, message: /^Invalid requestState/ })
  t.strictSame(calls, ['asked'])
})

t.test('tools/call: a client that cannot be asked is told before there is a task', async t => {
  const app = await rack(t, [asking()], { tasks: { inlineMs: 60_000 } })

  const { status, error } = await start(app, 'asking', {}, { capabilities: TASKS })

  t.match(
    { status, error },
    { status: 400, error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } } },
  )
})
