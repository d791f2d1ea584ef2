// When tokens for other services are asked for again, by a clock in the hands of the test.
import t from 'tap'
import { LiveSecrets } from '../../../src/execution/live-secrets.ts'
import { createMask } from '../../../src/execution/mask.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import type { Caller } from '../../../src/request/exchange.ts'
import { tokenService } from '../../../test/support/auth/token-service.ts'
import { fakeLog } from '../../../test/support/fakes.ts'
import { EXPIRY_MARGIN_MS, ExchangedTokens, MAX_EXCHANGES, TOKEN_BOUNDS } from '../src/exchanged-tokens.ts'
import { SubjectTokens } from '../src/subject-tokens.ts'
import { METADATA_MS, TokenEndpoint } from '../src/token-endpoint.ts'

const S = 1000
const START = Date.now()

/** @param livesS of each token that is given @param until they are given */
function rig(livesS: number, callerLivesS = 86_400, until: Promise<void> | undefined = undefined) {
  const clock = { nowMs: START }
  const subjectTokens = new SubjectTokens()
  const add = (subject: string): Caller => {
    const caller = { subject, scopes: [], expiresAtMs: START + callerLivesS * S }
    subjectTokens.remember(caller, `the token of ${subject}`)
    return caller
  }
  const caller = add('alice')
  let exchanges = 0
  const liveSecrets = new LiveSecrets()
  const tokens = new ExchangedTokens({
    endpoint: {
      async exchange() {
        await until
        return { accessToken: `token-number-${++exchanges}`, expiresInS: livesS }
      },
      close: () => {},
    },
    subjectTokens,
    liveSecrets,
    mask: createMask([]),
    count: () => {},
    record: () => {},
    now: () => clock.nowMs,
  })
  const ask = (taskId?: string, by: Caller = caller) =>
    tokens.tokenFor(
      { caller: by, owner: by.subject, requestId: '1', taskId, cancellation: new Cancellation(), log: fakeLog() },
      { audience: 'reports' },
    )
  return { clock, caller, add, subjectTokens, liveSecrets, ask, count: () => exchanges }
}

t.test('a token is used until 30 s before it expires; one of a short life for half of it', async t => {
  for (const [lifeS, usedMs] of [
    [3600, 3600 * S - EXPIRY_MARGIN_MS],
    [60, 30 * S],
    [10, 5 * S],
  ] as const) {
    const { clock, ask, count } = rig(lifeS)
    await ask()
    clock.nowMs = START + usedMs - 1
    await ask()
    t.equal(count(), 1, `${lifeS} s`)
    clock.nowMs++
    await ask()
    t.equal(count(), 2, `${lifeS} s`)
  }
})

t.test('a token that lives for nothing is not kept, and masked', async t => {
  const { liveSecrets, ask, count } = rig(0)
  const token = await ask()
  t.equal(liveSecrets.replaceIn(`it said ${token}`, '[secret]'), 'it said [secret]')
  await ask()
  t.equal(count(), 2)
})

t.test('no token outlives the token that it was exchanged for', async t => {
  const { clock, ask, count } = rig(3600, 100)
  await ask()
  clock.nowMs = START + 100 * S - 1
  await ask()
  clock.nowMs++
  await t.rejects(ask(), /has expired/)
  t.equal(count(), 1)
})

t.test('a life beyond measure is none: it ends with the token of the caller', async t => {
  for (const lifeS of [1e300, Number.POSITIVE_INFINITY]) {
    const { clock, ask, count } = rig(lifeS)
    await ask()
    clock.nowMs += 12 * 3600 * S
    await ask()
    t.equal(count(), 1)
  }
})

t.test('a task has the token of its call until it ends, though its caller was stored as JSON', async t => {
  const { caller, subjectTokens, ask } = rig(3600)
  const stored = JSON.parse(JSON.stringify(caller))
  await t.rejects(ask(undefined, stored), /has no access token/)
  await t.rejects(ask('task', stored), /this task runs in another one/)
  subjectTokens.keepForTask('task', caller)
  t.match(await ask('task', stored), /^token/)
  await t.rejects(ask('another task', stored), /this task runs in another one/)
  await t.rejects(ask(undefined, stored), /has no access token/)
  subjectTokens.forgetTask('task')
  await t.rejects(ask('task', stored), /this task runs in another one/)
})

t.test('a caller without a token has none to keep', async t => {
  const { subjectTokens } = rig(3600)
  subjectTokens.keepForTask('task', { subject: 'a key of alice', scopes: [] })
  subjectTokens.keepForTask('task', undefined)
  t.equal(subjectTokens.find({ subject: 'a key of alice', scopes: [] }, 'task'), undefined)
})

t.test('256 exchanges are under way at most, of all callers', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { ask, add } = rig(3600, 86_400, promise)
  const asked = Array.from({ length: MAX_EXCHANGES }, (_, index) => ask(undefined, add(`caller ${index}`)))
  await t.rejects(ask(undefined, add('one more')), { name: 'ToolError', message: /Too many tokens/ })
  resolve()
  t.equal((await Promise.all(asked)).length, MAX_EXCHANGES)
  t.match(await ask(undefined, add('one more')), /^token/)
})

t.test('10,000 tokens are kept; past that the oldest goes', async t => {
  const { ask, add, count } = rig(3600)
  const callers = Array.from({ length: TOKEN_BOUNDS.maxEntries + 1 }, (_, index) => add(`caller ${index}`))
  for (const caller of callers) await ask(undefined, caller)
  t.equal(count(), callers.length)
  await ask(undefined, callers[1])
  t.equal(count(), callers.length, 'the second is there')
  await ask(undefined, callers[0])
  t.equal(count(), callers.length + 1)
})

t.test('tokens are kept for 10,000 tasks; past that the oldest has none', async t => {
  const { subjectTokens, add } = rig(3600)
  const alice = add('alice again')
  for (let index = 0; index <= 10_000; index++) subjectTokens.keepForTask(`task ${index}`, alice)
  const stored = JSON.parse(JSON.stringify(alice))
  t.strictSame(
    ['task 0', 'task 1', 'task 10000'].map(id => subjectTokens.find(stored, id)),
    [undefined, 'the token of alice again', 'the token of alice again'],
  )
})

t.test('metadata is read again after an hour; a server that closes asks nobody', async t => {
  const service = await tokenService(t)
  const clock = { nowMs: START }
  const endpoint = new TokenEndpoint({
    url: undefined,
    issuer: service.issuer,
    clientId: 'tools',
    clientSecret: () => 'secret',
    grant: 'token-exchange',
    mayAsk: () => true,
    now: () => clock.nowMs,
  })
  const ask = () => endpoint.exchange('token', { audience: 'reports', resource: undefined, scopes: [] })
  await ask()
  clock.nowMs += METADATA_MS - 1
  await ask()
  t.equal(service.discoveries, 1)
  clock.nowMs++
  await ask()
  t.equal(service.discoveries, 2)
  endpoint.close()
  await t.rejects(ask(), { name: 'ExchangeError', kind: 'failed' })
  t.equal(service.asked.length, 3)
})
