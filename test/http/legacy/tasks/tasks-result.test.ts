// Spec 2025-11-25: basic/utilities/tasks, "Retrieving Task Results" and "Task Execution Errors".
import t from 'tap'
import { image, ToolError } from '../../../../src/index.ts'
import { session } from '../../../support/client/app-client.ts'
import { nextId } from '../../../support/client/client.ts'
import { textOf } from '../../../support/client/reply.ts'
import {
  begin,
  callAsTask,
  cancel,
  gate,
  look,
  relatedTo,
  resultOf,
  taskTool,
  untilStatus,
  withJob,
  withJobOver,
} from '../../../support/legacy/tasking.ts'

const textSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }

const TOOLS = [
  taskTool('text', (_ctx, { word }) => `You said ${word}`),
  taskTool('picture', () => image(Buffer.from([1, 2, 3, 4]), 'image/png')),
  taskTool('structure', () => ({ word: 'x' }), { outputSchema: textSchema }),
  taskTool('array', () => [1, 2], { outputSchema: { type: 'array' } }),
  taskTool('broken', () => ({ word: 7 }), { outputSchema: textSchema }),
  taskTool('meta', () => ({ content: [], _meta: { 'example.com/trace': 'a1' } })),
  taskTool('strict', () => 'ran', { inputSchema: textSchema }),
  taskTool('error', () => {
    throw new ToolError('The rack is empty')
  }),
  taskTool('said', () => ({ content: [{ type: 'text', text: 'No luck' }], isError: true })),
]
const FAILING = ['broken', 'strict', 'error', 'said']

for (const { name } of TOOLS) {
  t.test(`tasks/result: ${name} is what the call without a task answers, with the task beside it`, async t => {
    const client = await session(t, { tools: TOOLS })
    const plain = await client.callTool(name)
    const { taskId } = await begin(client, name)

    const { status, result } = await resultOf(client, taskId)

    t.equal(status, plain.status)
    const { _meta, ...rest } = result
    const { _meta: plainMeta, ...plainRest } = plain.result
    t.strictSame(rest, plainRest)
    t.strictSame(_meta, { ...plainMeta, ...relatedTo(taskId) })
  })

  t.test(`tasks/get: ${name} has ${FAILING.includes(name) ? 'failed, and says why' : 'completed'}`, async t => {
    const client = await session(t, { tools: TOOLS })
    const { taskId } = await begin(client, name)
    const { result } = await resultOf(client, taskId)

    const { status, statusMessage } = (await look(client, taskId)).result

    t.equal(status, FAILING.includes(name) ? 'failed' : 'completed')
    t.equal(statusMessage, FAILING.includes(name) ? result.content[0].text : undefined)
  })
}

const picture = { type: 'image', data: 'AQID', mimeType: 'image/png' }
const text = (said: string) => ({ type: 'text', text: said })

const REASONS: [string, object[], string][] = [
  ['a picture before its text', [picture, text('The lamp is off')], 'The lamp is off'],
  ['a blank text before another', [text(' '), text('The lamp is off')], 'The lamp is off'],
  ['no text', [picture], 'job failed without a message'],
  ['nothing', [], 'job failed without a message'],
  ['more than fits, with half a character at the bound', [text(`${'x'.repeat(998)}😀😀`)], `${'x'.repeat(998)}…`],
]

for (const [what, content, reason] of REASONS) {
  t.test(`tasks/get: a failure says why, also where its result has ${what}`, async t => {
    const client = await withJob(t, () => ({ content, isError: true }))
    const { taskId } = await begin(client, 'job')
    t.strictSame((await resultOf(client, taskId)).result.content, content)

    const { status, statusMessage } = (await look(client, taskId)).result

    t.strictSame({ status, statusMessage }, { status: 'failed', statusMessage: reason })
  })
}

t.test('tasks/result: a client that cannot be asked is told what the call without a task answers', async t => {
  const asks = taskTool('asks', ctx => ctx.listRoots('roots'))
  const client = await session(t, { tools: [asks] }, { capabilities: {} })
  const plain = await client.callTool('asks')
  const { taskId } = await begin(client, 'asks')

  const { result } = await resultOf(client, taskId)

  t.match(plain.result, { isError: true, content: [{ text: /roots/ }] })
  t.strictSame(result.content, plain.result.content)
  t.match((await look(client, taskId)).result, { status: 'failed', statusMessage: plain.result.content[0].text })
})

t.test('tasks/result: waits until the task has ended, while others look at it', async t => {
  const { handler, started, end } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  let hasAnswered = false
  const waiting = resultOf(client, taskId).finally(() => (hasAnswered = true))

  for (let turn = 0; turn < 5; turn++) t.equal((await look(client, taskId)).result.status, 'working')
  t.notOk(hasAnswered)
  end('done')

  t.equal(textOf(await waiting), 'done')
})

t.test('tasks/result: every request that waits is answered, and so is who asks again', async t => {
  const { handler, end } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  const waiting = Array.from({ length: 5 }, () => resultOf(client, taskId))
  await untilStatus(client, taskId, 'working')
  end('done')

  const answers = await Promise.all([...waiting, ...waiting.map(() => resultOf(client, taskId))])

  t.strictSame(
    answers.map(textOf),
    answers.map(() => 'done'),
  )
})

t.test('tasks/result: of a cancelled task it is an error that says so, as often as it is asked for', async t => {
  const { handler, started } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  const waiting = resultOf(client, taskId)
  await cancel(client, taskId)

  for (const { status, result } of [await waiting, await resultOf(client, taskId)]) {
    t.equal(status, 200)
    t.strictSame(result, {
      content: [{ type: 'text', text: 'job was cancelled by the client' }],
      isError: true,
      _meta: relatedTo(taskId),
    })
  }
})

t.test('tasks/result: a call that takes longer than its tool may is a task that has failed', async t => {
  const client = await session(t, { tools: [taskTool('job', () => new Promise(() => {}), { timeout: 30 })] })
  const plain = await client.callTool('job')
  const { taskId } = await begin(client, 'job')

  const { result } = await resultOf(client, taskId)

  t.strictSame(result, { ...plain.result, _meta: relatedTo(taskId) })
  t.equal((await look(client, taskId)).result.status, 'failed')
})

t.test('tasks/result: a request that is cancelled is not answered, and its task goes on', async t => {
  const { handler, started, end } = gate()
  const client = await withJobOver(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  const id = nextId()
  const listener = await client.post(client.request('tasks/result', { taskId }, id))

  await client.notify('notifications/cancelled', { requestId: id })

  await listener.ended
  t.strictSame(listener.messages, [])
  t.equal((await look(client, taskId)).result.status, 'working')
  end('done')
  t.equal(textOf(await resultOf(client, taskId)), 'done')
})

t.test('tasks/result: a connection that drops while it waits is gone back to', async t => {
  const { handler, started, end } = gate()
  const client = await withJobOver(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  const first = await client.post(client.request('tasks/result', { taskId }))
  const { id } = await first.event(0)
  first.close()
  await first.ended
  end('done')

  const second = await client.listen(id)

  const last = await second.last()
  t.equal(textOf(last as { result: { content: { text: string }[] } }), 'done')
  t.strictSame(last.result._meta, relatedTo(taskId))
})

t.test('tasks/result: a client that takes no stream gets its result', async t => {
  const { handler, end } = gate()
  const client = await withJob(t, handler)
  const accept = { accept: 'application/json' }
  const { result } = await callAsTask(client, 'job', {}, {}, accept)
  const waiting = resultOf(client, result.task.taskId, accept)
  end('done')

  const { headers, result: final } = await waiting

  t.match(headers['content-type'], /^application\/json/)
  t.equal(final.content[0].text, 'done')
})

t.test('a tool that throws what is no words for the model leaves none behind, as without a task', async t => {
  const throws = taskTool('throws', () => {
    throw new TypeError('secret of the house')
  })
  const client = await session(t, { tools: [throws], errorMessages: 'tool-errors' })
  const { taskId } = await begin(client, 'throws')

  const { text } = await resultOf(client, taskId)
  const told = await look(client, taskId)

  t.equal(told.result.status, 'failed')
  t.notMatch(text + told.text, /secret/)
})
