// Patterns of schemas over texts: any text is answered at once, and what is answered is what V8 would answer.
import fc from 'fast-check'
import t from 'tap'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { NESTED, ORDINARY, REFUSED, SLOW } from '../../../test/support/patterns.ts'
import { type Pattern, Patterns } from '../src/patterns.ts'
import { isPlain } from '../src/plain-pattern.ts'
import { compile } from '../src/validator.ts'

/** Some 100 ms in quiet; room for what a busy machine adds. */
const MAX_MS = 500
const MIB = 1024 * 1024

const PUMPS = ['a', ' ', '1a-', 'a@a.', '😀']

/** A pattern of its own schema, each of whose texts is a check. */
function compilePattern(source: string): Pattern {
  const patterns = new Patterns()
  const pattern = patterns.compile(source)
  return {
    test(text) {
      patterns.renew()
      return pattern.test(text)
    },
    toString: () => `${pattern}`,
  }
}

function slowest(source: string, texts: readonly string[]): number {
  const pattern = compilePattern(source)
  return Math.max(...texts.map(text => cpuMsOf(() => pattern.test(text))))
}

function isAccepted(source: string): boolean {
  try {
    compilePattern(source)
    return true
  } catch {
    return false
  }
}

t.test('no text of a MiB holds a pattern up, however it is pumped', async t => {
  const texts = PUMPS.map(pump => `${pump.repeat(MIB / pump.length)}!`)

  for (const pattern of [...NESTED, ...SLOW, ...ORDINARY.map(([pattern]) => pattern)]) {
    const tookMs = slowest(pattern, texts)
    t.ok(tookMs < MAX_MS, `${pattern} ${tookMs} ms`)
  }
})

t.test('nor does one of a length at which ways to fit it just begin to be many', async t => {
  const texts = [10, 25, 40, 100, 1000, 5000, 50_000].flatMap(length => PUMPS.map(pump => `${pump.repeat(length)}!`))

  for (const pattern of [...NESTED, ...SLOW]) {
    const tookMs = slowest(pattern, texts)
    t.ok(tookMs < MAX_MS, `${pattern} ${tookMs} ms`)
  }
})

t.test('the texts of one check share their steps', async t => {
  const validator = compile({ type: 'array', items: { type: 'string', pattern: '^.*a.*=.*$' } })

  t.ok(validator.isValid(Array.from({ length: 1000 }, () => 'a=b')))
  const tookMs = cpuMsOf(() => t.notOk(validator.isValid(Array.from({ length: 9000 }, () => `${'-'.repeat(99)}\n`))))
  t.ok(tookMs < MAX_MS, `${tookMs} ms`)
  t.ok(validator.isValid(['a=b']), 'the next check has its own')
})

t.test('the checks of one schema take no steps from those of another', async t => {
  const schema = { type: 'string', pattern: '^(?:a|b)*c$' }
  const one = compile(schema)
  const other = compile(schema)

  t.notOk(one.isValid('a'.repeat(4_000_000)))
  t.ok(other.isValid('abc'))
})

t.test('V8 runs what is plain, RE2 all else', async t => {
  const plain = [
    '',
    '^[A-Z]{3}-\\d{4}$',
    '^a*$',
    '^[^@]+@',
    '^(?:a|b)?c*$',
    '^a*a{40}b',
    '^a{100000}$',
    '^a?a?a*b',
    '^(?:0|[1-9]\\d*)$',
    'abc|d',
    'a{60}',
    '^(?i:a)$',
    '^\\p{Alphabetic}+$',
  ]
  const others = [
    '^a*b*$',
    'a*',
    'a+$',
    '^a*|b',
    '(?:^a*)',
    '(a){2}',
    '(?:a)*',
    '^a*a{80}b',
    'a{100}',
    '^(?:a?a?a?a?a?a?a?)a*b',
    '^a{0,9}a{0,9}$',
    '(?=a)',
    '^(?<!b)a$',
    '^(a)\\1$',
    '^(?<a>a)\\k<a>$',
  ]

  for (const pattern of plain) t.ok(isPlain(pattern), pattern)
  for (const pattern of others) t.notOk(isPlain(pattern), pattern)
})

t.test('what people write is accepted, and fits what they write it for', async t => {
  for (const [pattern, text] of ORDINARY) {
    t.ok(isAccepted(pattern), pattern)
    t.ok(compilePattern(pattern).test(text), pattern)
  }
})

t.test('long texts fit it too', async t => {
  for (const [pattern, text] of [
    ['^[^\\u0000]*$', 'a'.repeat(MIB)],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', `${'ab-'.repeat(30_000)}c`],
    ['^\\S+(?: \\S+)*$', `${'word '.repeat(20_000)}end`],
    ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$', 'QUJD'.repeat(40_000)],
    ['^(a+)+$', 'a'.repeat(500_000)],
  ] as const) {
    t.ok(compilePattern(pattern).test(text), pattern)
  }
})

t.test('what neither runs in linear time is refused, with what is expected in its place', async t => {
  for (const [pattern, reason] of REFUSED) {
    const expected =
      /^#\/pattern: .* is not supported: expected a regular expression of ECMAScript that runs in linear time/
    t.throws(() => compile({ pattern }), { message: expected }, pattern)
    t.throws(() => compile({ pattern }), { message: reason }, pattern)
    t.throws(() => compile({ patternProperties: { [pattern]: {} } }), { message: reason }, pattern)
  }
  t.throws(() => compile({ pattern: '(' }), { message: /is not a regular expression of ECMAScript/ })
})

const ATOM = fc.constantFrom(
  ...[
    'a',
    'b',
    '.',
    '\\s',
    '\\S',
    '\\w',
    '\\D',
    '[a-c]',
    '[^a]',
    '[\\s\\d]',
    '[^\\S\\n]',
    '[\\b]',
    '[a-]',
    '[\\]x]',
    '[[]',
    '[]',
    '[^]',
    '[a[^]',
    '[(?=]',
    '\\p{Script=Greek}',
  ],
  ...[
    '\\u0041',
    '\\x41',
    '\\u{1F600}',
    '\\uD83D\\uDE00',
    '\\cA',
    '\\0',
    '\\t',
    '\\/',
    '\\$',
    '[$^]',
    '\\b',
    '😀',
    '\\p{L}',
  ],
)
const QUANTIFIER = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '{1,30}')
const { pattern: PATTERN } = fc.letrec<{ pattern: string }>(tie => ({
  pattern: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    fc.tuple(ATOM, QUANTIFIER).map(parts => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => first + second),
    fc.tuple(tie('pattern'), tie('pattern'), QUANTIFIER).map(([one, other, sign]) => `(?:${one}|${other})${sign}`),
    fc.tuple(tie('pattern'), QUANTIFIER).map(([body, sign]) => `(${body})${sign}`),
  ),
}))
const UNITS = [
  'a',
  'b',
  'A',
  '1',
  ' ',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  '\v',
  '\ufeff',
  '\u0001',
  '\b',
  '-',
  'é',
  '😀',
  ']',
  '[',
  'α',
  '\ud800',
]

t.test('an escape ends where ECMAScript ends it, whatever follows', async t => {
  for (const escaped of ['\\u0041', '\\u{41}', '\\x41', '\\u{1F600}', '\\uD83D\\uDE00', '\\cA'])
    for (const next of ['a*', 'b', '1*', '\\u0041', '', 'F?'])
      for (const text of ['', 'a', 'A', 'Ab', 'A1', 'AA', 'AF', '\u041a', '😀', '\u0001b']) {
        const pattern = `^(?:${escaped}${next}|b*)*$`
        t.equal(compilePattern(pattern).test(text), new RegExp(pattern, 'u').test(text), `${pattern} ${text}`)
      }
})

t.test('a text fits a pattern where V8 says so, whoever runs it', async () => {
  const text = fc.array(fc.constantFrom(...UNITS), { maxLength: 6 }).map(units => units.join(''))

  fc.assert(
    fc.property(PATTERN, fc.boolean(), fc.array(text, { maxLength: 5 }), (source, isWhole, texts) => {
      const pattern = isWhole ? `^(?:${source})$` : source
      fc.pre(isAccepted(pattern))
      const bounded = compilePattern(pattern)
      for (const each of texts) {
        const isExpected = new RegExp(pattern, 'u').test(each)
        if (bounded.test(each) !== isExpected) throw new Error(`${pattern} on ${JSON.stringify(each)}: ${isExpected}`)
      }
    }),
    { numRuns: 2000 },
  )
})

t.test('no pattern that is made at random is held up by a text that is pumped', async () => {
  const texts = ['a', 'ab', 'a '].flatMap(pump => [12, 30, 200, 100_000].map(n => `${pump.repeat(n)}\n!`))

  fc.assert(
    fc.property(PATTERN, source => {
      for (const whole of [source, `^(?:${source})$`].filter(isAccepted)) {
        const tookMs = slowest(whole, texts)
        if (tookMs > MAX_MS) throw new Error(`${whole} took ${tookMs} ms`)
      }
    }),
    { numRuns: 100 },
  )
})

t.test('a pattern is compiled once for its schema', async t => {
  const patterns = new Patterns()
  const slug = patterns.compile('^[a-z0-9]+(?:-[a-z0-9]+)*$')

  t.equal(patterns.compile('^[a-z0-9]+(?:-[a-z0-9]+)*$'), slug)
  t.not(new Patterns().compile('^[a-z0-9]+(?:-[a-z0-9]+)*$'), slug)
})

t.test('a text that is too long to be followed fails its check, also where a match is what is refused', async t => {
  const pattern = '^[^ ]*\\d[^!]*[^?]*$'
  const long = 'a'.repeat(1_000_000)
  const schemas = [
    { type: 'string', pattern },
    { not: { pattern } },
    { anyOf: [{ pattern }, { type: 'string' }] },
    { if: { pattern }, else: { type: 'string' } },
  ]

  for (const schema of schemas) {
    t.notOk(compile(schema).isValid(long), JSON.stringify(schema))
    t.match(compile(schema).issues(long), [{ path: '(root)', expected: /too long to check/ }])
  }
  t.ok(compile({ not: { pattern } }).isValid('no digit'))
})
