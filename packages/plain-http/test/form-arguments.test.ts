// What a form means, by the schema of the tool.
import t from 'tap'
import type { McpError } from '../../../src/protocol/errors.ts'
import { MAX_NAME_DEPTH } from '../../json-schema/src/part-name.ts'
import { MAX_FIELDS, readEncoded, readParts } from '../src/form.ts'
import { toArguments } from '../src/form-arguments.ts'

const parseForm = (body: Buffer, schema: unknown) => toArguments(readEncoded(body), schema)

const parse = (body: string, properties?: Record<string, unknown>, more: object = {}) =>
  parseForm(Buffer.from(body), properties && { type: 'object', properties, ...more })

const refusal = (body: string | Buffer, schema?: unknown) => {
  try {
    parseForm(Buffer.from(body as string), schema)
  } catch (error) {
    return (error as McpError).reason
  }
  return undefined
}

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }

t.test('the schema says which texts are numbers, booleans and null', async t => {
  const cases: [body: string, schema: unknown, value: unknown][] = [
    ['a=2', NUMBER, 2],
    ['a=-2.5e1', NUMBER, -25],
    ['a=2', { type: 'integer' }, 2],
    ['a=2', TEXT, '2'],
    ['a=true', { type: 'boolean' }, true],
    ['a=false', { type: 'boolean' }, false],
    ['a=true', TEXT, 'true'],
    ['a=null', { type: ['string', 'null'] }, 'null'],
    ['a=null', { type: ['number', 'null'] }, null],
    ['a=null', TEXT, 'null'],
    ['a=', TEXT, ''],
    ['a=5', { type: ['string', 'number'] }, '5'],
    ['a=5', { enum: ['5', '6'] }, '5'],
    ['a=5', { enum: [5, 6] }, 5],
    ['a=5', { const: 5 }, 5],
    ['a=5', { anyOf: [NUMBER, { type: 'null' }] }, 5],
    ['a=x+y%26z', TEXT, 'x y&z'],
    ['a=J%C3%BCrgen', TEXT, 'Jürgen'],
    ['a=Jürgen', TEXT, 'Jürgen'],
  ]
  for (const [body, schema, a] of cases)
    t.strictSame(parse(body, { a: schema }), { a }, `${body} ${JSON.stringify(schema)}`)
})

t.test('a fault names its place in the arguments', async t => {
  const a = { type: 'object', properties: { 'b/c': NUMBER } }
  const cases: [body: string, pointer: string][] = [
    ['a[b/c]=1&a[b/c]=2', '#/a/b~1c'],
    ['a.b/c=1e400', '#/a/b~1c'],
    ['a.x=1&a.x.y=2', '#/a/x'],
    ['list[3]=1&list[3]=2', '#/list/3'],
  ]
  for (const [body, pointer] of cases) {
    const errors = [{ pointer }]
    t.throws(
      () => parse(body, { a, list: { type: 'array', items: NUMBER } }),
      { data: { errors } } as unknown as Error,
      body,
    )
  }
})

t.test('a replacement character that the client wrote is a text', async t => {
  const body = ['--b', 'Content-Disposition: form-data; name="a"', '', '\uFFFD', '--b--', ''].join('\r\n')
  const type = 'multipart/form-data; boundary=b'
  t.strictSame(await readParts(Buffer.from(body), type), [{ name: 'a', value: '\uFFFD' }])
})

t.test('what does not fit stays a text, so that the schema refuses it', async t => {
  for (const text of ['x', '0x10', '1_000', '01', '+1', 'NaN', 'Infinity', ' 1', '']) {
    t.strictSame(parse(`a=${encodeURIComponent(text)}`, { a: NUMBER }), { a: text }, text)
  }
  t.strictSame(parse('a=TRUE', { a: { type: 'boolean' } }), { a: 'TRUE' })
})

t.test('a list is its field again and again, or JSON', async t => {
  const a = { type: 'array', items: NUMBER }

  t.strictSame(parse('a=1', { a }), { a: [1] })
  t.strictSame(parse('a=1&a=2', { a }), { a: [1, 2] })
  t.strictSame(parse('a[]=1&a[]=2', { a }), { a: [1, 2] })
  t.strictSame(parse('a[0]=1&a[1]=2', { a }), { a: [1, 2] })
  t.strictSame(parse('a=[1,2]', { a }), { a: [1, 2] })
  t.strictSame(parse('a=[1', { a }), { a: ['[1'] })
  t.strictSame(parse('a=1&a=x', { a: { type: 'array', prefixItems: [NUMBER, TEXT] } }), { a: [1, 'x'] })
  t.strictSame(parse('a[1][n]=2&a[0][n]=1', { a: { type: 'array', items: { properties: { n: NUMBER } } } }), {
    a: [{ n: 1 }, { n: 2 }],
  })
})

t.test('brackets at the end make a list of a field whose type is not known', async t => {
  t.strictSame(parse('a[]=1', { a: {} }), { a: [1] })
  t.strictSame(parse('a[]=1'), { a: [1] })
  t.strictSame(parse('a[]=1', { a: TEXT }), { a: '1' })
})

t.test('a field with a fixed value says which branch of a union the others belong to', async t => {
  const branch = (kind: unknown, v: unknown) => ({ type: 'object', properties: { kind: { const: kind }, v } })
  const oneOf = [branch('text', TEXT), branch('number', NUMBER), { $ref: '#/$defs/Flag' }]
  const $defs = { Flag: branch(3, { type: 'boolean' }) }
  const inField = (form: string) => parse(form, { a: { oneOf } }, { $defs })['a']
  const atRoot = (form: string) => parseForm(Buffer.from(form), { type: 'object', oneOf, $defs })

  for (const [kind, text, v] of [
    ['text', '5', '5'],
    ['number', '5', 5],
    ['text', 'true', 'true'],
    ['3', 'true', true],
  ] as const) {
    const value = { kind: kind === '3' ? 3 : kind, v }
    t.strictSame(inField(`a[kind]=${kind}&a[v]=${text}`), value)
    t.strictSame(atRoot(`kind=${kind}&v=${text}`), value)
  }
  t.strictSame(inField('a[kind]=other&a[v]=5'), { kind: 'other', v: '5' }, 'no branch: as if the field were not there')
  const more = { properties: { mode: { enum: ['a', 'b'] }, sku: TEXT } }
  t.strictSame(parseForm(Buffer.from('mode=c&sku=5'), more), { mode: 'c', sku: '5' })
})

t.test('a field that is no list comes once', async t => {
  t.equal(refusal('a=1&a=2', { properties: { a: NUMBER } }), 'INVALID_ARGUMENTS')
  t.strictSame(parse('a=1&a=2'), { a: [1, 2] })
})

t.test('a number that JSON would round is refused, or stays a text where the schema takes one', async t => {
  for (const text of ['9007199254740993', '1e999', '3.14159265358979323846', '[9007199254740993]']) {
    const properties = { a: text.startsWith('[') ? { type: 'array' } : NUMBER }
    t.equal(refusal(`a=${text}`, { properties }), 'INVALID_ARGUMENTS', text)
    t.strictSame(parse(`a=${text}`), { a: text }, text)
  }
  t.strictSame(parse('a=9007199254740993', { a: { type: ['string', 'integer'] } }), { a: '9007199254740993' })
  t.strictSame(parse('a=1.0&b=10e2&c=9007199254740992', { a: NUMBER, b: NUMBER, c: NUMBER }), {
    a: 1,
    b: 1000,
    c: 2 ** 53,
  })
})

t.test('conditions, patterns of names and references say which type a text has', async t => {
  const $defs = { name: { type: ['string', 'number'] } }
  const schema = {
    properties: { kind: { enum: ['n', 's'] }, deep: { type: 'object', patternProperties: { '^n_': NUMBER } } },
    patternProperties: { '^flag_': { type: 'boolean' }, '^t_': { $ref: '#/$defs/name' } },
    if: { properties: { kind: { const: 'n' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { value: NUMBER } },
    else: { properties: { value: TEXT } },
    $defs,
  }
  const form = (body: string) => parseForm(Buffer.from(body), schema)

  t.strictSame(form('flag_a=true&t_a=5&deep.n_x=5&deep[n_y]=6'), { flag_a: true, t_a: '5', deep: { n_x: 5, n_y: 6 } })
  t.strictSame(form('kind=n&value=5'), { kind: 'n', value: 5 })
  t.strictSame(form('value=5&kind=s'), { value: '5', kind: 's' })
  t.strictSame(parse('a=5', { a: { allOf: [{ type: ['string', 'number'] }, { type: 'number' }] } }), { a: 5 })
})

t.test('an object has members in brackets or behind dots, or is JSON', async t => {
  const filter = { type: 'object', properties: { price: NUMBER, range: { properties: { max: NUMBER } } } }
  const nested = { filter: { price: 3, range: { max: 5 } } }

  t.strictSame(parse('filter[price]=3&filter[range][max]=5', { filter }), nested)
  t.strictSame(parse('filter.price=3&filter.range.max=5', { filter }), nested)
  t.strictSame(parse(`filter=${encodeURIComponent(JSON.stringify(nested.filter))}`, { filter }), nested)
  t.strictSame(parse('filter={x', { filter }), { filter: '{x' })
})

t.test('points and brackets mix, and an element of a list needs its number or comes last', async t => {
  const item = { type: 'object', properties: { sku: TEXT, 'a.b': NUMBER } }
  const properties = {
    filter: { type: 'object', properties: { tags: { type: 'array' } } },
    items: { type: 'array', items: item },
  }

  t.strictSame(parse('filter.tags[]=a', properties), { filter: { tags: ['a'] } })
  t.strictSame(parse('filter[tags][]=a&filter.tags[]=b', properties), { filter: { tags: ['a', 'b'] } })
  t.strictSame(parse('items[0].sku=a&items.0.a.b=2', properties), { items: [{ sku: 'a', 'a.b': 2 }] })
  t.equal(refusal('items[][sku]=a', { properties }), 'INVALID_REQUEST')
  t.strictSame(parse('a[=1&b]=2'), { 'a[': 1, 'b]': 2 })
})

t.test('a name that the schema has is that name, whatever is in it', async t => {
  t.strictSame(parse('a.b=1&c[d]=2', { 'a.b': NUMBER, 'c[d]': NUMBER }), { 'a.b': 1, 'c[d]': 2 })
  t.strictSame(parse('x.y=1', { a: NUMBER }), { 'x.y': 1 })
})

t.test('references, recursion and additional properties are followed', async t => {
  const node = { type: 'object', properties: { n: { $ref: '#/$defs/n' }, next: { $ref: '#/$defs/node' } } }
  const schema = { ...node, $defs: { n: NUMBER, node }, additionalProperties: { type: 'boolean' } }
  const form = (body: string) => parseForm(Buffer.from(body), schema)

  t.strictSame(form('next[next][n]=1'), { next: { next: { n: 1 } } })
  t.strictSame(form('other=true'), { other: true })
  const loop = { properties: { a: { $ref: '#/properties/a' }, b: { $ref: '#' }, c: { $ref: '#/nowhere' } } }
  t.strictSame(parseForm(Buffer.from('a=1&b[a]=2&c=3'), loop), { a: 1, b: { a: 2 }, c: 3 })
})

t.test('without a schema a text is what it looks like', async t => {
  t.strictSame(parseForm(Buffer.from('a=1&b=x&c=true&d={"e":1}'), undefined), { a: 1, b: 'x', c: true, d: { e: 1 } })
})

t.test('a form that cannot be read is refused', async t => {
  t.equal(refusal('a=%zz'), 'PARSE_ERROR')
  t.equal(refusal('a=50%'), 'PARSE_ERROR')
  t.equal(refusal('a=%ff'), 'PARSE_ERROR')
  t.equal(refusal(Buffer.from([0x61, 0x3d, 0xff])), 'PARSE_ERROR')
  t.equal(refusal('a=1&a[b]=2'), 'INVALID_ARGUMENTS')
  t.equal(refusal('a[b]=2&a=1'), 'INVALID_ARGUMENTS')
})

t.test('fields and their depth are bounded', async t => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=1`).join('&')
  t.equal(refusal(fields(MAX_FIELDS)), undefined)
  t.equal(refusal(fields(MAX_FIELDS + 1)), 'INVALID_REQUEST')
  const deep = (depth: number) => `a${'[b]'.repeat(depth - 1)}=1`
  t.equal(refusal(deep(MAX_NAME_DEPTH)), undefined)
  t.equal(refusal(deep(MAX_NAME_DEPTH + 1)), 'INVALID_REQUEST')
  t.equal(refusal(`a=${'['.repeat(65)}`), 'INVALID_REQUEST')
})

t.test('no field reaches a prototype', async t => {
  for (const body of ['__proto__=1', 'a[__proto__]=1', '__proto__[polluted]=1', 'a={"__proto__":1}'])
    t.equal(refusal(body), 'INVALID_REQUEST', body)
  const parsed = parseForm(Buffer.from('constructor=1&toString=2&a[constructor][prototype]=3'), { type: 'object' })
  t.ok(Object.hasOwn(parsed, 'constructor') && Object.hasOwn(parsed, 'toString'))
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})
