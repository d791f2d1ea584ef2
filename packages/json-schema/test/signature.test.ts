// Tools as people read them.
import t from 'tap'
import { firstSentence, formatSignature, formatType, listMarks } from '../src/signature.ts'

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })

for (const [schema, type] of [
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: 'a' }, '"a"'],
  [{ type: 'array', items: { type: 'string' } }, 'string[]'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [{ type: 'array', items: object({ a: {} }, ['a']) }, '{ a: any }[]'],
  [{ prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name]: number }'],
  [{ type: 'object', additionalProperties: false }, '{}'],
  [{ type: 'object' }, 'object'],
  [{ anyOf: [{ type: 'string' }, { type: 'string' }, { type: 'number' }] }, 'string | number'],
  [{ $ref: '#/$defs/A', $defs: { A: { type: 'boolean' } } }, 'boolean'],
  [{ $ref: '#/$defs/none' }, 'none'],
  [{ $ref: '#/%' }, '%'],
  [object({ a: { $ref: '#leaf' } }), '{ a?: #leaf }'],
  [object({ b: {}, 'a b': { type: 'string' } }, ['a b']), '{ "a b": string, b?: any }'],
  [{ allOf: [object({ a: { type: 'string' } }, ['a']), object({ b: {} })] }, '{ a: string, b?: any }'],
  [true, 'any'],
  [false, 'never'],
  [{}, 'any'],
] as const) {
  t.test(`${JSON.stringify(schema)} is ${type}`, async t => t.equal(formatType(schema), type))
}

t.test('a signature: required arguments first, defaults, the result', async t => {
  const inputSchema = object({ limit: { type: 'integer', default: 3 }, sku: { type: 'string' } }, ['sku'])
  const outputSchema = object({ price: { type: 'number' } }, ['price'])

  t.equal(
    formatSignature({ name: 'get_price', inputSchema, outputSchema }),
    'get_price(sku: string, limit?: integer = 3) → { price: number }',
  )
  t.equal(formatSignature({ name: 'ping', inputSchema: { type: 'object' } }), 'ping()')
  t.equal(formatSignature({ name: 'broken', inputSchema: 5 }), 'broken()')
})

t.test('a schema that refers to itself ends, as do deep and wide ones', async t => {
  const tree = { $ref: '#/$defs/N', $defs: { N: object({ next: { $ref: '#/$defs/N' } }) } }
  t.equal(formatType(tree), '{ next?: N }')
  const circle = { $ref: '#', properties: { a: { type: 'string' } } }
  t.match(formatType(circle), /a\?: string|any/)
  const loop = { allOf: [{ $ref: '#' }], properties: { a: { type: 'string' } } }
  t.match(formatType(loop), 'a?: string')
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 50; depth++) deep = object({ a: deep })
  t.ok(formatType(deep).length < 100)
  const $defs: Record<string, object> = { D40: { type: 'string' } }
  for (let n = 0; n < 40; n++) {
    const next = { $ref: `#/$defs/D${n + 1}` }
    $defs[`D${n}`] = { anyOf: [next, { type: 'array', items: next }], allOf: [next, next] }
  }
  t.match(formatType({ $ref: '#/$defs/D0', $defs }), '…')
  t.ok(formatType({ allOf: [{ $ref: '#/$defs/D0' }], properties: { a: { $ref: '#/$defs/D0' } }, $defs }))
  const wide = object(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, {}])))
  t.ok(formatType(wide).length < 600)
  const long = { enum: Array.from({ length: 500 }, (_, index) => `v${index}`) }
  t.match(formatType(long), / \| …$/)
})

for (const [text, sentence] of [
  ['Finds a price. Then more.', 'Finds a price.'],
  ['Reads a file, e.g. of a user. More.', 'Reads a file, e.g. of a user.'],
  ['No end', 'No end'],
  ['Two\nlines\n\nand a paragraph', 'Two lines'],
  ['Version 1.2 is read! Yes.', 'Version 1.2 is read!'],
  [undefined, ''],
] as const) {
  t.test(`the first sentence of ${JSON.stringify(text)}`, async t => t.equal(firstSentence(text), sentence))
}

t.test('a sentence without an end is cut', async t => t.equal(firstSentence('a'.repeat(1000)).length, 160))

t.test('marks say what a caller should know', async t => {
  const marks = (annotations: object, execution = {}) =>
    listMarks({ name: 'a', annotations: { ...annotations }, execution })
  t.strictSame(marks({ readOnlyHint: true, destructiveHint: true }), ['read-only'])
  t.strictSame(marks({ destructiveHint: true, openWorldHint: true }), ['destructive', 'open-world'])
  t.strictSame(marks({ idempotentHint: true }, { taskSupport: 'required' }), ['idempotent', 'task'])
  t.strictSame(listMarks({ name: 'a' }), [])
})
