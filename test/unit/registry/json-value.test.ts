import t from 'tap'
import { json } from '../../../src/index.ts'

const when = new Date('2026-01-02T03:04:05.678Z')

t.test('values become what JSON has', async t => {
  const row: { at: string; cents: number | string; tags: string[]; by: Record<string, string>; gone?: undefined } =
    json({
      at: when,
      cents: 12n,
      tags: new Set(['a']),
      by: new Map([['x', when]]),
      gone: undefined,
    })

  t.strictSame(row, { at: when.toISOString(), cents: 12, tags: ['a'], by: { x: when.toISOString() } })
  t.strictSame(json([{ at: when }, null, 'a', true, 1.5]), [{ at: when.toISOString() }, null, 'a', true, 1.5])
  t.equal(json(2n ** 63n), '9223372036854775808')
  t.equal(json({ toJSON: () => ({ toJSON: 1, at: when }) }).at, when.toISOString())
  t.equal(json(undefined), undefined)
})

t.test('what JSON leaves out is left out, as JSON does', async t => {
  const values = [
    [undefined, () => 1, Symbol('x'), new Array(2)],
    { gone: undefined, call: () => 1, zero: -0, boxed: [Object(1), Object('a'), Object(false)] },
    { toJSON: (key: string) => `key ${key}` },
    { named: { toJSON: (key: string) => `key ${key}` }, bytes: Buffer.from('a'), ['__proto__']: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    [when, when],
  ]
  for (const value of values) t.strictSame(json(value), JSON.parse(JSON.stringify(value)))
  const shared = { at: when }
  t.strictSame(json([shared, shared]), [{ at: when.toISOString() }, { at: when.toISOString() }], 'twice is no circle')
})

t.test('keys of a map become texts', async t => {
  const map = new Map<unknown, unknown>([
    [1, 'a'],
    [2n, 'b'],
    [true, 'c'],
    ['x', undefined],
  ])
  t.strictSame(json(map), { 1: 'a', 2: 'b', true: 'c' })
})

t.test('what would be lost is refused, with its path', async t => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  const round = new Map<string, unknown>()
  round.set('self', [round])
  const cases: [value: unknown, message: string][] = [
    [{ ratio: 0 / 0 }, 'ratio is NaN'],
    [{ a: [1, Number.NaN] }, 'a.1 is NaN'],
    [Number.POSITIVE_INFINITY, 'the value is Infinity'],
    [{ rows: [{ at: new Date(Number.NaN) }] }, 'rows.0.at is an invalid date'],
    [new Date(Number.NaN), 'the value is an invalid date'],
    [{ a: circle }, 'a.self is circular'],
    [round, 'self.0 is circular'],
    [{ by: new Map([[{}, 1]]) }, 'by has a key that is neither a text nor a number'],
    [new Map([[null, 1]]), 'the value has a key that is neither a text nor a number'],
    [
      {
        by: new Map<unknown, number>([
          [1, 1],
          ['1', 2],
        ]),
      },
      'by has two keys that become "1"',
    ],
  ]
  for (const [value, message] of cases) t.throws(() => json(value), { name: 'TypeError', message })
})
