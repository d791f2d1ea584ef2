// Spec 2025-11-25: client/elicitation and client/sampling, "Capabilities": a client is asked what it says that it takes, also
// where it waits for a task that another client of its subject began.
import t, { type Test } from 'tap'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { type AppClient, open } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { accept, form, greet, sampled, sampling } from '../../../support/legacy/asking.ts'
import { callAsTask, taskTool } from '../../../support/legacy/tasking.ts'
import type { Handler } from '../../../support/steered-tools.ts'
import type { WireMessage } from '../../../support/wire/modern.ts'

const headers = bearer('read')

/** A task of a client that takes every question, and another client of its subject. */
async function asked(t: Test, handler: Handler, capabilities: object) {
  const app = await guarded(t, { tools: [taskTool('job', handler)] })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const able = await open(t, app, { headers })
  const other = await open(t, app, { headers, capabilities })
  const { result } = await callAsTask(able, 'job', {}, {}, headers)
  return { able, other, taskId: result.task.taskId as string }
}

const waitFor = (client: AppClient, taskId: string) => client.post(client.request('tasks/result', { taskId }), headers)
const answer = (client: AppClient, { id }: WireMessage, result: object) =>
  client.send({ jsonrpc: '2.0', id, result }, headers)

t.test('tasks/result: who takes no questions is asked none, and waits until another has answered', async t => {
  const { able, other, taskId } = await asked(t, greet, {})
  const unasked = other.call('tasks/result', { taskId }, headers)
  const waiting = await waitFor(able, taskId)

  await answer(able, await waiting.next(0), accept({ name: 'Ada' }))

  const { messages } = await unasked
  t.strictSame(messages.map(textOf as (message: object) => unknown), ['Hello Ada'])
})

t.test('tasks/result: of several questions a client is asked those that it takes', async t => {
  const both: Handler = async ctx => {
    const [{ content }, { model }] = await Promise.all([ctx.elicit('who', form('name')), ctx.sample('what', sampling)])
    return `${content?.['name']} by ${model}`
  }
  const { able, other, taskId } = await asked(t, both, { elicitation: {} })
  const first = await waitFor(other, taskId)
  await answer(other, await first.next(0), accept({ name: 'Ada' }))

  const second = await waitFor(able, taskId)
  await answer(able, await second.next(0), sampled)

  const answers = await Promise.all([first, second].map(waiting => waiting.last()))
  for (const { result } of answers) t.equal(result.content[0].text, 'Ada by m')
  t.strictSame(
    [first, second].map(({ messages }) => messages.map(({ method }) => method)),
    [
      ['elicitation/create', undefined],
      ['sampling/createMessage', undefined],
    ],
  )
})

t.test(
  'tasks/get and tasks/list: nobody is shown a question, and who takes none is told what it waits for',
  async t => {
    const { able, other, taskId } = await asked(t, greet, { roots: {} })
    const waiting = await waitFor(able, taskId)
    const question = await waiting.next(0)
    const shownTo = async (client: AppClient) => {
      const [got] = (await client.call('tasks/get', { taskId }, headers)).messages
      const [listed] = (await client.call('tasks/list', {}, headers)).messages
      return [got!.result, listed!.result.tasks[0]]
    }

    for (const task of await shownTo(other))
      t.match(task, {
        status: 'input_required',
        statusMessage: /declares elicitation\.form$/,
        inputRequests: undefined,
      })
    for (const task of await shownTo(able))
      t.match(task, { status: 'input_required', statusMessage: undefined, inputRequests: undefined })

    await answer(able, question, accept({ name: 'Ada' }))
    t.equal((await waiting.last()).result.content[0].text, 'Hello Ada')
  },
)
