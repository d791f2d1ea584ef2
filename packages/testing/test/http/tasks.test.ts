// testTools: a call that becomes a task is awaited to its end, with all that it reports.
import t from 'tap'
import { defineTool, ToolError } from '../../../../src/index.ts'
import { testTools } from '../../src/index.ts'

const form = {
  message: 'Go on?',
  requestedSchema: { type: 'object' as const, properties: { sure: { type: 'boolean' } }, required: ['sure'] },
}
const INLINE = { settings: { tasks: { inlineMs: 0 } } }

t.test('a task is awaited, and its statuses, progress and logs are collected', async t => {
  const tools = await testTools(
    defineTool({
      name: 'index',
      task: 'optional',
      async handler(_, { progress, log }) {
        for (const step of [1, 2]) {
          progress(step, 2, `file ${step}`)
          await new Promise(resolve => setImmediate(resolve))
        }
        log.notice('indexed')
        await new Promise(resolve => setTimeout(resolve, 20))
        return 'done'
      },
    }),
    INLINE,
  )
  t.teardown(() => tools.close())

  const { text, task, progress, logs } = await tools.call('index')

  t.equal(text, 'done')
  t.equal(task?.statuses[0]?.status, 'working')
  t.match(task?.statuses.at(-1), { status: 'completed' })
  t.strictSame(
    progress,
    [1, 2].map(step => ({ progress: step, total: 2, message: `file ${step}` })),
  )
  t.strictSame(logs, [{ level: 'notice', data: 'indexed' }])
})

t.test('a call that ends within its request is no task, and reports as much', async t => {
  const tools = await testTools(
    defineTool({
      name: 'index',
      task: 'required',
      handler(_, { progress }) {
        progress(1)
        return 'done'
      },
    }),
  )
  t.teardown(() => tools.close())

  t.match(await tools.call('index'), { text: 'done', task: undefined, progress: [{ progress: 1 }] })
})

t.test('a task asks, also under another key, and its answers are found by the key of the handler', async t => {
  const given = [{ sure: 'perhaps' }, { sure: true }]
  const tools = await testTools(
    defineTool({
      name: 'sweep',
      task: 'required',
      async handler(_, { elicit }) {
        await new Promise(resolve => setTimeout(resolve, 20))
        const { content } = await elicit('confirm', form)
        return `sure: ${content?.['sure']}`
      },
    }),
    { ...INLINE, answers: { confirm: () => given.shift() } },
  )
  t.teardown(() => tools.close())

  const { text, task, questions } = await tools.call('sweep')

  t.equal(text, 'sure: true')
  t.ok(task?.statuses.some(({ status }) => status === 'input_required'))
  t.match(questions, [
    { key: 'confirm', message: 'Go on?' },
    { key: 'confirm', message: 'Go on?' },
  ])
})

t.test('a task that fails is a result, and one that is refused is an error', async t => {
  const tools = await testTools(
    defineTool({
      name: 'fail',
      task: 'required',
      async handler() {
        await new Promise(resolve => setTimeout(resolve, 20))
        throw new ToolError('The disk is full.')
      },
    }),
    INLINE,
  )
  t.teardown(() => tools.close())

  t.match(await tools.call('fail'), { isError: true, text: 'The disk is full.' })
  await t.rejects(tools.call('fail', {}, { capabilities: {} }), { code: -32021 })
})

t.test('a question of a task that has no answer fails the call', async t => {
  const tools = await testTools(
    defineTool({
      name: 'sweep',
      task: 'required',
      async handler(_, { elicit }) {
        await new Promise(resolve => setTimeout(resolve, 20))
        return (await elicit('confirm', form)).action
      },
    }),
    INLINE,
  )
  t.teardown(() => tools.close())

  await t.rejects(tools.call('sweep'), { message: /^The tool asks "confirm"/ })
})
