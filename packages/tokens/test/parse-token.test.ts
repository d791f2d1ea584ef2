// A signed token as it is written. What is refused in whole is in test/security/access/b-tokens.test.ts.
import t from 'tap'
import { part, signed } from '../../../test/support/auth/tokens.ts'
import { parseToken } from '../src/parse-token.ts'

const SECRET = 'x'.repeat(32)
const FAULT = { name: 'TokenError' }

t.test('header and payload are read, and nothing else of the header', async t => {
  const { header, payload } = parseToken(signed(SECRET, { a: [1] }, { kid: 'k', jwk: {}, jku: 'x', x5u: 'y' }))

  t.strictSame(header, { alg: 'HS256', kid: 'k', typ: 'JWT' })
  t.match(payload, { sub: 'alice', a: [1] })
})

t.test(
  'B9: claims that are named like a prototype are claims like any other; in a header they are refused',
  async t => {
    const { payload } = parseToken(`${part({ alg: 'HS256' })}.${part('{"__proto__":{"sub":"root"},"x":1}')}.AAAA`)

    t.equal(Object.getPrototypeOf(payload), Object.prototype)
    t.equal(payload['sub'], undefined)
    t.throws(() => parseToken(`${part('{"alg":"HS256","__proto__":{}}')}.${part('{}')}.AAAA`), FAULT)
    t.throws(() => parseToken(`${part({ alg: 'HS256' })}.${part('{"__proto__":1,"__proto__":2}')}.AAAA`), FAULT)
  },
)

t.test('no fault quotes the token', async t => {
  const secret = part({ secret: 'canary' })
  for (const token of [
    `${secret}.${secret}.AA`,
    `${secret}.${secret}`,
    `${secret}`,
    `${part({ alg: 1 })}.${secret}.AA`,
  ]) {
    t.throws(() => parseToken(token), FAULT)
    try {
      parseToken(token)
    } catch (error) {
      t.notOk(`${error}`.includes(secret) || `${error}`.includes('canary'))
    }
  }
})
