// What a conversation bears of its door: a channel that breaks, and one that closes while a message waits.
import t, { type Test } from 'tap'
import { Conversation } from '../../../packages/stdio/src/conversation.ts'
import type { ConversationFacts, DoorContext } from '../../../packages/toolrack/door.ts'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { READER_GRACE_MS, UnsentBytes } from '../../../src/request/unsent-bytes.ts'
import { Toolrack } from '../../../src/toolrack.ts'
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

const connection = () => {
  const cuts: string[] = []
  const sent: string[] = []
  const send = (json: string) => sent.push(json) > 0
  return { cuts, sent, facts: { send, disconnect: () => void cuts.push('cut') } }
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

t.test('a caller whose token has ended is not served, told nothing more, and cut off', async t => {
  const alice = { subject: 'alice', scopes: [], expiresAtMs: Date.now() - 120_000 }
  const late = connection()
  const { calls, conversation } = await converse(t, { ...late.facts, caller: alice })
  await conversation.receive(call())
  t.strictSame([calls, late.sent, late.cuts], [[], [], ['cut']])

  const bob = { subject: 'bob', scopes: [], expiresAtMs: Date.now() + 120_000 }
  const { sent, cuts, facts } = connection()
  const listening = await converse(t, { ...facts, caller: bob })
  const listen = { notifications: { toolsListChanged: true } }
  await listening.conversation.receive(JSON.stringify(request('subscriptions/listen', listen).message))
  await until(() => sent.length === 1, 'the subscription')
  bob.expiresAtMs = 0
  listening.app.toolrack.remove('echo')
  await until(() => cuts.length === 1, 'the cut')
  t.equal(sent.length, 1)
})

t.test('a reader that takes the room of others is cut off', async t => {
  let nowMs = 0
  const unsent = new UnsentBytes({ process: 1000, client: 500 }, () => nowMs)
  const { facts, cuts } = connection()
  const { app } = await converse(t, {})
  const runtime = { ...Toolrack.runtime(app.toolrack), unsent }
  const slow = { clientKey: 'slow', door: 'own', runtime, count: () => undefined, countUnsentBytes: () => 2000 }
  const conversation = new Conversation({ ...slow, ...facts })
  await conversation.receive(call())
  t.throws(() => unsent.assertRoom('another'), { message: /wait for their readers/ })
  nowMs += READER_GRACE_MS
  unsent.assertRoom('another')
  t.strictSame([cuts, conversation.isClosed], [['cut'], true])
})
