import { parse } from 'node:querystring'
import { runInNewContext } from 'node:vm'
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
    { named: { toJSON: (key: string) => `key ${key}` }, ['__proto__']: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    [when, when],
  ]
  for (const value of values) t.strictSame(json(value), JSON.parse(JSON.stringify(value)))
  const shared = { at: when }
  t.strictSame(json([shared, shared]), [{ at: when.toISOString() }, { at: when.toISOString() }], 'twice is no circle')
})

t.test('objects of a class, or without one, are written as their members', async t => {
  class Row {
    id = 1
    at = when
    #secret = 2
    get secret() {
      return this.#secret
    }
  }
  class Described {
    toJSON() {
      return { n: 1 }
    }
  }
  t.strictSame(json([new Row(), new Described()]), [{ id: 1, at: when.toISOString() }, { n: 1 }])
  const empty = [{}, Object.create(null), runInNewContext('({})'), parse('')]
  t.strictSame(json(empty), [{}, {}, {}, {}])
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

t.test('bytes are refused, since no client reads them as JSON', async t => {
  for (const bytes of [Buffer.from('a'), new Uint8Array(3), new Uint16Array(1), new ArrayBuffer(1), new Blob(['a'])])
    t.throws(() => json({ a: bytes }), { message: "a is bytes: return them by file(), or as toString('base64')" })
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
    [{ rows: Promise.resolve([]) }, 'rows is a promise: await it'],
    // biome-ignore lint/suspicious/noThenProperty: as query builders have it
    [{ rows: { then() {}, sql: '' } }, 'rows is a promise: await it'],
    [[Object.assign(new Error('x'), { code: 'E' })], '0 is an error: throw it, or return its message'],
    [{ by: /x/ }, 'by is of the class RegExp; JSON would keep nothing of it'],
    [new URLSearchParams('a=1'), 'the value is of the class URLSearchParams; JSON would keep nothing of it'],
    [{ a: [1].values() }, 'a is of the class Array Iterator; JSON would keep nothing of it'],
    [
      new (class Hidden {
        #n = 1
        get n() {
          return this.#n
        }
      })(),
      'the value is of the class Hidden; JSON would keep nothing of it',
    ],
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
