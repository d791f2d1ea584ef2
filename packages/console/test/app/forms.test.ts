// What a form sends and what it says: nothing that nobody chose, and nothing that is not as it was written.
import fc from 'fast-check'
import t from 'tap'
import { createFillDefaults } from '../../../../src/registry/defaults.ts'
import { isExact, parseNumber } from '../../../json-schema/src/exact-number.ts'
import type { JsonObject } from '../../app/src/client/json-rpc.ts'
import { fillDefaults } from '../../app/src/form/fill-defaults.ts'
import { describeIssue } from '../../app/src/form/issue-words.ts'
import { type Chosen, findIssues, type Issues, toPointer } from '../../app/src/form/issues.ts'
import { formatJson, parseArguments, parseJson } from '../../app/src/form/json-text.ts'
import { createArguments, createInitialData, createModel } from '../../app/src/form/model.ts'
import { findChoices, resolveNode, splitNull } from '../../app/src/form/schema.ts'
import { createShape, findShape, findShapes, joinShape, keepShared } from '../../app/src/form/shapes.ts'
import { describeType } from '../../app/src/form/words.ts'
import { formatZoned, isDate, listZones, parseZoned } from '../../app/src/form/zoned-time.ts'
import { findExample } from '../../app/src/tools/example.ts'

t.test('JSON of arguments: written, read, and refused in words', async t => {
  t.equal(formatJson({ a: 1 }), '{\n  "a": 1\n}')
  t.strictSame(parseArguments('{"a":[1]}'), { value: { a: [1] } })
  t.strictSame(parseArguments('  '), { value: {} })
  for (const text of ['[1]', '1', 'null', '"a"']) t.match(parseArguments(text), { fault: /JSON object/ }, text)
  t.strictSame(parseJson('{"a": "\\ud800", "b": 1.0, "c": 1e2}'), { value: { a: '\ud800', b: 1, c: 100 } })
})

t.test('what is not JSON yet says where, or what is missing', async t => {
  const faults: [string, RegExp][] = [
    ['{', /^Not yet JSON: } is missing at the end$/],
    ['{ "ratio": [16, 9] ', /^Not yet JSON: } is missing at the end$/],
    ['{ "ratio": [16, 9', /^Not yet JSON: \]} is missing at the end$/],
    ['{"a": "b', /^Not yet JSON: " is missing at the end$/],
    ['{\n  "a": 1,\n}', /^Not JSON at line 3, column 1$/],
    ['{"a": tru}', /^Not JSON at line 1, column \d+$/],
    ['{"a": 01}', /^Not JSON at line 1, column \d+$/],
    ["{'a': 1}", /^Not JSON at line 1, column 2$/],
    ['{"a": 1} // why', /^Not JSON/],
    ['{"a": NaN}', /^Not JSON/],
    ['['.repeat(100_000), /^Not/],
  ]
  for (const [text, fault] of faults) t.match(parseJson(text), { fault }, text.slice(0, 40))
})

t.test('what JSON would round or lose is refused, with its place', async t => {
  const faults: [string, RegExp][] = [
    ['{"id": 12345678901234567890}', /^Line 1, column 8: 12345678901234567890 would be sent as 12345678901234567000/],
    ['{\n"a": [0, 1e400]}', /^Line 2, column 10: 1e400 is too large a number to be sent. As text, "1e400", it can be$/],
    ['{"a": -1e400}', /too large/],
    ['{"a": 1e-400}', /would be sent as 0/],
    ['{"a": 0.1000000000000000055511151231257827}', /would be sent as 0.1/],
    ['{"a": 1, "b": 2, "a": 3}', /^Line 1, column 1: "a" stands twice in this object$/],
    ['{"x": {"a": 1, "\\u0061": 3}}', /"a" stands twice/],
    ['{"__proto__": 1, "__proto__": 3}', /"__proto__" stands twice/],
  ]
  for (const [text, fault] of faults) t.match(parseJson(text), { fault }, text)
  t.equal(Object.keys((parseJson('{"__proto__": {"a": 1}}') as { value: object }).value).join(), '__proto__')
})

t.test('a number is exact if it is sent with the value that is written', async t => {
  for (const text of [
    '0',
    '-0',
    '0.10',
    '1.0',
    '1e2',
    '100',
    '9007199254740992',
    '1e21',
    '5e-324',
    '-2.5E+3',
    '1000000000000000000000',
  ])
    t.ok(isExact(text), text)
  for (const text of ['9007199254740993', '1e309', '0.1234567890123456789', '123456789.123456789123'])
    t.notOk(isExact(text), text)
  t.equal(parseNumber('12'), 12)
  for (const text of ['', '12.', '0x10', '1_000', 'hundred', '01', '+1', 'Infinity', '1e400'])
    t.equal(parseNumber(text), undefined, text)
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => isExact(JSON.stringify(value))))
})

t.test('nothing is sent that nobody chose', async t => {
  const card = {
    type: 'object',
    properties: { kind: { const: 'card' }, number: { type: 'string' } },
    required: ['kind'],
  }
  const cases: [string, object][] = [
    ['an optional constant', { const: 'a' }],
    ['an optional enumeration of one', { enum: ['a'] }],
    ['a union of constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }],
    ['a first branch', { anyOf: [card, { type: 'string' }] }],
    ['a default', { type: 'integer', default: 3 }],
    ['a default of an object', { type: 'object', default: { a: 1 }, properties: { a: { type: 'integer' } } }],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }],
    ['a list with minItems', { type: 'array', items: { type: 'string' }, minItems: 2 }],
    ['an object with constants', card],
    ['a boolean', { type: 'boolean' }],
    ['null', { type: 'null' }],
    ['behind a reference', { $ref: '#/$defs/card' }],
  ]
  for (const [name, member] of cases) {
    const schema = { type: 'object', properties: { member }, $defs: { card } }
    t.strictSame(createArguments(schema), {}, name)
    t.strictSame(faultsOf(schema, {}), {}, `${name}: absent is valid`)
  }
})

t.test('required constants are sent, and the required objects around them', async t => {
  const schema = {
    type: 'object',
    properties: {
      version: { const: 2 },
      only: { enum: ['a'] },
      text: { type: 'string' },
      list: { type: 'array' },
      filter: {
        type: 'object',
        properties: { min: { type: 'number', default: 3 }, kind: { const: 'x' } },
        required: ['kind'],
      },
      referred: { $ref: '#/$defs/kind' },
      shape: { oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] },
    },
    required: ['version', 'only', 'text', 'list', 'filter', 'referred', 'shape'],
    $defs: { kind: { const: 'k' } },
  }
  t.strictSame(createArguments(schema), { version: 2, only: 'a', filter: { kind: 'x' }, referred: 'k' })
  const parts = [
    { properties: { a: { const: 1 } }, required: ['a'] },
    { properties: { b: { const: 2 } }, required: ['b'] },
  ]
  t.strictSame(createArguments({ allOf: parts }), { a: 1, b: 2 })
})

t.test('a required member with a default may be left out: the server fills it in', async t => {
  const schema = { type: 'object', properties: { count: { type: 'integer', default: 3 } }, required: ['count'] }
  t.strictSame(createArguments(schema), {})
  t.strictSame(faultsOf(schema, {}), {})
  const shapes = { properties: { a: { oneOf: [{ ...schema, title: 'A' }, { type: 'string' }] } } }
  t.strictSame(Object.keys(faultsOf(shapes, { a: {} })), ['a.count'], 'it fills in nothing behind alternatives')
})

t.test('what the server takes once it has filled in defaults, the form takes, too', async t => {
  const number = { type: 'number', default: 1 }
  const schemas: Record<string, object> = {
    'required in allOf': { properties: { b: number }, allOf: [{ required: ['b'] }] },
    'its default in allOf': { required: ['b'], allOf: [{ properties: { b: number } }] },
    // biome-ignore lint/suspicious/noThenProperty: of JSON Schema
    'required by a condition': { properties: { b: number }, if: {}, then: { required: ['b'] } },
    'a number of members': { properties: { b: number }, minProperties: 1 },
    'one of several members': { properties: { a: {}, b: number }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  }
  for (const [name, schema] of Object.entries(schemas)) {
    t.strictSame(faultsOf({ type: 'object', ...schema }, {}), {}, name)
  }
  t.strictSame(Object.keys(faultsOf({ type: 'object', properties: { a: number }, allOf: [{ required: ['b'] }] }, {})), [
    'b',
  ])
})

t.test('defaults are those that the server fills in', async t => {
  const object = { default: { a: {} }, properties: { a: { properties: { b: { default: 2 } } } } }
  const schemas: object[] = [
    { properties: { a: { default: 1 }, b: object } },
    { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { default: 5 } } },
    { $ref: '#/$defs/x', $defs: { x: object } },
    { additionalProperties: object, patternProperties: { '^d': { properties: { e: { default: 3 } } } } },
    { properties: { a: { prefixItems: [object], items: { allOf: [object] } } } },
    { properties: { a: { items: [object], additionalItems: { properties: { f: { default: 4 } } } } } },
    { anyOf: [{ properties: { a: { default: 3 } } }], if: {}, else: { properties: { a: { default: 3 } } } },
    { properties: { next: { $ref: '#', default: {} }, a: { default: 1 } } },
    // Each part twice, 40 times: read once.
    { $ref: '#/$defs/d0', $defs: { ...double(40), d40: { properties: { a: { default: 1 } } } } },
    { allOf: [{ $ref: '#' }, { properties: { a: { default: 1 } } }] },
  ]
  const values = [{}, { a: {} }, { a: [{}, {}], d: {} }, { b: { a: 1 }, next: {} }, { a: null, c: 'text' }]
  for (const schema of schemas) {
    for (const value of values) {
      const byServer = createFillDefaults(schema as JsonObject)?.(value) ?? value
      t.strictSame(fillDefaults(value, createModel(schema).document), byServer, JSON.stringify([schema, value]))
    }
  }
})

t.test('the untouched form of any schema sends constants only', async () => {
  const leaf = fc.constantFrom(
    { type: 'string', default: 'a' },
    { type: 'integer', minimum: 1, default: 1 },
    { type: 'boolean', default: true },
    { enum: ['a', 'b'] },
    { const: 'constant' },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    { type: 'array', prefixItems: [{ const: 'constant' }] },
    { $ref: '#' },
    true,
  )
  const { node } = fc.letrec(tie => ({
    node: fc.oneof({ depthSize: 'small' }, leaf, tie('object'), tie('union')),
    object: fc
      .dictionary(fc.string({ maxLength: 5 }), tie('node'), { maxKeys: 4 })
      .chain(properties =>
        fc.subarray(Object.keys(properties)).map(required => ({ type: 'object', properties, required })),
      ),
    union: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map(oneOf => ({ oneOf })),
  }))
  fc.assert(
    fc.property(node, schema => {
      const leaves = listLeaves(
        createArguments({ type: 'object', properties: { member: schema }, required: ['member'] }),
      )
      return leaves.every(value => value === 'constant')
    }),
  )
})

function listLeaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listLeaves) : [value]
}

t.test('an answer has the defaults, and no choice of titled constants', async t => {
  const schema = {
    type: 'object',
    properties: {
      title: { type: 'string', default: 'Stand-up' },
      tell: { type: 'boolean', default: false },
      action: {
        oneOf: [
          { const: 'a', title: 'Replace it' },
          { const: 'b', title: 'Keep both' },
        ],
      },
      note: { type: 'string' },
    },
    required: ['action'],
  }
  t.strictSame(createInitialData(schema), { title: 'Stand-up', tell: false })
})

t.test('one value is not chosen for who answers, and what is left out is missing, whatever its default', async t => {
  const schema = {
    type: 'object',
    properties: { terms: { type: 'string', enum: ['agree'] }, size: { type: 'integer', default: 2 } },
    required: ['terms', 'size'],
  }
  t.strictSame(createInitialData(schema), { size: 2 })
  const { judge, document } = createModel(schema, true)
  t.strictSame([...findIssues(judge, document, {}, new Map())!.keys()], ['/terms', '/size'])
})

t.test('names of values stay theirs where some of the values are left out', async t => {
  const choices = (schema: object) => {
    const { document } = createModel(schema)
    return findChoices(splitNull(resolveNode(schema, undefined, document), document).node, document)
  }
  const names = ['None', 'Small', 'Large']
  const expected = [
    { value: 's', label: 'Small' },
    { value: 'l', label: 'Large' },
  ]
  t.strictSame(choices({ type: ['string', 'null'], enum: [null, 's', 'l'], enumNames: names }), expected)
  t.strictSame(choices({ allOf: [{ enum: ['n', 's', 'l'], enumNames: names }, { enum: ['l', 's'] }] }), expected)
  t.strictSame(
    choices({ enum: ['l', 's'], allOf: [{ enum: ['n', 's', 'l'], enumNames: names }] }),
    expected.toReversed(),
  )
  t.strictSame(choices({ enumNames: names.slice(1), allOf: [{ enum: ['s', 'l'] }] }), expected)
})

t.test('a shape that is chosen has its constant, also where the schema does not ask for it', async t => {
  const animal = (kind: string) => ({
    type: 'object',
    properties: { kind: { type: 'string', const: kind, default: kind }, name: { type: 'string' } },
    required: ['name'],
  })
  const schema = { oneOf: [animal('cat'), animal('dog')] }
  const { document } = createModel(schema)
  const shapes = findShapes(resolveNode(schema, undefined, document), document)!
  const joined = joinShape(shapes, shapes.shapes[1]!, undefined, document)
  const made = createShape(shapes, joined, document)
  t.strictSame(made, { kind: 'dog' })
  t.strictSame(keepShared({ kind: 'cat', name: 'Rex' }, made, joined, document), { kind: 'dog', name: 'Rex' })
})

/** What does not fit, in words, by the place. */
function faultsOf(schema: object, value: unknown, chosen: Chosen = new Map()): Record<string, string> {
  const { judge, document } = createModel(schema)
  const issues = findIssues(judge, document, value, chosen) as Issues
  return Object.fromEntries(
    [...issues.values()].map(issue => {
      const [at, node] = issue.path.reduce<[unknown, object]>(
        ([inner, around], name) => [
          (inner as Record<string, unknown>)?.[name],
          resolveNode(
            (around as { properties?: Record<string, object> }).properties?.[name] ?? true,
            undefined,
            document,
          ),
        ],
        [value, resolveNode(schema, value, document)],
      )
      return [issue.path.join('.'), describeIssue(issue, at, node as never, document)]
    }),
  )
}

t.test('errors say what fits', async t => {
  const cases: [object, unknown, string][] = [
    [{ type: 'integer' }, 'hundred', 'A whole number, such as 100'],
    [
      { type: 'number' },
      '12345678901234567890',
      '12345678901234567890 would be sent as 12345678901234567000. As text, "12345678901234567890", it keeps its digits',
    ],
    [{ type: ['string', 'null'] }, 1, 'Text or null'],
    [{ minimum: 100 }, 20, 'At least 100'],
    [{ exclusiveMinimum: 0 }, 0, 'More than 0'],
    [{ multipleOf: 5 }, 3, 'A multiple of 5'],
    [{ minLength: 3 }, 'X', 'At least 3 characters, these are 1'],
    [{ maxLength: 1 }, '🙂🙂', 'At most 1 character, these are 2'],
    [{ pattern: '^a$' }, 'b', 'As the pattern says: ^a$'],
    [{ format: 'email' }, 'b', 'An address, such as ada@example.org'],
    [{ enum: ['a', 'b'] }, 'c', 'One of: a, b'],
    [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'c', 'Choose a shape that fits'],
    [{ type: 'array', minItems: 2 }, [], 'At least 2 items'],
    [{ type: 'array', uniqueItems: true }, [1, 1], 'Each item once only'],
    [{ not: {} }, 1, 'The tool rules this out'],
  ]
  for (const [member, value, words] of cases)
    t.strictSame(faultsOf({ properties: { member } }, { member: value }), { member: words }, words)
})

t.test('what is missing is asked for where it is missing', async t => {
  const schema = {
    properties: {
      month: { type: 'string', format: 'date' },
      text: { type: 'string' },
      order: { enum: ['a', 'b'] },
      filter: { type: 'object', properties: { min: { type: 'number' } }, required: ['min'] },
      a: { type: 'string' },
      b: { type: 'string' },
    },
    required: ['month', 'text', 'order', 'filter'],
    dependentRequired: { a: ['b'] },
    additionalProperties: false,
  }
  t.strictSame(faultsOf(schema, { filter: {}, a: '', other: 1 }), {
    month: 'Choose a date',
    text: 'Fill this in',
    order: 'Choose one',
    'filter.min': 'A number, such as 100',
    b: 'Fill this in',
    other: 'The tool does not know this: leave it out',
  })
  t.strictSame(faultsOf({ anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] }, {}), { '': 'Needs a, or b and c' })
})

const send = {
  oneOf: [
    {
      type: 'object',
      properties: { kind: { const: 'mail' }, to: { type: 'string' }, text: { type: 'string' } },
      required: ['kind', 'to'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { kind: { const: 'sms' }, number: { type: 'string', minLength: 3 }, text: { type: 'string' } },
      required: ['kind', 'number'],
      additionalProperties: false,
    },
  ],
}

t.test('of several shapes only the chosen one says what is wrong', async t => {
  const schema = { properties: { send } }
  t.strictSame(Object.keys(faultsOf(schema, { send: { kind: 'sms', number: '1', text: '' } })), ['send.number'])
  t.strictSame(Object.keys(faultsOf(schema, { send: { kind: 'mail', number: '1' } })), ['send.to', 'send.number'])
  const chosen = new Map([['/send', [send.oneOf[1]]]])
  t.strictSame(Object.keys(faultsOf(schema, { send: { text: '' } }, chosen)), ['send.kind', 'send.number'])
  const optional = { properties: { a: { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] } } }
  t.strictSame(faultsOf(optional, { a: 1 }), { a: 'At least 3' })
})

t.test('shapes are named by title, by constant, by reference, by type, by number', async t => {
  const labels = (schema: object, root: object = schema) => {
    const { document } = createModel(root)
    return findShapes(resolveNode(schema, undefined, document), document)?.shapes.map(({ label }) => label)
  }
  t.strictSame(labels(send), ['mail', 'sms'])
  t.strictSame(
    labels({
      anyOf: [
        { title: 'A day', type: 'string' },
        { title: 'A span', type: 'object' },
      ],
    }),
    ['A day', 'A span'],
  )
  const root = { $defs: { Cat: { type: 'object' }, Dog: { type: 'object' } } }
  t.strictSame(labels({ anyOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }] }, root), ['Cat', 'Dog'])
  t.strictSame(labels({ type: ['number', 'string'] }), ['number', 'text'])
  t.strictSame(
    labels({
      oneOf: [
        { type: 'string', minLength: 3 },
        { type: 'string', format: 'date' },
      ],
    }),
    ['Shape 1', 'Shape 2'],
  )
  t.equal(labels({ oneOf: [{ const: 'a' }, { const: 'b' }] }), undefined, 'constants are a choice')
  t.equal(labels({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }), undefined, 'rules are no shapes')
})

t.test('a value has the shape that it looks like; a text stays a text', async t => {
  const { document } = createModel(true)
  const find = (schema: object, value: unknown) => findShape(findShapes(schema as never, document)!, value, document)
  t.equal(find(send, { kind: 'sms' }), 1)
  t.equal(find(send, { number: '1' }), undefined, 'the constant decides')
  t.equal(find(send, undefined), undefined, 'none is chosen at first')
  t.equal(find({ type: ['number', 'string'] }, '7'), 1)
  t.equal(find({ type: ['number', 'string'] }, 7), 0)
})

t.test('what two shapes share stays when the shape changes', async t => {
  const { document } = createModel(send)
  const shapes = findShapes(send as never, document)!
  const sms = joinShape(shapes, shapes.shapes[1]!, undefined, document)
  t.strictSame(keepShared({ kind: 'mail', to: 'ada', text: 'Hi' }, { kind: 'sms' }, sms, document), {
    kind: 'sms',
    text: 'Hi',
  })
})

t.test('null is a value of its own', async t => {
  const { document } = createModel(true)
  const split = (schema: object) => splitNull(schema as never, document)
  t.strictSame(split({ type: ['string', 'null'] }), { node: { type: 'string' }, isNullable: true })
  t.strictSame(split({ anyOf: [{ type: 'string' }, { type: 'null' }] }), { node: { type: 'string' }, isNullable: true })
  t.strictSame(split({ type: 'string' }).isNullable, false)
  t.equal(describeType({ type: ['string', 'null'] }, document), 'text or null')
})

t.test('conditions and dependencies hold for the value that is there', async t => {
  const schema = {
    properties: { kind: { type: 'string' } },
    if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { size: { type: 'number' } } },
    else: { properties: { name: { type: 'string' } } },
    dependentSchemas: { kind: { properties: { more: { type: 'string' } } } },
  }
  const { document } = createModel(schema)
  const names = (value: object) => Object.keys(resolveNode(schema, value, document)['properties'] as object)
  t.strictSame(names({ kind: 'a' }).sort(), ['kind', 'more', 'size'])
  t.strictSame(names({}).sort(), ['kind', 'name'])
})

/** Each definition refers twice to the next one. */
const double = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )

t.test('hostile schemas neither hang nor break', async t => {
  const doubled = double(60)
  const deep = Array.from({ length: 500 }).reduce<object>(
    inner => ({ type: 'object', properties: { a: inner }, required: ['a'] }),
    {},
  )
  const schemas: unknown[] = [
    true,
    false,
    null,
    [],
    'x',
    { $ref: '#' },
    { $ref: '#/$defs/nowhere' },
    { $ref: 1 },
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] },
    { $ref: '#/$defs/d0', $defs: { ...doubled, d60: { minProperties: 1 } } },
    JSON.parse(
      '{"properties": {"__proto__": {"const": 1}, "constructor": {"type": "string"}}, "required": ["__proto__", "constructor"]}',
    ),
    { type: 'nothing', properties: { a: { type: 7 } } },
    { properties: 'x', required: 'y', enum: 'z', oneOf: {}, allOf: 3 },
    { properties: { a: { enum: Array.from({ length: 10_000 }, (_, index) => `${index}`) } } },
    { properties: { a: { pattern: '(' } } },
    deep,
  ]
  for (const schema of schemas) {
    const name = JSON.stringify(schema)?.slice(0, 60)
    t.doesNotThrow(() => createArguments(schema), name)
    const { judge, document } = createModel(schema)
    t.doesNotThrow(() => findIssues(judge, document, { a: 'b' }, new Map()), name)
    t.doesNotThrow(() => describeType(resolveNode(schema, {}, document), document), name)
  }
})

t.test('a time keeps its zone, and has seconds', async t => {
  t.strictSame(parseZoned('2026-11-26T14:30:00+01:00'), { local: '2026-11-26T14:30', offset: '+01:00' })
  t.strictSame(parseZoned('14:30:05.5z'), { local: '14:30:05.5', offset: 'Z' })
  for (const text of ['2026-11-26', 'soon', '2026-11-26T14:30', '']) t.equal(parseZoned(text), undefined, text)
  t.equal(formatZoned({ local: '2026-11-26T14:30', offset: '+01:00' }), '2026-11-26T14:30:00+01:00')
  t.equal(formatZoned({ local: '14:30:05', offset: 'Z' }), '14:30:05Z')
  const zones = listZones('2026-11-26T14:30', '+05:30')
  t.ok(zones.some(({ offset }) => offset === 'Z'))
  t.ok(zones.some(({ label }) => label === 'UTC+5:30'))
})

t.test('a required map is not sent until somebody chose it: without conditions all rows are deleted', async t => {
  const map = { type: 'object', additionalProperties: { type: 'string' } }
  const schema = { type: 'object', properties: { conditions: map, data: { type: 'object' } }, required: ['conditions'] }
  t.strictSame(createArguments(schema), {})
  t.strictSame(faultsOf(schema, {}), { conditions: 'Add an entry, or leave it empty' })
})

t.test('a value that has none of the shapes looks like none, and what is chosen stays while it is written', async t => {
  const { document } = createModel(true)
  const find = (schema: object, value: unknown, ...chosen: unknown[]) =>
    findShape(findShapes(schema as never, document)!, value, document, chosen)
  t.equal(find(send, null), undefined, 'a new row of a list')
  t.equal(find(send, { kind: 'fax', to: 'a', text: 'b' }), undefined)
  const types = { type: ['number', 'string'] }
  t.equal(find(types, '-', { type: 'number' }), 0, 'the minus of -5')
  t.equal(find(types, '1.', { type: 'number' }), 0)
  t.equal(find(types, 'a'), 1, 'what nobody chose is as it looks')
})

t.test('half a number is not sent as text where text fits, too', async t => {
  const schema = { properties: { either: { type: ['number', 'string'] } } }
  const chosen = new Map([['/either', [{ type: 'number' }]]])
  t.strictSame(faultsOf(schema, { either: '1.' }, chosen), { either: 'A number, such as 100' })
  t.strictSame(faultsOf(schema, { either: 1 }, chosen), {})
  t.strictSame(faultsOf(schema, { either: '1.' }), {})
})

t.test('branches that never fit are none, and rules of one type are no shapes', async t => {
  const { document } = createModel(true)
  const optional = splitNull({ anyOf: [{ type: 'number' }, { not: {} }] }, document)
  t.strictSame(optional, { node: { type: 'number' }, isNullable: false })
  const address = { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }
  t.equal(findShapes(address, document), undefined)
  t.strictSame(faultsOf({ properties: { address } }, { address: 'x' }), { address: 'In the format ipv4 or ipv6' })
})

t.test('names that are no text of Unicode, and values without a bottom, do not break the checks', async t => {
  const { judge, document } = createModel({ properties: { '\ud800': { type: 'string' } }, required: ['\ud800'] })
  t.doesNotThrow(() => findIssues(judge, document, { '\ud800': 1 }, new Map()))
  t.doesNotThrow(() => toPointer(['\ud800']))
  const deep = `{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`
  const parsed = parseArguments(deep)
  if ('value' in parsed) t.doesNotThrow(() => formatJson(parsed.value))
})

t.test('times that a browser has no field for stay text', async t => {
  for (const text of [
    '2026-13-01T14:30:00Z',
    '2026-02-30T14:30:00Z',
    '2026-11-26T24:00:00Z',
    '2026-11-26T14:30:60Z',
    '2026-11-26T14:30:00.123456Z',
    '2026-11-26T14:30:00+99:00',
  ])
    t.equal(parseZoned(text), undefined, text)
  t.ok(isDate('2024-02-29'))
  for (const text of ['2026-02-29', '2026-13-01', '0000-01-01', 'soon', '']) t.notOk(isDate(text), text)
  const offsets = listZones('2026-11-26T14:30', '-00:00').map(({ offset }) => offset)
  t.strictSame([...new Set(offsets)], offsets)
  t.ok(offsets.includes('-00:00'), 'the zone of the value can be chosen')
})

t.test('the example of a description ends with its brace, however many there are', async t => {
  const find = (description: string) => findExample({ name: 'a', description, inputSchema: { type: 'object' } })
  t.strictSame(find('Does. Example: {"a": "}", "b": {"c": "\\"}"}} and more {'), { a: '}', b: { c: '"}' } })
  t.equal(find('Example: {a: 1}'), undefined)
  t.equal(find('Example: {"a": 12345678901234567890}'), undefined)
  t.equal(find(`Example: ${'{"a":'.repeat(4_000)}`), undefined)
  t.equal(find(`Example: {"a": [${'"}",'.repeat(4_000)}`), undefined)
  const own = find('Example: {"__proto__": {"polluted": 1}}')
  t.strictSame(Object.keys(own!), ['__proto__'])
  t.notOk('polluted' in {})
})
