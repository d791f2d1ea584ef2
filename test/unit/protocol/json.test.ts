// Bytes to one JSON value: as JSON.parse reads it, within bounds that hold before anything is built.
import t from 'tap'
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, parseJson } from '../../../src/protocol/json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const PARSE_ERROR = { name: 'McpError', code: -32700 }
const INVALID_REQUEST = { name: 'McpError', code: -32600 }

t.test('what is valid is read as JSON.parse reads it', async t => {
  const texts = [
    '0',
    '"x"',
    'null',
    ' {"a" : [1, 2.5e3, -0, true, false, null] }\n',
    '{"":{"":[[],{}]}}',
    '"[[[{{{,,,:::"',
    '{"a,b:c{[":"\\"\\\\,:{["}',
    '"\\ud83d\\ude00 😀 \\u0041 \\\\ud800"',
    '{"prototype":1,"constructor":"x"}',
    '{"constructor":{"name":"x"}}',
    '{"a":1,"A":2}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}}}',
  ]

  for (const text of texts) t.equal(JSON.stringify(parse(text)), JSON.stringify(JSON.parse(text)), text)
})

t.test('strings may hold what looks like structure, to any number', async t => {
  const text = JSON.stringify({ a: '[{,:"\\'.repeat(50_000) })

  t.strictSame(parse(text), JSON.parse(text))
})

t.test('a value may nest as deep as is said, and no deeper', async t => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

  t.doesNotThrow(() => parse(nested(MAX_JSON_DEPTH)))
  t.doesNotThrow(() => parse(objects(MAX_JSON_DEPTH)))
  t.throws(() => parse(nested(MAX_JSON_DEPTH + 1)), INVALID_REQUEST)
  t.throws(() => parse(objects(MAX_JSON_DEPTH + 1)), INVALID_REQUEST)
  t.doesNotThrow(() => parse(`[${`${nested(3)},`.repeat(100)}0]`), 'side by side is not deep')
})

t.test('elements and keys are counted together', async t => {
  const array = (length: number) => `[${Array(length).fill(0).join()}]`
  const keys = (length: number) => `{${Array.from({ length }, (_, index) => `"${index}":0`).join()}}`

  t.equal((parse(array(MAX_JSON_MEMBERS)) as unknown[]).length, MAX_JSON_MEMBERS)
  t.throws(() => parse(array(MAX_JSON_MEMBERS + 1)), INVALID_REQUEST)
  t.doesNotThrow(() => parse(keys(MAX_JSON_MEMBERS)))
  t.throws(() => parse(keys(MAX_JSON_MEMBERS + 1)), INVALID_REQUEST)
  t.throws(() => parse(`[${array(MAX_JSON_MEMBERS / 2)},${keys(MAX_JSON_MEMBERS / 2)}]`), INVALID_REQUEST)
  t.throws(() => parse(`[${Array(MAX_JSON_MEMBERS).fill('[]').join()}]`), INVALID_REQUEST, 'also empty ones')
})

t.test('a key that comes twice in one object is refused, however it is written', async t => {
  const texts = [
    '{"a":1,"a":1}',
    '[{"b":{"a":1,"c":2,"a":3}}]',
    '{"a":1,"\\u0061":2}',
    '{"":0,"":0}',
    '{"1":0,"\\u0031":0}',
  ]

  for (const text of texts) t.throws(() => parse(text), INVALID_REQUEST, text)
})

t.test('a key that names a prototype is refused', async t => {
  const texts = [
    '{"__proto__":1}',
    '[{"a":{"__proto__":null}}]',
    '{"constructor":{"prototype":{}}}',
    '{"\\u005f_proto__":{}}',
  ]

  for (const text of texts) t.throws(() => parse(text), INVALID_REQUEST, text)
})

t.test('what is not JSON in UTF-8 is a parse error without the text', async t => {
  const texts = [
    '',
    ' ',
    '{',
    '}',
    '[1,]',
    '{"a"}',
    '{a:1}',
    '"',
    '"\\',
    '"\\u12',
    '\ufeff1',
    '1 2',
    'tru',
    '"\n"',
    '\0',
  ]

  for (const text of texts) t.throws(() => parse(text), PARSE_ERROR, JSON.stringify(text))
  for (const bytes of [[0xff], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xf0, 0x9f, 0x22]])
    t.throws(() => parseJson(Buffer.from(bytes)), PARSE_ERROR, bytes.join())
  t.throws(() => parse('hush'), { message: /^(?!.*hush)/ })
})

t.test('closing brackets without opening ones do not make room for more', async t => {
  t.throws(() => parse(`${']'.repeat(1000)}${'['.repeat(1000)}`), { code: /-32[67]00/ })
})

t.test('half of a character is refused, in a value and in a key', async t => {
  const LONE = { ...INVALID_REQUEST, message: /lone surrogate/ }
  const halves = [
    '\\ud800',
    '\\uDBFF',
    '\\udc00',
    '\\uDfFf',
    '\\udc00\\ud800',
    '\\ud83d\\ud83d\\ude00',
    '\\ud83d \\ude00',
  ]

  for (const half of [...halves, '\\ud83d\\\\ude00', '\\ud83d😀', 'a\\ud800b', '\\\\\\ud800']) {
    t.throws(() => parse(`"${half}"`), LONE, half)
    t.throws(() => parse(`[{"a":["${half}"]}]`), LONE, half)
    t.throws(() => parse(`{"a${half}":1}`), LONE, `${half} in a key`)
  }
  t.throws(() => parse('"\\ud800'), PARSE_ERROR, 'of what is no JSON, that is said')
})

t.test('a whole character may be written as its two halves, and a backslash as two', async t => {
  for (const text of [
    '"\\ud83d\\ude00"',
    '"\\uD83D\\uDE00\\uD83D\\uDE00"',
    '"\\ud7ff\\ue000"',
    '"\\\\ud800"',
    '"\\uffff"',
  ])
    t.equal(parse(text), JSON.parse(text), text)
})

t.test('whether there is half of a character is told as the parsed text tells it', async t => {
  const parts = [
    '\\ud83d',
    '\\ude00',
    '\\uDC00',
    '\\uDBff',
    '\\\\',
    'u',
    'd800',
    '\\u0041',
    '\\"',
    'x',
    '😀',
    '\\ud7ff',
  ]
  const tell = (text: string) => {
    try {
      return parse(text) === JSON.parse(text)
    } catch {
      return false
    }
  }

  for (let seed = 0; seed < 20_000; seed++) {
    const text = `"${[7, 97, 1009, 10007].map(step => parts[Math.floor((seed * step) / 13) % parts.length]).join('')}"`
    if (tell(text) !== (JSON.parse(text) as string).isWellFormed()) t.fail(text)
  }
})

t.test('what is only read, such as a claim, may hold half of a character', async t => {
  t.equal(parseJson(Buffer.from('"\\ud800"'), { allowsLoneSurrogates: true }), '\ud800')
})
