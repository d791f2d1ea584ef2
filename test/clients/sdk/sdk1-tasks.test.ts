// Tasks of 2025-11-25 by the official client, which has them as an experiment: it polls, and is asked by tasks/result.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { defineTool, ToolError, Type } from '../../../src/index.ts'
import { until } from '../../support/clients/connect.ts'
import { serveSdk1, TRANSPORTS } from '../../support/clients/connect-sdk1.ts'
import { gated } from '../../support/clients/gate.ts'
import { form } from '../../support/input/rounds.ts'

const RELATED = 'io.modelcontextprotocol/related-task'
const task = 'optional' as const

const greet = defineTool({
  name: 'greet',
  task,
  async handler(_args, ctx) {
    const { content } = await ctx.elicit('name', form('name'))
    const { content: other } = await ctx.elicit('town', form('town'))
    return `Hello ${content?.['name']} of ${other?.['town']}`
  },
})
const quick = defineTool({ name: 'quick', task, handler: () => 'done' })
const must = defineTool({ name: 'must', task: 'required', handler: () => 'done' })
const count = defineTool({
  name: 'count',
  task,
  outputSchema: Type.Object({ words: Type.Integer() }),
  handler: () => ({ words: 3 }),
})
const fail = defineTool({
  name: 'fail',
  task,
  handler() {
    throw new ToolError('The rack is empty')
  },
})

/** A call as a task, of which only the handle is waited for. */
async function begin(client: Client, name: string, ttl = 60_000) {
  const params = { name, arguments: {} }
  return (await client.request({ method: 'tools/call', params }, CreateTaskResultSchema, { task: { ttl } })).task
}

const resultOf = (client: Client, taskId: string, options?: { signal: AbortSignal }) =>
  client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema, options)

/** All that the stream of a call says: what kind each message is, and the last. */
async function streamed(client: Client, name: string) {
  const kinds: string[] = []
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  let last: any
  for await (const message of client.experimental.tasks.callToolStream({ name }, CallToolResultSchema, { task: {} })) {
    kinds.push(message.type === 'taskStatus' ? message.task.status : message.type)
    last = message
  }
  return { kinds, last }
}

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    t.test('tasks: a call is begun, looked at until it has ended, and its result fetched', async t => {
      const { tool, release } = gated('quiet')
      const { client, http } = await serveSdk1(t, { tools: [{ ...tool, task }] }, { over })
      await client.listTools()
      const kinds: string[] = []

      // That it may be a task the client knows from the list.
      for await (const message of client.experimental.tasks.callToolStream({ name: 'wait' })) {
        kinds.push(message.type === 'taskStatus' ? message.task.status : message.type)
        if (message.type === 'taskStatus') release()
        if (message.type === 'result') t.match(message.result.content, [{ text: 'done' }])
      }

      t.strictSame(kinds, ['taskCreated', 'working', 'completed', 'result'])
      t.strictSame(http.of('tools/call')[0]!.message.params.task, {})
    })

    t.test('tasks: a result that is not there yet is waited for', async t => {
      const { tool, started, release } = gated('quiet')
      const { client } = await serveSdk1(t, { tools: [{ ...tool, task }] }, { over })
      const { taskId, status, ttl } = await begin(client, 'wait')
      await started
      const waiting = resultOf(client, taskId)
      t.match(await client.experimental.tasks.getTask(taskId), { taskId, status: 'working', ttl: 60_000 })

      release()

      t.strictSame([status, ttl], ['working', 60_000])
      t.match(await waiting, { content: [{ text: 'done' }], _meta: { [RELATED]: { taskId } } })
      t.match(await client.experimental.tasks.getTask(taskId), { status: 'completed' })
    })

    t.test('tasks: what the tool asks in its course the client answers, as often as it asks', async t => {
      const asked: { message: string; _meta?: object | undefined }[] = []
      const { client } = await serveSdk1(
        t,
        { tools: [greet] },
        {
          over,
          capabilities: { elicitation: {} },
          prepare: client =>
            client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
              asked.push(params)
              return {
                action: 'accept',
                content: { [params.message.slice(5, -1)]: `my ${params.message.slice(5, -1)}` },
              }
            }),
        },
      )
      const { taskId } = await begin(client, 'greet')
      const isAsking = async () => (await client.experimental.tasks.getTask(taskId)).status === 'input_required'
      while (!(await isAsking()));

      const result = await resultOf(client, taskId)

      t.match(result.content, [{ text: 'Hello my name of my town' }])
      t.match(asked, [
        { message: 'Your name?', _meta: { [RELATED]: { taskId } } },
        { message: 'Your town?', _meta: { [RELATED]: { taskId } } },
      ])
    })

    t.test('tasks: a client that only looks is asked over its stream of news', async t => {
      const asked: string[] = []
      const { client } = await serveSdk1(
        t,
        { tools: [greet] },
        {
          over,
          capabilities: { elicitation: {} },
          prepare: client =>
            client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
              const name = params.message.slice(5, -1)
              asked.push(name)
              return { action: 'accept', content: { [name]: `my ${name}` } }
            }),
        },
      )
      const { taskId } = await begin(client, 'greet')

      await until(async () => (await client.experimental.tasks.getTask(taskId)).status === 'completed', 'the end')

      t.match(await resultOf(client, taskId), { content: [{ text: 'Hello my name of my town' }] })
      t.strictSame(asked, ['name', 'town'])
    })

    t.test('tasks: the stream of a call that asks leads to its result', async t => {
      const joke = defineTool({
        name: 'joke',
        task,
        async handler(_args, ctx) {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'A joke' } }]
          const { content } = await ctx.sample('joke', { messages, maxTokens: 100 })
          return (content as { text: string }).text
        },
      })
      const { client } = await serveSdk1(
        t,
        { tools: [joke] },
        {
          over,
          capabilities: { sampling: {} },
          prepare: client =>
            client.setRequestHandler(CreateMessageRequestSchema, () => ({
              model: 'm',
              role: 'assistant',
              content: { type: 'text', text: 'Knock, knock' },
            })),
        },
      )

      const { kinds, last } = await streamed(client, 'joke')

      t.strictSame([kinds[0], ...kinds.slice(-2)], ['taskCreated', 'input_required', 'result'])
      t.match(last.result.content, [{ text: 'Knock, knock' }])
    })

    t.test('tasks: one that fails is told as failed, and its result says why', async t => {
      const { client } = await serveSdk1(t, { tools: [fail] }, { over })
      const { taskId } = await begin(client, 'fail')

      const result = await resultOf(client, taskId)

      t.match(result, { isError: true, content: [{ text: 'The rack is empty' }] })
      t.match(await client.experimental.tasks.getTask(taskId), {
        status: 'failed',
        statusMessage: 'The rack is empty',
      })
      const { last } = await streamed(client, 'fail')
      t.match(last, { type: 'error', error: { message: /failed/ } })
    })

    t.test('tasks: a tool that needs one is called as one only', async t => {
      const { client } = await serveSdk1(t, { tools: [must, quick] }, { over })

      await t.rejects(client.callTool({ name: 'must' }), { code: -32601, message: /only be called as a task/ })
      await client.listTools()
      await t.rejects(client.callTool({ name: 'must' }), { code: -32600, message: /requires task-based execution/ })
      const { taskId } = await begin(client, 'must')

      t.match(await resultOf(client, taskId), { content: [{ text: 'done' }] })
    })

    t.test('tasks: a tool that takes none refuses one', async t => {
      const plain = defineTool({ name: 'plain', handler: () => '' })
      const { client } = await serveSdk1(t, { tools: [plain, quick] }, { over })

      await t.rejects(begin(client, 'plain'), { code: -32601, message: /plain cannot be called as a task/ })
    })

    t.test('tasks: structure is what its schema says', async t => {
      const { client } = await serveSdk1(t, { tools: [count] }, { over })
      await client.listTools()

      const { last } = await streamed(client, 'count')

      t.match(last, { type: 'result', result: { structuredContent: { words: 3 } } })
    })

    t.test('tasks: one that is cancelled has ended, and its tool is stopped', async t => {
      const { tool, started, aborted } = gated('quiet')
      const { client } = await serveSdk1(t, { tools: [{ ...tool, task }] }, { over })
      const { tasks } = client.experimental
      const { taskId } = await begin(client, 'wait')
      await started

      const cancelled = await tasks.cancelTask(taskId)

      t.match(cancelled, { taskId, status: 'cancelled' })
      t.match(await aborted, { name: 'AbortError' })
      t.match(await resultOf(client, taskId), { isError: true, content: [{ text: /cancelled/ }] })
      await t.rejects(tasks.cancelTask(taskId), { code: -32602, message: /cancelled/ })
    })

    t.test('tasks: a wait that the client gives up leaves the task alone', async t => {
      const { tool, started, release } = gated('quiet')
      const { client, http } = await serveSdk1(t, { tools: [{ ...tool, task }] }, { over })
      const { taskId } = await begin(client, 'wait')
      await started
      const abort = new AbortController()
      const waiting = resultOf(client, taskId, { signal: abort.signal })
      waiting.catch(() => {})
      await until(() => http.of('tasks/result').length === 1, 'the request')

      abort.abort('enough')
      await t.rejects(waiting, /enough/)
      await until(() => http.of('notifications/cancelled')[0]?.status === 202, 'the cancellation')

      t.match(await client.experimental.tasks.getTask(taskId), { status: 'working' })
      release()
      t.match(await resultOf(client, taskId), { content: [{ text: 'done' }] })
    })

    t.test('tasks: the list comes in pages', async t => {
      const { client } = await serveSdk1(t, { tools: [quick], pageSize: 2 }, { over })
      const begun: string[] = []
      for (let turn = 0; turn < 5; turn++) begun.push((await begin(client, 'quick')).taskId)

      const listed: string[][] = []
      for (let cursor: string | undefined; ; ) {
        const { tasks, nextCursor } = await client.experimental.tasks.listTasks(cursor)
        listed.push(tasks.map(({ taskId }) => taskId))
        cursor = nextCursor
        if (cursor === undefined) break
      }

      t.strictSame(
        listed.map(({ length }) => length),
        [2, 2, 1],
      )
      t.strictSame(listed.flat().sort(), begun.sort())
    })

    t.test('tasks: one that is unknown is an error', async t => {
      const { client } = await serveSdk1(t, { tools: [quick] }, { over })
      const { tasks } = client.experimental

      await t.rejects(tasks.getTask('nope'), { code: -32602, message: /Task not found/ })
      await t.rejects(resultOf(client, 'nope'), { code: -32602, message: /Task not found/ })
      await t.rejects(tasks.cancelTask('nope'), { code: -32602, message: /Task not found/ })
      await t.rejects(tasks.listTasks('nope'), { code: -32602, message: /Invalid cursor/ })
    })

    t.test('tasks: a client that listens hears how its tasks go', async t => {
      const heard: { taskId: string; status: string }[] = []
      const { tool, release } = gated('quiet')
      const { client, http } = await serveSdk1(
        t,
        { tools: [{ ...tool, task }] },
        {
          over,
          prepare: client =>
            client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params)),
        },
      )
      await until(() => http.of('GET')[0]?.status === 200, 'the stream of news')
      const { taskId } = await begin(client, 'wait')

      release()
      await until(() => heard.length === 1, 'the news')

      t.match(heard, [{ taskId, status: 'completed' }])
    })
  })
}
