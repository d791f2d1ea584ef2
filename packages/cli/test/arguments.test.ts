// Words of a command line as arguments of a tool, typed by its schema.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { withLocalReferences } from '../../json-schema/src/local-references.ts'
import { parseArgumentObject, parseArguments, readStdin } from '../src/client/arguments.ts'

const properties = {
  sku: { type: 'string' },
  n: { type: 'integer' },
  price: { type: 'number' },
  on: { type: 'boolean' },
  nothing: { type: 'null' },
  tags: { type: 'array', items: { type: 'string' } },
  sizes: { type: 'array', items: { type: 'integer' } },
  filter: { type: 'object', properties: { price: { type: 'number' }, deep: { $ref: '#/$defs/deep' } } },
  'a.b': { type: 'integer' },
  level: { enum: ['low', 3, null, '4'] },
  fixed: { const: 7 },
  either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  text: { type: ['string', 'integer'] },
  one: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  any: {},
  points: { type: 'array', items: { type: 'object', properties: { x: { type: 'number' } } } },
  map: { type: 'object', additionalProperties: { type: 'integer' } },
}
const schema = {
  type: 'object',
  properties,
  patternProperties: { '^x_': { type: 'number' } },
  if: { properties: { kind: { const: 'n' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { value: { type: 'number' } } },
  else: { properties: { value: { type: 'string' } } },
  $defs: { deep: { type: 'object', properties: { on: { type: 'boolean' } } } },
}

for (const [words, expected] of [
  [['sku=3'], { sku: '3' }],
  [['sku='], { sku: '' }],
  [['sku=a=b'], { sku: 'a=b' }],
  [['sku=@@home'], { sku: '@home' }],
  [['n=3', 'price=-1.5e3', 'on=false', 'nothing=null'], { n: 3, price: -1500, on: false, nothing: null }],
  [['tags=a'], { tags: ['a'] }],
  [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
  [['sizes=1', 'sizes=2'], { sizes: [1, 2] }],
  [['tags=["a","b"]'], { tags: ['a', 'b'] }],
  [['filter.price=3', 'filter.deep.on=true'], { filter: { price: 3, deep: { on: true } } }],
  [['filter={"price":1}'], { filter: { price: 1 } }],
  [['a.b=3'], { 'a.b': 3 }],
  [['level=low'], { level: 'low' }],
  [['level=3'], { level: 3 }],
  [['level=4'], { level: '4' }],
  [['level=null'], { level: null }],
  [['fixed=7'], { fixed: 7 }],
  [['either=7'], { either: 7 }],
  [['either=true'], { either: true }],
  [['text=7'], { text: '7' }],
  [['text:=7'], { text: 7 }],
  [['one=a'], { one: 'a' }],
  [['one=a', 'one=b'], { one: ['a', 'b'] }],
  [['any=7'], { any: 7 }],
  [['any=seven'], { any: 'seven' }],
  [['unknown=7'], { unknown: 7 }],
  [['unknown=7', 'unknown=8'], { unknown: [7, 8] }],
  [['sku:="x"'], { sku: 'x' }],
  [['points.0.x=1', 'points.1.x=2'], { points: [{ x: 1 }, { x: 2 }] }],
  [['map.00=1'], { map: { '00': 1 } }],
  [['map.a=1', 'map.b=2'], { map: { a: 1, b: 2 } }],
  [['map[a.b]=1', 'points[0].x=1', 'tags[]=a'], { map: { 'a.b': 1 }, points: [{ x: 1 }], tags: ['a'] }],
  [['any=9007199254740993'], { any: '9007199254740993' }],
  [['kind=n', 'value=5'], { kind: 'n', value: 5 }],
  [['value=5', 'kind=s'], { value: '5', kind: 's' }],
  [['x_1=5'], { x_1: 5 }],
] as const) {
  t.test(words.join(' '), async t => t.strictSame(parseArguments(words, schema), expected))
}

for (const [words, fault] of [
  [['sku'], '"sku": write arguments as name=value, or name:=JSON'],
  [['n=three'], 'n: expected integer, not "three"'],
  [['n=0x3'], 'n: expected integer, not "0x3"'],
  [['on=yes'], 'on: expected boolean, not "yes"'],
  [['sizes=a'], 'sizes: expected integer[], not "a"'],
  [['filter=a'], /^filter: expected \{ price\?: number, deep\?: \{ on\?: boolean \} \}, not "a"$/],
  [['sku:=x'], /^sku: not valid JSON: /],
  [['sku=@/nowhere/at/all'], /^sku: \/nowhere\/at\/all: ENOENT/],
  [['points.3.x=1'], '3: expected an index from 0 to 0, without gaps'],
  // Of an array `00` would be a name, which JSON leaves out.
  [['points.0.x=1', 'points.00.x=1'], '00: expected an index from 0 to 1, without gaps'],
  [['price=1e400'], 'price: cannot be sent exactly: 1e400 is too large for a number of JSON'],
  [['n=9007199254740993'], 'n: cannot be sent exactly: 9007199254740993 would become 9007199254740992'],
  [['any:=[9007199254740993]'], /^any: cannot be sent exactly: 9007199254740993 would become/],
  [['items[][a]=1'], /^items\[\]\[a\]: has an element without its number/],
  [['sku=a', 'sku=b'], 'sku: is given twice, and takes one value'],
  [['n:=1', 'n:=2'], 'n: is given twice, and takes one value'],
  [['sku=a', 'sku.b=c'], 'sku.b: sku is already "a"'],
  [['filter..c=1'], /names with points/],
  [[`filter.${'a.'.repeat(40)}b=1`], /is deeper than 16 names/],
] as const) {
  t.test(`${words.join(' ').slice(0, 40)} is refused`, async t => {
    t.throws(() => parseArguments(words, schema), { name: 'UsageError', message: fault })
  })
}

t.test('a file is the text of a string, or JSON', async t => {
  const file = join(tempFolder(t, { 'data.json': '{"price":1}' }).path, 'data.json')

  t.strictSame(parseArguments([`filter=@${file}`, `sku=@${file}`, `any:=@${file}`], schema), {
    filter: { price: 1 },
    sku: '{"price":1}',
    any: { price: 1 },
  })
})

t.test('a file that is no text is refused rather than changed; a byte order mark is none of it', async t => {
  const { path } = tempFolder(t, { 'b.json': '\ufeff{"price":1}' })
  const [binary, marked] = [join(path, 'a.png'), join(path, 'b.json')]
  writeFileSync(binary, Buffer.from([0x89, 0x50, 0xff, 0xfe]))

  t.throws(() => parseArguments([`sku=@${binary}`], schema), { message: /is not text in UTF-8/ })
  t.strictSame(parseArguments([`filter=@${marked}`], schema), { filter: { price: 1 } })
  await t.rejects(readStdin(ReadableStream.from([Buffer.from([0xff])])), { message: /^stdin: is not text/ })
})

t.test('words add to an object, and replace its members', async t => {
  const base = { tags: ['z'], filter: { price: 1 }, sku: 'a' }
  const result = parseArguments(['tags=a', 'filter.deep.on=true', 'sku=b'], schema, base)
  t.strictSame(result, { tags: ['a'], filter: { price: 1, deep: { on: true } }, sku: 'b' })
  t.strictSame(base, { tags: ['z'], filter: { price: 1 }, sku: 'a' })
})

t.test('names of members of every object are names like others', async t => {
  const result = parseArguments(['__proto__[polluted]=1', 'constructor=2'], schema)
  t.strictSame(Object.keys(result), ['__proto__', 'constructor'])
  t.equal(Object.getPrototypeOf(result), Object.prototype)
  t.notOk('polluted' in {})
})

t.test('--args and stdin are objects', async t => {
  t.strictSame(parseArgumentObject('--args', '{"a":1}'), { a: 1 })
  for (const text of ['[]', '3', 'null']) t.throws(() => parseArgumentObject('--args', text), /expected a JSON object/)
  t.throws(() => parseArgumentObject('stdin', '{'), /^stdin: not valid JSON/)
  const chunks = (async function* () {
    yield Buffer.from('{"a":')
    yield '1}'
  })()
  t.equal(await readStdin(chunks), '{"a":1}')
  const endless = (async function* () {
    for (;;) yield new Uint8Array(16 * 1024 * 1024)
  })()
  await t.rejects(readStdin(endless), /larger than 64 MiB/)
})

t.test('the types behind the identifiers of another server are read, too', async t => {
  const $defs = { x: { $anchor: 'leaf', type: 'string' } }
  const anchored = { type: 'object', properties: { a: { $ref: '#leaf' } }, $defs }
  const { inputSchema } = withLocalReferences({ inputSchema: anchored })

  t.strictSame(parseArguments(['a=3'], inputSchema), { a: '3' })
  for (const broken of [{ properties: { a: { $ref: 'gone' } } }, { $id: 7, properties: null }])
    t.strictSame(withLocalReferences({ inputSchema: broken, outputSchema: broken }), {
      inputSchema: broken,
      outputSchema: broken,
    })
})

t.test('a schema that refers to itself or is no schema says nothing', async t => {
  const circle = { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }
  t.strictSame(parseArguments(['a=1'], circle), { a: 1 })
  t.strictSame(parseArguments(['a.b=1'], { properties: 3 }), { a: { b: 1 } })
})
