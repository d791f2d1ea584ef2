// What a conversation bears of its door: a channel that breaks, and one that closes while a message waits.
import t, { type Test } from 'tap'
import type { ConversationFacts, DoorContext } from '../../../src/doors/index.ts'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { build, request } from '../../support/app.ts'
import { holdCount } from '../../support/doors/held-count.ts'
import { until } from '../../support/eventually.ts'

async function converse(t: Test, facts: Partial<ConversationFacts>, options: ServerOptions = {}) {
  let context: DoorContext | undefined
  const open = (_app: unknown, given: DoorContext) => void (context = given)
  const calls: unknown[] = []
  const echo = defineTool({ name: 'echo', handler: () => `${calls.push('echo')}` })
  const app = await build(t, { tools: [echo], doors: [{ name: 'own', open }], ...options })
  const usual = { clientKey: 'me', send: () => true, countUnsentBytes: () => 0 }
  return { app, calls, conversation: context!.converse({ ...usual, ...facts }) }
}

const call = () => JSON.stringify(request('tools/call', { name: 'echo' }).message)

t.test('a channel that cannot send has closed', async t => {
  const { app, calls, conversation } = await converse(t, {
    send() {
      throw new Error('broken pipe')
    },
  })
  await conversation.receive(call())
  await conversation.receive('garbage')
  await until(() => conversation.isClosed, 'the end')
  await conversation.receive(call())
  t.ok(calls.length <= 1)
  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'a door could not send'),
    [{ door: 'own', err: { message: 'broken pipe' } }],
  )
})

t.test('a message that is counted as its client leaves is not served', async t => {
  const { state, count } = holdCount()
  const { calls, conversation } = await converse(t, {}, { state })
  const begun = conversation.receive(call())
  await conversation.close()
  count()
  await begun
  t.strictSame(calls, [])
})
