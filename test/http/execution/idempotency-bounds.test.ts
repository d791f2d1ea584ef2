// What calls with an idempotency key may take up: no caller takes it from others.
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { KEPT_BOUNDS } from '../../../src/state/kept-results.ts'
import { type App, build, callTool } from '../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { until } from '../../support/clients/connect.ts'
import { failure, key, orders, text } from '../../support/orders.ts'

const quick = defineTool({ name: 'quick', idempotency: true, handler: () => 'done' })

const buildFor = (t: Test, tools: ServerOptions['tools'], options: ServerOptions = {}) =>
  build(t, { tools, logLevel: 'warn', ...options, rateLimit: { max: 100_000, ...options.rateLimit } })

const callAs = (app: App, sub: string) => callTool(app, 'order', key('1'), { headers: bearer('', { sub }) })

async function all(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => work(from + n)))
}

t.test('a call that runs keeps its key, however many others its caller makes', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const app = await buildFor(t, [tool, quick])
  const first = callTool(app, 'order', key('1'))
  await until(() => acts.length === 1, 'the order')

  await all(KEPT_BOUNDS.maxCountOfClient + 50, n => callTool(app, 'quick', { idempotencyKey: String(n) }))
  const again = callTool(app, 'order', key('1'))
  t.match(await callTool(app, 'quick', { idempotencyKey: 'last' }), text('done'))
  pass()
  for (const result of await Promise.all([first, again])) t.match(result, text('order 1'))
  t.equal(acts.length, 1)
})

t.test('if as many calls of a caller run as results may be kept, the next is refused', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const count = KEPT_BOUNDS.maxCountOfClient
  const app = await buildFor(t, [tool], { limits: { maxConcurrentCalls: count + 1 } })
  const calls = Array.from({ length: count }, (_, n) => callTool(app, 'order', key(String(n))))
  await until(() => acts.length === count, 'all run')

  const refused = await callTool(app, 'order', key('one more'))
  t.match(refused, failure('order is busy: too many calls with idempotency keys run; retry in a few seconds'))
  pass()
  await Promise.all(calls)
  t.match(await callTool(app, 'order', key('one more')), text(`order ${count + 1}`))
})

t.test('past 100 calls of a caller that wait for a first one, or 1,000 of all, the next is refused', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const app = await buildFor(t, [tool], { jwt: { secret: SECRET }, publicUrl: RESOURCE })
  const busy = failure('order is busy: too many calls wait for the first one of their key')
  const callers = Array.from({ length: 11 }, (_, n) => `caller ${n}`)
  const calls = callers.map(each => callAs(app, each))
  await until(() => acts.length === callers.length, 'all first ones run')

  for (const each of callers.slice(0, 9)) {
    const own = Array.from({ length: 101 }, () => callAs(app, each))
    t.match(await Promise.race(own), busy)
    calls.push(...own)
  }
  // The last two have 100 between them.
  const last = callers.slice(9).flatMap((each, n) => Array.from({ length: 50 + n }, () => callAs(app, each)))
  t.match(await Promise.race(last), busy)
  calls.push(...last)
  pass()
  const results = await Promise.all(calls)
  t.equal(results.filter(({ isError }) => isError).length, 9 + 1)
  t.equal(acts.length, callers.length)
})

t.test('a result that is too large to be kept uses its key up', async t => {
  let acts = 0
  const result = 'x'.repeat(KEPT_BOUNDS.maxBytesOfClient)
  const handler = () => {
    acts++
    return result
  }
  const tools = [defineTool({ name: 'large', idempotency: true, handler }), quick]
  const app = await buildFor(t, tools, { limits: { maxResultBytes: 2 * result.length } })
  await callTool(app, 'quick', { idempotencyKey: '1' })

  t.equal((await callTool(app, 'large', { idempotencyKey: '1' })).content[0].text.length, result.length)
  const again = await callTool(app, 'large', { idempotencyKey: '1' })
  t.match(again, failure('The first call of large with this key has ended, but its result was too large to be kept.'))
  t.equal(acts, 1)
})
