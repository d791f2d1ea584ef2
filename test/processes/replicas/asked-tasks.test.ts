// What a task asks, on the stream of its session at one replica, while its client looks at it by way of the other.
// Spec 2025-11-25: basic/utilities/tasks, "Input Required Status".
import t from 'tap'
import type { McpTestClient } from '../../support/client/client.ts'
import type { TestReply } from '../../support/client/reply.ts'
import type { Place } from '../../support/client/transport.ts'
import { accept } from '../../support/input/rounds.ts'
import { pair, quiet, until } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const questionsOf = ({ messages }: TestReply) => messages.filter(({ method }) => method === 'elicitation/create')

t.test('tasks that ask: of two replicas', { skip: NO_REDIS, timeout: 120_000 }, async t => {
  const replicas = await pair(t)
  const { one, two } = replicas

  const statusOf = async (client: McpTestClient, at: Place, taskId: string) =>
    (await client.at(at).call('tasks/get', { taskId })).result?.status

  /** A session that listens at `two`, whose task has asked there. */
  async function asked(t: Parameters<typeof openAt>[0]) {
    const client = await openAt(t, one)
    const news = await client.at(two).listen()
    await quiet(replicas)
    const { result } = await client.at(one).call('tools/call', { name: 'greet_later', arguments: {}, task: {} })
    const { taskId } = result.task
    await until(async () => {
      await statusOf(client, one, taskId)
      return questionsOf(news).length > 0
    }, 'the question')
    return { client, news, taskId, question: questionsOf(news)[0]! }
  }

  t.test('asked once, and answered by way of the other', async t => {
    const { client, news, taskId, question } = await asked(t)
    const waiting = await client.at(one).post(client.request('tasks/result', { taskId }))

    await client.at(one).answer(question, accept({ name: 'Ada' }))

    t.equal(await textOf(waiting), 'Hello Ada')
    t.equal(questionsOf(news).length, 1)
    t.strictSame(questionsOf(waiting), [])
  })

  t.test('withdrawn if the task is cancelled by way of the other', async t => {
    const { client, news, taskId, question } = await asked(t)

    await client.at(one).call('tasks/cancel', { taskId })

    await until(
      () =>
        news.messages.some(each => each.method === 'notifications/cancelled' && each.params.requestId === question.id),
      'the withdrawal',
    )
    t.equal(await statusOf(client, two, taskId), 'cancelled')
  })

  t.test('a client that waits for the result at the other is asked once, there or on its stream', async t => {
    const client = await openAt(t, one)
    const news = await client.at(two).listen()
    const { result } = await client.at(one).call('tools/call', { name: 'greet_later', arguments: {}, task: {} })
    const { taskId } = result.task
    const waiting = await client.at(one).post(client.request('tasks/result', { taskId }))
    const questions = () => [...questionsOf(waiting), ...questionsOf(news)]
    await until(() => questions().length > 0, 'the question')
    const other = await asked(t)

    await client.at(two).answer(questions()[0]!, accept({ name: 'Ada' }))

    t.equal(await textOf(waiting), 'Hello Ada')
    t.equal(questions().length, 1)
    t.equal(questionsOf(other.news).length, 1)
  })
})
