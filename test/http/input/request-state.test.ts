import t from 'tap'
import { memory } from '../../../packages/toolrack/state.ts'
import { Seal } from '../../../src/auth/seal.ts'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { openRequestState, STATE_TTL_MS, sealRequestState } from '../../../src/input/request-state.ts'
import { build, call } from '../../support/app.ts'
import { fakeExchange } from '../../support/fakes.ts'
import { ABLE, accept, ask, form, textOf } from '../../support/input/rounds.ts'

const SECRET = 'a-secret-that-all-replicas-share-0123'

async function rack(
  t: Parameters<typeof build>[0],
  { readOnlyHint = false, ...options }: ServerOptions & { readOnlyHint?: boolean } = {},
) {
  const runs = { finished: 0 }
  const tool = (name: string) =>
    defineTool({
      name,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint },
      async handler(_args, ctx) {
        const { content } = await ctx.elicit('name', form('name'))
        runs.finished++
        return `Hello ${content?.['name']}`
      },
    })
  const app = await build(t, { tools: [tool('asker'), tool('other')], stateSecret: SECRET, ...options })
  return { app, runs }
}

const ANSWERED = { inputResponses: { name: accept({ name: 'Ada' }) } }
const refused = (message: RegExp) => ({ status: 200, error: { code: -32602, message } })

function flipped(state: string, at: number): string {
  const bytes = Buffer.from(state, 'base64url')
  bytes[(at + bytes.length) % bytes.length]! ^= 1
  return bytes.toString('base64url')
}

const TAMPERED: [what: string, change: (state: string) => string][] = [
  ['a bit of its start flipped', state => flipped(state, 0)],
  ['a bit of its middle flipped', state => flipped(state, 40)],
  ['a bit of its end flipped', state => flipped(state, -1)],
  ['its end cut off', state => state.slice(0, -4)],
  ['something behind it', state => `${state}AAAA`],
  ['padding', state => `${state}=`],
  ['the alphabet of plain Base64', state => Buffer.from(state, 'base64url').toString('base64')],
  ['a space in it', state => `${state.slice(0, 10)} ${state.slice(10)}`],
  ['nothing left of it', () => ''],
  ['JSON in its place', () => '{"answers":{}}'],
]

for (const [what, change] of TAMPERED) {
  t.test(`requestState: one with ${what} is refused, and the handler does not run`, async t => {
    const { app, runs } = await rack(t)
    const { result } = await ask(app)
    const requestState = change(result.requestState)
    if (requestState === result.requestState) return t.end()

    const reply = await ask(app, { ...ANSWERED, requestState })

    t.match(reply, refused(/^Invalid requestState: it is not as this server sealed it/))
    t.equal(runs.finished, 0)
  })
}

t.test('requestState: after ten minutes it has expired', async t => {
  const { app, runs } = await rack(t)
  const nowMs = Date.now()
  const clock = { nowMs }
  t.intercept(Date, 'now', { value: () => clock.nowMs })
  const first = await ask(app)

  clock.nowMs = nowMs + STATE_TTL_MS + 1000
  t.match(await ask(app, ANSWERED, first), refused(/^Invalid requestState: it has expired/))
  t.equal(runs.finished, 0)
  clock.nowMs = nowMs + STATE_TTL_MS - 1000
  t.equal(textOf(await ask(app, ANSWERED, first)), 'Hello Ada')
})

t.test('requestState: one of other arguments, of another tool or method is refused', async t => {
  const { app, runs } = await rack(t)
  const first = await ask(app, { arguments: { sku: 'A1' } })
  const { requestState } = first.result
  const params = { name: 'other', arguments: { sku: 'A1' }, ...ANSWERED, requestState }

  t.match(await ask(app, { arguments: { sku: 'A2' }, ...ANSWERED }, first), refused(/another request/))
  t.match(await ask(app, ANSWERED, first), refused(/another request/))
  t.match(await call(app, 'tools/call', params, { capabilities: ABLE }), refused(/another request/))
  t.equal(runs.finished, 0)
})

t.test('requestState: arguments in another order are the same', async t => {
  const { app } = await rack(t)
  const first = await ask(app, { arguments: { a: 1, b: { c: [1, 2], d: null } } })

  const second = await ask(app, { arguments: { b: { d: null, c: [1, 2] }, a: 1 }, ...ANSWERED }, first)

  t.equal(textOf(second), 'Hello Ada')
})

t.test('requestState: a replica with the same secret takes it, one with another does not', async t => {
  const [one, two, three] = [await rack(t), await rack(t), await rack(t, { stateSecret: `${SECRET}-another` })]
  const first = await ask(one.app)

  t.equal(textOf(await ask(two.app, ANSWERED, first)), 'Hello Ada')
  t.match(await ask(three.app, ANSWERED, first), refused(/not as this server sealed it/))
})

t.test('requestState: a cursor is none', async t => {
  const { app } = await rack(t, { pageSize: 1 })
  const { result } = await call(app, 'tools/list')

  t.match(await ask(app, { ...ANSWERED, requestState: result.nextCursor }), refused(/not as this server sealed it/))
})

t.test('requestState: it is the caller’s own', t => {
  const seal = new Seal(SECRET)
  const of = (subject: string | undefined, requestState?: string) =>
    fakeExchange({
      caller: subject === undefined ? undefined : { subject, scopes: [] },
      params: { name: 'tool', arguments: {}, ...(requestState && { requestState }) },
    })
  const state = sealRequestState(seal, of('alice'), { used: { name: 1 }, open: {} })

  t.match(openRequestState(seal, of('alice', state)), { answers: { name: 1 } })
  for (const subject of ['bob', '', undefined]) {
    t.throws(() => openRequestState(seal, of(subject, state)), { message: /given to someone else/ })
  }
  t.equal(openRequestState(seal, of('alice')), undefined)
  t.end()
})

t.test('requestState: to a tool that changes things each counts once, also where both come together', async t => {
  const { app, runs } = await rack(t)
  const first = await ask(app)

  const replies = await Promise.all([ask(app, ANSWERED, first), ask(app, ANSWERED, first), ask(app, ANSWERED, first)])

  t.equal(replies.filter(reply => reply.error === undefined && textOf(reply) === 'Hello Ada').length, 1)
  t.equal(replies.filter(({ error }) => error?.code === -32602).length, 2)
  t.equal(runs.finished, 1)
})

t.test(
  'requestState: of a state and the one after an unfit answer one counts, also once the older has expired',
  async t => {
    const clock = { nowMs: Date.now() }
    t.intercept(Date, 'now', { value: () => clock.nowMs })
    const { app, runs } = await rack(t)
    const first = await ask(app)
    clock.nowMs += STATE_TTL_MS - 2000
    const renewed = await ask(app, { inputResponses: { name: accept({ name: 5 }) } }, first)
    t.equal(textOf(await ask(app, ANSWERED, first)), 'Hello Ada')

    clock.nowMs += 4000
    // The store forgets what has expired as it stores another.
    t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Hello Ada')
    t.match(await ask(app, ANSWERED, renewed), refused(/already used/))
    t.equal(runs.finished, 2)
  },
)

t.test('requestState: a tool that only reads takes it again', async t => {
  const { app } = await rack(t, { readOnlyHint: true })
  const first = await ask(app)

  for (let round = 0; round < 2; round++) t.equal(textOf(await ask(app, ANSWERED, first)), 'Hello Ada')
})

t.test('requestState: no two are alike, and none names what is in it', async t => {
  const { app } = await rack(t)

  const states = await Promise.all([1, 2, 3].map(async () => (await ask(app)).result.requestState))

  t.equal(new Set(states).size, 3)
  for (const state of states) t.notMatch(Buffer.from(state, 'base64url').toString('latin1'), /asker|tools|subject/)
})

t.test('requestState: a store that says neither yes nor no has said no', async t => {
  for (const said of [{ rowCount: 0 }, 1, 'OK', null]) {
    const usedTokens = { consumeOnce: () => said as unknown as boolean, release() {} }
    const { app, runs } = await rack(t, { state: { ...memory(), usedTokens } })
    const { requestState } = (await ask(app)).result

    t.match(await ask(app, { ...ANSWERED, requestState }), refused(/already used/))
    t.equal(runs.finished, 0)
  }
})
