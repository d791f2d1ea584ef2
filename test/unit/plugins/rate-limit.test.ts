import t from 'tap'
import { createRequestCounter, toAddressKey } from '../../../plugins/rate-limit.ts'
import type { McpError } from '../../../src/protocol/errors.ts'
import type { Limits } from '../../../src/state/limits.ts'

const SAME: readonly [string, string][] = [
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.1', '::FFFF:c000:201'],
  ['192.0.2.1', '192.0.2.1:4711'],
  ['2001:db8::1', '2001:db8::ffff:1'],
  ['2001:db8::1', '2001:DB8:0:0:1:2:3:4'],
  ['2001:db8::1', '[2001:db8::2]:443'],
  ['fe80::1%eth0', 'fe80::2'],
]

for (const [one, other] of SAME) {
  t.test(`${one} and ${other} are one client`, async t => {
    t.equal(toAddressKey(one), toAddressKey(other))
  })
}

t.test('what is next to it is another', async t => {
  const keys = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1', '::', '64:ff9b::c000:201'].map(toAddressKey)

  t.equal(new Set(keys).size, keys.length)
})

t.test('what a proxy wrote and is no address counts as it is', async t => {
  for (const text of ['unknown', 'a:b:c', ':::::', '_hidden:80', '']) t.doesNotThrow(() => toAddressKey(text), text)
})

const shared = (isAllowed: boolean): Limits => ({
  take: async () => ({ isAllowed, retryAfterMs: 1001 }),
  peek: async () => ({ isAllowed, retryAfterMs: 1001 }),
})

t.test('limits that are shared by replicas are waited for', async t => {
  const rule = { max: 5, windowMs: 60_000 }

  t.equal(await createRequestCounter(shared(true), rule)('a'), undefined)
  const refusal = (await createRequestCounter(shared(false), rule)('a')) as McpError
  t.match(refusal, { reason: 'RATE_LIMITED', retryAfterS: 2 })
  t.equal(refusal.message, 'Too many requests: at most 5 requests in 60 s; retry in 2 s')
})
