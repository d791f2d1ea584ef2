// Tasks of 2025-11-25 by the official package for tasks, which the Inspector uses, too: it only looks with
// tasks/get, and answers what is asked over the session's stream.
import { createApplicationInputHandler, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { connectMode } from '../../support/clients/connect-mode.ts'
import { dropAbandonedPolls } from '../../support/clients/faults.ts'
import { form } from '../../support/input/rounds.ts'

const greet = defineTool({
  name: 'greet',
  task: 'optional',
  async handler(_args, ctx) {
    const { content } = await ctx.elicit('name', form('name'))
    const { content: other } = await ctx.elicit('town', form('town'))
    return `Hello ${content?.['name']} of ${other?.['town']}`
  },
})

/** A client that is connected by the handshake, and its session for tasks. */
async function connect(t: Test, options: Parameters<typeof connectMode>[1]) {
  const asked: string[] = []
  const { client, ...connected } = await connectMode(t, options, {
    mode: 'legacy',
    capabilities: { elicitation: { form: {} } },
  })
  const onInputRequest = createApplicationInputHandler({
    elicitation({ params }) {
      const name = String(params['message']).slice(5, -1)
      asked.push(name)
      return { action: 'accept', content: { [name]: `my ${name}` } }
    },
    sampling: () => Promise.reject(new Error('not asked')),
    roots: () => Promise.reject(new Error('not asked')),
  })
  const onError = (error: Error) => connected.faults.push(error)
  const session = createTaskSessionFromClient(client, { endpointId: 'test', onInputRequest, onError })
  t.teardown(() => session.close())
  t.teardown(() => dropAbandonedPolls(connected.faults))
  await client.listTools()
  return { session, asked, http: connected.http }
}

t.test('ext-tasks: what a task asks, the client answers, each question once', async t => {
  const { session, asked, http } = await connect(t, { tools: [greet] })

  const execution = await session.callTool('greet', {}, { task: { preference: 'require' } })
  const { outcome } = await execution.settle()

  t.match(outcome, { status: 'completed', result: { content: [{ text: 'Hello my name of my town' }] } })
  t.strictSame(asked, ['name', 'town'])
  t.equal(http.of('tasks/result').length, 1)
})
