import t from 'tap'
import { isSameJson } from '../../../src/protocol/same-json.ts'

const is = (text: string, value: unknown) => isSameJson(text, value, JSON.stringify(value))

t.test('a text is the JSON of a value however it is spaced and escaped, with its keys in any order', async t => {
  const value = { a: 1, b: [null, true, { c: 'é' }], __: '' }

  t.ok(is(JSON.stringify(value), value))
  t.ok(is(JSON.stringify(value, undefined, 8), value))
  t.ok(is('\n {"__":"", "b":[null,true,{"c":"\\u00e9"}], "a":1.0}', value))
  for (const [text, scalar] of [
    ['1e3', 1000],
    ['"\\u0061"', 'a'],
    [' null', null],
    ['false', false],
  ] as const)
    t.ok(is(text, scalar), text)
})

t.test('a text of another value is not, nor one that is no JSON', async t => {
  for (const text of [
    '{"a":1}',
    '{"a":1,"b":[2]}',
    '{"a":1,"b":[2,3],"c":0}',
    '{"a":1,"b":[3,2]}',
    '{"a":1,"b":{"0":2,"1":3}}',
    '{"a":1,"toString":[2,3]}',
    '[1,[2,3]]',
    '{"a":1,"b":[2,3]',
    'The sum is {"a":1,"b":[2,3]}',
    '',
  ])
    t.notOk(is(text, { a: 1, b: [2, 3] }), text)
  t.notOk(is('"1"', 1))
  t.notOk(is('1', '1'))
  t.notOk(is('{"__proto__":{}}', { a: {} }))
})

t.test('a text that is far longer than the JSON is not parsed', async t => {
  t.notOk(is(`{"a":1${' '.repeat(1000)}}`, { a: 1 }))
  t.notOk(is(`{"a":${'['.repeat(100_000)}`, { a: 1 }))
})
