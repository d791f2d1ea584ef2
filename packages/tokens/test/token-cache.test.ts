// Tokens that were verified a moment ago: for how long, how many, and by which keys.
import t from 'tap'
import { TOKEN_CACHE_MS, TokenCache } from '../src/token-cache.ts'

const START_MS = 1e12
const caller = (subject: string) => ({ subject, scopes: [] })

function rack() {
  const clock = { nowMs: START_MS }
  const verified = new TokenCache(() => clock.nowMs)
  const remember = (token: string, over: { expiresAtMs?: number; generation?: number } = {}) =>
    verified.remember(token, caller(token), { expiresAtMs: START_MS + 1e9, generation: 0, ...over })
  return { clock, verified, remember }
}

t.test('a token is remembered for a minute', async t => {
  const { clock, verified, remember } = rack()
  remember('a')

  clock.nowMs += TOKEN_CACHE_MS - 1
  t.equal(verified.find('a', 0)?.subject, 'a')
  clock.nowMs += 1
  t.equal(verified.find('a', 0), undefined)
})

t.test('B28: that it was verified is known for longer, until it is refused', async t => {
  const { clock, verified, remember } = rack()
  remember('a')

  clock.nowMs += TOKEN_CACHE_MS
  t.equal(verified.find('a', 0), undefined)
  t.ok(verified.isKnown('a'))
  t.notOk(verified.isKnown('b'))
  verified.forget('a')
  t.notOk(verified.isKnown('a'))
})

t.test('B17: and never past its own end', async t => {
  const { clock, verified, remember } = rack()
  remember('a', { expiresAtMs: START_MS + 10 })

  clock.nowMs += 9
  t.ok(verified.find('a', 0))
  clock.nowMs += 1
  t.equal(verified.find('a', 0), undefined)
  clock.nowMs -= 5
  t.equal(verified.find('a', 0), undefined, 'also where the clock steps back')
})

t.test('B17: nor for longer than a minute where the clock steps back', async t => {
  const { clock, verified, remember } = rack()
  remember('a')

  clock.nowMs -= 1000
  t.equal(verified.find('a', 0), undefined)
})

t.test('B17: each token has its own claims, whatever it has in common with another', async t => {
  const { verified, remember } = rack()
  const tokens = ['h.p.s', 'h.p.s2', 'h.p2.s', 'h2.p.s', 'H.p.s', '__proto__', 'constructor']
  for (const token of tokens) remember(token)

  for (const token of tokens) t.equal(verified.find(token, 0)?.subject, token)
  for (const token of ['h.p', 'h.p.s ', 'toString', '']) t.equal(verified.find(token, 0), undefined)
})

t.test('B26: what other keys verified is verified again', async t => {
  const { verified, remember } = rack()
  remember('a', { generation: 1 })

  t.equal(verified.find('a', 2), undefined)
  t.equal(verified.find('a', 1), undefined, 'and is forgotten')
})

t.test('there is room for ten thousand, and for sixteen million characters; the oldest go', async t => {
  const { verified, remember } = rack()
  for (let at = 0; at < 10_001; at++) remember(`token ${at}`)
  t.equal(verified.find('token 0', 0), undefined)
  t.ok(verified.find('token 1', 0))

  const long = (at: number) => `${at} ${'x'.repeat(8000)}`
  for (let at = 0; at < 3000; at++) remember(long(at))

  t.equal(verified.find(long(0), 0), undefined)
  t.equal(verified.find('token 10000', 0), undefined)
  t.ok(verified.find(long(2999), 0))
})

t.test('a token that is remembered twice takes its room once', async t => {
  const { verified, remember } = rack()
  remember('other')
  const long = 'x'.repeat(8000)

  for (let at = 0; at < 5000; at++) remember(long)

  t.ok(verified.find('other', 0))
})
