// docs/guides/replicas.md, "Secrets": at each step of a rotation replicas of this step and of the one before serve one client.
import t, { type Test } from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { type App, build, call } from '../../../../test/support/app.ts'

const OLD = 'an old secret of at least thirty-two bytes'
const NEW = 'a new secret of at least thirty-two bytes!'

const STEPS = [
  { stateSecret: OLD },
  { stateSecret: OLD, stateSecretPrevious: NEW },
  { stateSecret: NEW, stateSecretPrevious: OLD },
  { stateSecret: NEW },
]

const ask = defineTool({
  name: 'ask',
  annotations: { readOnlyHint: true },
  async handler(_args, { elicit }) {
    const schema = { type: 'object' as const, properties: {} }
    return (await elicit('sure', { message: 'Sure?', requestedSchema: schema })).action
  },
})

const replica = (t: Test, secrets: (typeof STEPS)[number]) =>
  build(t, { tools: [ask, { name: 'another', handler: () => '' }], pageSize: 1, ...secrets })

const ABLE = { capabilities: { elicitation: { form: {} } } }

/** What one of them hands out, brought back to the other. */
async function answered(from: App, to: App): Promise<{ cursor: unknown; state: unknown }> {
  const { nextCursor } = (await call(from, 'tools/list')).result
  const { requestState } = (await call(from, 'tools/call', { name: 'ask', arguments: {} }, ABLE)).result
  const inputResponses = { sure: { action: 'decline' } }
  const listed = await call(to, 'tools/list', { cursor: nextCursor })
  const params = { name: 'ask', arguments: {}, requestState, inputResponses }
  const called = await call(to, 'tools/call', params, ABLE)
  return {
    cursor: listed.result?.tools.length ?? listed.error.message,
    state: called.result?.content[0].text ?? called.error.message,
  }
}

t.test('what a replica sealed is opened by those of the step before and of the next', async t => {
  const steps = await Promise.all(STEPS.map(secrets => replica(t, secrets)))

  for (const [at, next] of steps.slice(1).entries()) {
    const step = steps[at]!
    t.strictSame(await answered(step, next), { cursor: 1, state: 'decline' }, `step ${at} to ${at + 1}`)
    t.strictSame(await answered(next, step), { cursor: 1, state: 'decline' }, `step ${at + 1} to ${at}`)
  }
})

t.test('without its steps what was sealed is refused', async t => {
  const [first, , , last] = await Promise.all(STEPS.map(secrets => replica(t, secrets)))

  const { cursor, state } = await answered(first!, last!)

  t.match(cursor, /^Invalid cursor/)
  t.match(state, /^Invalid requestState/)
})
