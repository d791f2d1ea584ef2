// The file of API keys: what it may hold, and the one line that says what is wrong.
import t from 'tap'
import { testKey } from '../../../test/support/auth/api-keys.ts'
import { ApiKeyFileError, MAX_API_KEYS, parseApiKeys } from '../src/api-key-records.ts'

const ID = '3f9c2ab41d07'
const GOOD = {
  id: ID,
  hash: 'a'.repeat(64),
  subject: 'n8n',
  scopes: ['prices:read'],
  created: '2026-11-25T17:00:00Z',
  expires: '2027-02-23T17:00:00.500Z',
}
const parse = (...keys: unknown[]) => parseApiKeys(Buffer.from(JSON.stringify({ keys })))
const parseText = (text: string) => parseApiKeys(Buffer.from(text))

t.test('a key has an id, a hash, a subject, scopes and two times, and may have claims and a name', async t => {
  const full = { ...GOOD, claims: { tenant: 'acme', groups: ['a', 'b'] }, name: 'n8n in the office' }

  t.strictSame(parse(full, { ...GOOD, id: 'constructor' }), [full, { ...GOOD, id: 'constructor' }])
  t.strictSame(parse(), [], 'there may be no key')
})

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  id: [undefined, '', 'abc', 'a'.repeat(33), 'ABCDEF', '__proto__', 'a_b_c', 'äöüß', 7, null, ['abcd']],
  hash: [undefined, '', 'a'.repeat(63), 'A'.repeat(64), `sha256:${'a'.repeat(64)}`, 'g'.repeat(64), 7],
  subject: [undefined, '', 'x'.repeat(513), '\ufffd', 7, {}],
  scopes: [undefined, 'prices:read', ['a b'], ['"'], [''], [7], {}, Array.from({ length: 101 }, String)],
  claims: [
    null,
    [],
    'tenant',
    { '': 1 },
    { tenant: 'x'.repeat(16 * 1024) },
    { 'a\nb': 1 },
    { constructor: 'x' },
    { tenant: '\ufffd' },
  ],
  created: [undefined, '', '2026-11-25', '2026-02-30T00:00:00Z', '2026-11-25T17:00:00', '2026-11-25T17:00:00+01:00', 1],
  expires: [undefined, null, 'never', '2027-13-01T00:00:00Z', '2027-01-01T25:00:00Z', 1e12],
  name: ['', 'x'.repeat(129), 'a\nb', 7],
}

for (const [field, values] of Object.entries(WRONG)) {
  t.test(`${field}: what is not valid is refused, by the entry and what was expected`, async t => {
    for (const value of values) {
      const label = field === 'id' ? 'keys\\[1\\]' : `keys\\[1\\] \\(${ID}\\)`
      const message = new RegExp(`^${label}: ${field}: expected `)
      t.throws(() => parse({ ...GOOD, id: 'other' }, { ...GOOD, [field]: value }), message, JSON.stringify(value))
    }
  })
}

t.test('a key ends after it was made, and within 366 days', async t => {
  const ends = (expires: string) => parse({ ...GOOD, expires })

  t.throws(() => ends(GOOD.created), /expires: expected a time after created/)
  t.throws(() => ends('2027-11-26T17:00:00.001Z'), /expires: expected at most 366 days after created/)
  t.equal(ends('2027-11-26T17:00:00Z').length, 1)
})

t.test('a member that is not known is refused, with the one that was meant', async t => {
  t.throws(
    () => parse({ ...GOOD, expire: GOOD.expires }),
    /^keys\[0\] \(3f9c2ab41d07\): "expire" .*did you mean expires\?/,
  )
  t.throws(() => parse({ ...GOOD, secret: 'x' }), /"secret" is not known; expected id, hash, /)
  t.throws(() => parseText('{"keys":[],"key":[]}'), /"key" is not known; expected "keys" alone/)
})

t.test('two keys cannot have one id, nor an object a member twice', async t => {
  t.throws(() => parse(GOOD, { ...GOOD, id: 'other' }, GOOD), /^keys\[2\] \(3f9c2ab41d07\): keys\[0\] has its id, too/)
  t.throws(() => parseText('{"keys":[],"keys":[]}'), /^an object has the same key twice/)
  t.throws(() => parse({ ...GOOD, subject: '\ud800' }), /^a lone surrogate/)
})

t.test('what is no document of keys is refused', async t => {
  for (const text of [
    '',
    'x',
    '[]',
    'null',
    '{}',
    '{"keys":{}}',
    '{"keys":[1]}',
    '{"keys":[null]}',
    '\ufeff{"keys":[]}',
  ])
    t.throws(() => parseText(text), ApiKeyFileError, text)
  t.throws(() => parseApiKeys(Buffer.from([0x7b, 0xff, 0x7d])), /^expected JSON in UTF-8/)
  t.throws(() => parseText(`{"keys":[{"__proto__":{},"id":"${ID}"}]}`), ApiKeyFileError)
})

t.test('a file has room for 10,000 keys of 8 MiB in all', async t => {
  const many = Array.from({ length: MAX_API_KEYS }, (_, at) => testKey({ id: `key${at}` }).record)

  t.equal(parse(...many).length, MAX_API_KEYS)
  t.throws(() => parse(...many, GOOD), /^expected at most 10000 keys, not 10001/)
  t.throws(() => parseApiKeys(Buffer.alloc(8 * 1024 * 1024 + 1, ' ')), /^expected at most 8 MiB/)
})
