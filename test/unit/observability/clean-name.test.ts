// No two identities have one name in the audit, the recent calls and the metrics.
import { createHash } from 'node:crypto'
import t from 'tap'
import { createSecretMask } from '../../../src/execution/mask.ts'
import { createNameCleaner } from '../../../src/observability/clean-name.ts'

const SECRET = 'a-secret-of-the-settings'
const { name, identity } = createNameCleaner(createSecretMask([SECRET]))
const long = 'x'.repeat(200)
const cyrillic = '\u0430lice'

const ALIKE: Readonly<Record<string, readonly string[]>> = {
  'hidden characters': [
    'alice',
    'alice\u200b',
    'al\u00adice',
    'alice\u2060',
    'alice\ufe0f',
    'alice\u115f',
    '\ufeffalice',
    'alice\ufffc',
    'alice\u{1d159}',
    'alice\u{13441}',
    'alice\u{16fe4}',
  ],
  'control characters': ['alice', 'alice\n', 'alice\r', 'alice\u0000', 'alice\u001b[2J', 'alice\u202e', 'alice\u2028'],
  blanks: ['al ice', 'al  ice', ' al ice', 'al ice ', 'al\u00a0ice', 'al\u2003ice', 'al\tice'],
  'lone surrogates': ['alice', 'alice\ud800', 'alice\ud801', 'alice\ufffd'],
  'forms of Unicode': ['\u00e9ve', 'e\u0301ve', '\uff45\u0301ve', '\u212b', '\u00c5', 'A\u030a', '\ufb01n', 'fin'],
  'long ones': [`${long}a`, `${long}b`, long, long.slice(0, 128), `${'x'.repeat(3000)}a`, `${'x'.repeat(3000)}b`],
  'those that are masked': [SECRET, `${SECRET}1`, '[secret]', `sk-${'a1'.repeat(12)}`, `sk-${'b2'.repeat(12)}`],
  escapes: ['alice\u200b', 'alice\\u{200b}', 'alice\\u{5c}u{200b}', 'alice\\\\u{200b}'],
}

for (const [what, raw] of Object.entries(ALIKE)) {
  t.test(`O1: identities that differ by ${what} stay apart, on one line of visible characters`, async t => {
    const shown = raw.map(identity)
    t.equal(new Set(shown).size, raw.length, JSON.stringify(shown))
    for (const each of shown) t.match(each, /^[^\p{C}\p{Zl}\p{Zp}]{1,240}$/u)
    t.strictSame(raw.map(identity), shown, 'the same again')
  })
}

t.test('what has no shape in fonts is shown by its number', async t => {
  for (const hidden of ['2800', 'fffc', '13441', '13442', '16fe4', '1d159'])
    t.equal(identity(`alice${String.fromCodePoint(Number.parseInt(hidden, 16))}`), `alice\\u{${hidden}}`)
})

t.test('O1: a name that looks as if it were cut is none that was', async t => {
  const cut = identity(`${long}a`)
  t.not(identity(cut), cut)
})

t.test('what is plain, or only foreign, stays as it is', async t => {
  for (const each of ['alice', 'CORP\\alice', 'auth0|5f7c', 'Zo\u00eb M\u00fcller', '\u738b\u5c0f\u660e', cyrillic])
    t.equal(identity(each), each)
})

t.test('a change is shown: an escape, or the hash of the whole', async t => {
  t.equal(identity('alice\u200b'), 'alice\\u{200b}')
  t.equal(identity('e\u0301ve'), 'e\\u{301}ve')
  const hash = createHash('sha256').update(long).digest('hex').slice(0, 32)
  t.equal(identity(long), `${'x'.repeat(128)}… sha256:${hash}`)
  t.equal(name(long), identity(long))
})

t.test('the hash is that of sha256sum, whatever the name has', async t => {
  for (const part of ['e\u0301', '\u200b', '\\u{', '\u738b', '\n']) {
    const raw = part.repeat(200)
    t.equal(identity(raw).slice(-32), createHash('sha256').update(raw).digest('hex').slice(0, 32), JSON.stringify(part))
  }
  const ill = [`${long}\ud800`, `${long}\ud801`, `${long}\ufffd`, `${long}\\u{d800}`].map(identity)
  t.equal(new Set(ill).size, ill.length)
})

t.test('a name of as many marks as a body may have does not hold up the server', async t => {
  // Normalised whole, it would take minutes.
  t.match(name('\u0301\u0323'.repeat(250_000)), /^(\\u\{3\d\d\})+.*… sha256:/)
})

t.test('a masked name of a client has no hash, since it could be guessed', async t => {
  t.equal(name('password=12345678'), 'password=[secret]')
  t.equal(name(`x ${SECRET}`), 'x [secret]')
  t.equal(name(`${SECRET.slice(0, 5)}\u200b${SECRET.slice(5)}`), '[secret]', 'hidden characters hide no secret')
  t.match(identity(SECRET), /^\[secret\] sha256:[0-9a-f]{32}$/)
})
