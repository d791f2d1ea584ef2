// What breaks the callers of a tool, change by change.
import t from 'tap'
import { z } from 'zod'
import { type JsonSchema, Type } from '../../../src/index.ts'
import { findBreakingChanges } from '../src/contract/breaking-changes.ts'
import type { ToolContract } from '../src/contract/contract.ts'

const NO_ARGUMENTS = { type: 'object', additionalProperties: false }

/** What breaks if a tool changes from one contract to the other. */
function change(before: Partial<ToolContract>, after: Partial<ToolContract>): string[] {
  const contractOf = (tool: Partial<ToolContract>) => ({ tools: { pay: { inputSchema: NO_ARGUMENTS, ...tool } } })
  return findBreakingChanges(contractOf(before), contractOf(after))
}

const plain = (schema: object) => JSON.parse(JSON.stringify(schema))
const argument = (schema: object) => ({ inputSchema: plain(Type.Object({ a: Type.Unsafe(schema) })) })
const result = (schema: object) => ({ outputSchema: plain(Type.Object({ r: Type.Unsafe(schema) })) })

t.test('a tool that is gone breaks callers, and a new one does not', async t => {
  const tool = { inputSchema: NO_ARGUMENTS, description: 'Pays.' }

  t.strictSame(findBreakingChanges({ tools: { pay: tool } }, { tools: {} }), ['pay: the tool is gone.'])
  t.strictSame(findBreakingChanges({ tools: { pay: tool } }, { tools: { pay: tool, refund: tool } }), [])
  t.strictSame(findBreakingChanges({ tools: { pay: tool } }, { tools: { pay_order: tool } }), [
    'pay: the tool is now called pay_order.',
  ])
  const other = { ...tool, description: 'Refunds.' }
  t.strictSame(findBreakingChanges({ tools: { pay: tool } }, { tools: { refund: other } }), ['pay: the tool is gone.'])
})

t.test('texts break nobody', async t => {
  const before = { title: 'Pay', description: 'Pays.', ...argument({ type: 'string', description: 'An order' }) }
  const after = {
    title: 'Pay an order',
    ...argument({ type: 'string', title: 'Order', default: '1', examples: ['2'] }),
  }

  t.strictSame(change(before, after), [])
})

t.test('arguments that are newly required or gone break callers; new optional ones do not', async t => {
  const one = { type: 'object', properties: { a: { type: 'string' } } }
  const two = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }
  const closed = { additionalProperties: false }

  t.strictSame(change({ inputSchema: one }, { inputSchema: two }), [])
  t.strictSame(change({ inputSchema: one }, { inputSchema: { ...two, required: ['b'] } }), [
    'pay: the argument b is required now.',
  ])
  t.strictSame(change({ inputSchema: one }, { inputSchema: { ...one, required: ['a'] } }), [
    'pay: the argument a is required now.',
  ])
  t.strictSame(change({ inputSchema: { ...one, required: ['a'] } }, { inputSchema: one }), [])
  t.strictSame(change({ inputSchema: two }, { inputSchema: one }), [], 'it may still be sent')
  t.strictSame(change({ inputSchema: { ...two, ...closed } }, { inputSchema: { ...one, ...closed } }), [
    'pay: the argument b is gone.',
  ])
  t.strictSame(change({ inputSchema: one }, { inputSchema: { ...one, ...closed } }), [
    'pay: the call takes no members any more beside those that it lists.',
  ])
  t.strictSame(change({ inputSchema: { ...one, ...closed } }, { inputSchema: two }), [])
})

/** Cases that are another set of values, not a smaller one. */
const DIFFERENT = [
  'no longer takes string',
  'no longer takes 1',
  'no longer takes "x"',
  'no longer takes "xyz"',
  'no longer takes "y"',
  'has pattern "^b", which was "^a"',
]

t.test('an argument may become wider, not narrower', async t => {
  const cases: [before: object, after: object, sentence: string][] = [
    [{ type: ['string', 'null'] }, { type: 'string' }, 'no longer takes null'],
    [{ type: 'number' }, { type: 'integer' }, 'no longer takes number'],
    [{}, { type: 'string' }, 'no longer takes values that are not string'],
    [{ type: 'string' }, { type: 'boolean' }, 'no longer takes string'],
    [{ enum: ['x', 'y', 'z'] }, { enum: ['x', 'y'] }, 'no longer takes "z"'],
    [{ type: 'string' }, { type: 'string', enum: ['x'] }, 'no longer takes values other than "x"'],
    [{ enum: ['x', 1] }, { type: 'string' }, 'no longer takes 1'],
    [{ const: 'x' }, { const: 'y' }, 'no longer takes "x"'],
    [{ enum: ['x', 'xyz'] }, { type: 'string', maxLength: 2 }, 'no longer takes "xyz"'],
    [{ minimum: 1 }, { minimum: 2 }, 'has minimum 2, which was 1'],
    [{ maximum: 9 }, { maximum: 8 }, 'has maximum 8, which was 9'],
    [{}, { exclusiveMinimum: 0 }, 'has exclusiveMinimum 0, which was unset'],
    [{ maxLength: 9 }, { maxLength: 8 }, 'has maxLength 8, which was 9'],
    [{}, { minLength: 1 }, 'has minLength 1, which was unset'],
    [{}, { pattern: '^a' }, 'has pattern "^a", which was unset'],
    [{ pattern: '^a' }, { pattern: '^b' }, 'has pattern "^b", which was "^a"'],
    [{}, { format: 'email' }, 'has format "email", which was unset'],
    [{ multipleOf: 2 }, { multipleOf: 4 }, 'has multipleOf 4, which was 2'],
    [{}, { uniqueItems: true }, 'has uniqueItems true, which was unset'],
    [{ maxItems: 3 }, { maxItems: 2 }, 'has maxItems 2, which was 3'],
    [{}, { not: { const: 1 } }, 'has another not, which may refuse more than before'],
    [{ allOf: [{ minimum: 1 }] }, { allOf: [{ minimum: 2 }] }, 'has minimum 2, which was 1'],
    [{}, { allOf: [{ minimum: 2 }] }, 'has another allOf, which may refuse more than before'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'string' }, 'no longer takes number'],
    [{ anyOf: [{ const: 'x' }, { const: 'y' }] }, { anyOf: [{ const: 'x' }, { const: 'z' }] }, 'no longer takes "y"'],
  ]
  for (const [before, after, sentence] of cases) {
    t.strictSame(change(argument(before), argument(after)), [`pay: the argument a ${sentence}.`], sentence)
    t.strictSame(change(argument(after), argument(after)), [], 'the same')
  }
  const isOtherWay = ([, , sentence]: (typeof cases)[number]) => DIFFERENT.includes(sentence)
  for (const [before, after] of cases.filter(each => !isOtherWay(each)))
    t.strictSame(change(argument(after), argument(before)), [], `wider: ${JSON.stringify([after, before])}`)
})

t.test('the path of an argument leads through objects, arrays and references', async t => {
  const items = (maxLength: number) =>
    argument({ type: 'array', items: { type: 'object', properties: { s: { maxLength } } } })
  t.strictSame(change(items(9), items(8)), ['pay: the argument a[].s has maxLength 8, which was 9.'])

  const tree = (name: object) => ({
    inputSchema: {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: {
        node: { type: 'object', properties: { name, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } },
      },
    },
  })
  t.strictSame(change(tree({ type: 'string' }), tree({ type: 'string' })), [])
  t.strictSame(change(tree({ type: 'string' }), tree({ type: 'number' })), [
    'pay: the argument root.name no longer takes string.',
  ])

  const named = (values: object) => argument({ type: 'object', additionalProperties: values })
  t.strictSame(change(named({ type: 'string' }), named({ type: 'number' })), [
    'pay: the argument a.* no longer takes string.',
  ])
})

t.test('what stands beside a reference counts, and so does the target of an anchor', async t => {
  const node = {
    $anchor: 'node',
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#node', required: ['name'], description: 'The next.' } },
  }
  const tree = (reference: object, more: object = {}) => ({
    inputSchema: { type: 'object', properties: { root: reference }, $defs: { node: { ...node, ...more } } },
  })
  const plain = tree({ $ref: '#node' })

  t.strictSame(change(plain, tree({ $ref: '#node', description: 'The first.' })), [])
  t.strictSame(change(plain, tree({ $ref: '#/$defs/node' })), [])
  t.strictSame(change(plain, tree({ $ref: '#node', required: ['name'] })), [
    'pay: the argument root.name is required now.',
  ])
  t.strictSame(change(plain, tree({ $ref: '#node', maxProperties: 1 })), [
    'pay: the argument root has maxProperties 1, which was unset.',
  ])
  t.strictSame(change(tree({ $ref: '#node', maxProperties: 1 }), plain), [])
  t.strictSame(change(plain, tree({ $ref: '#node' }, { minProperties: 1 })), [
    'pay: the argument root has minProperties 1, which was unset.',
    'pay: the argument root.next has minProperties 1, which was unset.',
  ])
  const distant = (maxLength: number) => ({
    inputSchema: { type: 'object', properties: { a: { $ref: 'word' } }, $defs: { word: { $id: 'word', maxLength } } },
  })
  t.strictSame(change(distant(9), distant(8)), ['pay: the argument a has maxLength 8, which was 9.'])
})

t.test('the type of all other members is that of a new one, too', async t => {
  const words = { type: 'object', additionalProperties: { type: 'string' } }
  const withNumber = { ...words, properties: { n: { type: 'number' } } }
  const withWord = { ...words, properties: { n: { type: 'string' } } }

  t.strictSame(change({ inputSchema: words }, { inputSchema: withNumber }), [
    'pay: the argument n no longer takes string.',
  ])
  t.strictSame(change({ outputSchema: words }, { outputSchema: withNumber }), [
    'pay: n of the result may now be number.',
  ])
  t.strictSame(change({ inputSchema: words }, { inputSchema: withWord }), [])
  t.strictSame(change({ outputSchema: words }, { outputSchema: withWord }), [])

  const closed = { type: 'object', additionalProperties: false }
  t.strictSame(change({ inputSchema: { ...closed, patternProperties: { '^x-': {} } } }, { inputSchema: closed }), [
    'pay: the call has another patternProperties, which may refuse more than before.',
  ])
})

t.test('a header of an argument is for clients to send, unless they do not know the argument', async t => {
  const named = (header?: string) => ({ type: 'string', ...(header !== undefined && { 'x-mcp-header': header }) })
  const where = (place: object) => ({ inputSchema: { type: 'object', properties: { place } } })
  const nested = (header?: string) => where({ type: 'object', properties: { region: named(header) } })
  const sentence = (path: string) => [`pay: clients have to send the argument ${path} in mcp-param-region, too, now.`]

  t.strictSame(change(where(named()), where(named('Region'))), sentence('place'))
  t.strictSame(change(where(named('Place')), where(named('Region'))), sentence('place'))
  t.strictSame(change(nested(), nested('Region')), sentence('place.region'))
  const referred = {
    ...where({ $ref: '#/$defs/place' }).inputSchema,
    $defs: { place: nested().inputSchema.properties.place },
  }
  t.strictSame(change({ inputSchema: referred }, nested('Region')), sentence('place.region'))
  t.strictSame(change(where(named('Region')), where(named('region'))), [], 'headers have no case')
  t.strictSame(change(where(named('Region')), where(named())), [], 'it is not looked at')
  t.strictSame(change({ inputSchema: { type: 'object' } }, where(named('Region'))), [], 'nobody sends it yet')
})

const [S, I] = [{ type: 'string' }, { type: 'integer' }]
const DRAFT_07 = { $schema: 'http://json-schema.org/draft-07/schema#' }

t.test('the elements of an array are compared one by one, as the dialect reads them', async t => {
  const sentence = (place: string, what: string) => [`pay: the argument a${place} ${what}.`]
  const another = (keyword: string) => `has another ${keyword}, which may refuse more than before`
  const cases: [before: object, after: object, breaks: string[]][] = [
    [{ prefixItems: [S, I] }, { prefixItems: [S, S] }, sentence('[1]', 'no longer takes integer')],
    [{ prefixItems: [I], items: S }, { items: S }, sentence('[0]', 'no longer takes integer')],
    [{ prefixItems: [S] }, { prefixItems: [S], items: false }, sentence('', another('items'))],
    [{ prefixItems: [S, S] }, { prefixItems: [S] }, []],
    [{ prefixItems: [S], items: false }, { prefixItems: [S], items: S }, []],
    [{ items: S }, { prefixItems: [S, S], items: S }, []],
    [{ items: S }, { prefixItems: [S, I] }, sentence('[1]', 'no longer takes string')],
    [{ prefixItems: [S], unevaluatedItems: false }, { unevaluatedItems: false }, sentence('', another('items'))],
    [
      { allOf: [{ items: S }], unevaluatedItems: false },
      { unevaluatedItems: false },
      [...sentence('', another('unevaluatedItems'))],
    ],
  ]
  for (const [before, after, breaks] of cases)
    t.strictSame(change(argument(before), argument(after)), breaks, JSON.stringify([before, after]))

  const old = (schema: object) => {
    const { inputSchema } = argument(schema)
    return { inputSchema: { ...inputSchema, ...DRAFT_07 } }
  }
  const casesOfDraft07: [before: object, after: object, breaks: string[]][] = [
    [{ items: [S] }, { items: [I] }, sentence('[0]', 'no longer takes string')],
    [{ items: S }, { items: [I] }, sentence('[0]', 'no longer takes string')],
    [{ items: [S] }, { items: [S], additionalItems: false }, sentence('', another('items'))],
    [{ items: [S] }, { items: [S, I] }, sentence('[1]', 'no longer takes values that are not integer')],
    [{ items: S }, { items: S, additionalItems: false, prefixItems: [I] }, []],
  ]
  for (const [before, after, breaks] of casesOfDraft07)
    t.strictSame(change(old(before), old(after)), breaks, JSON.stringify([before, after]))

  const mixed = { prefixItems: [I], items: S }
  t.strictSame(change(old(mixed), argument(mixed)), [`pay: the call ${another('$schema')}.`])
  t.strictSame(change(old(S), argument(S)), [], 'both dialects read it in the same way')
})

t.test('draft-07 ignores what stands beside a reference', async t => {
  const word = (reference: object) => ({
    inputSchema: { ...DRAFT_07, type: 'object', properties: { a: reference }, definitions: { word: S } },
  })
  t.strictSame(change(word({ $ref: '#/definitions/word', maxLength: 3 }), word({ ...S, maxLength: 3 })), [
    'pay: the argument a has maxLength 3, which was unset.',
  ])
})

t.test('a member that a pattern has described is compared with that', async t => {
  const before = { patternProperties: { '^a': S }, additionalProperties: false }
  const open = { ...before, additionalProperties: true }
  const withMember = (schema: object) => ({ ...open, properties: { ab: schema } })

  t.strictSame(change(argument(open), argument(withMember(I))), ['pay: the argument a.ab no longer takes string.'])
  t.strictSame(change(argument(open), argument(withMember(S))), [])
  t.strictSame(change(result(open), result(withMember(I))), ['pay: r.ab of the result may now be integer.'])
  t.strictSame(change(argument({ ...before, properties: { ab: S } }), argument(before)), [], 'the pattern takes it')
  t.strictSame(change(argument({ ...before, properties: { cd: S } }), argument(before)), [
    'pay: the argument a.cd is gone.',
  ])
  const evaluated = (properties: object) => ({ properties, unevaluatedProperties: false })
  t.strictSame(change(argument(evaluated({ ab: S })), argument(evaluated({}))), ['pay: the argument a.ab is gone.'])
  t.strictSame(change(argument(open), argument({ ...open, patternProperties: { '(?<x>': S } })).length, 1)
})

t.test('of both anyOf and oneOf, both count', async t => {
  const [a, b] = [{ required: ['a'] }, { required: ['b'] }]
  const either = (more: object) => ({ inputSchema: { type: 'object', properties: { a: S, b: S }, ...more } })
  const both = either({ anyOf: [a, b], oneOf: [a, b] })

  t.strictSame(change(both, both), [])
  t.strictSame(change(both, either({ oneOf: [a] })), ['pay: the call no longer takes an object with a, b.'])
  t.strictSame(change(both, either({ anyOf: [a, b] })), [])
})

t.test('bounds of numbers are compared by what they allow', async t => {
  const cases: [before: object, after: object, sentence?: string][] = [
    [{ exclusiveMinimum: 0 }, { minimum: 0 }],
    [{ minimum: 0 }, { exclusiveMinimum: 0 }, 'has exclusiveMinimum 0, which was unset'],
    [{ exclusiveMaximum: 9 }, { maximum: 9 }],
    [{ maximum: 9 }, { exclusiveMaximum: 9 }, 'has exclusiveMaximum 9, which was unset'],
    [
      { type: 'integer', minimum: 1 },
      { type: 'integer', exclusiveMinimum: 0 },
    ],
    [
      { type: 'integer', exclusiveMaximum: 10 },
      { type: 'integer', maximum: 9 },
    ],
    [
      { type: 'number', minimum: 1 },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    [{ minimum: 1, exclusiveMinimum: 5 }, { minimum: 5 }],
    [{ multipleOf: 0.3 }, { multipleOf: 0.1 }],
  ]
  for (const [before, after, sentence] of cases) {
    const expected = sentence === undefined ? [] : [`pay: the argument a ${sentence}.`]
    t.strictSame(change(argument(before), argument(after)), expected, JSON.stringify([before, after]))
  }
})

t.test('alternatives that exclude each other may refuse what fits two of them', async t => {
  const overlapping = [{ type: 'integer' }, { type: 'number' }]
  const kind = (name: string) => ({ type: 'object', properties: { kind: { const: name } }, required: ['kind'] })
  const kinds = [kind('card'), kind('bank')]

  t.strictSame(change(argument({ anyOf: overlapping }), argument({ oneOf: overlapping })), [
    'pay: the argument a has another oneOf, which may refuse more than before.',
  ])
  t.strictSame(change(argument({ oneOf: overlapping }), argument({ anyOf: overlapping })), [])
  t.strictSame(change(argument({ anyOf: kinds }), argument({ oneOf: kinds })), [], 'a member tells them apart')
  t.strictSame(change(argument({ oneOf: kinds }), argument({ oneOf: [...kinds, kind('cash')] })), [])
  t.strictSame(change(result({ anyOf: overlapping }), result({ oneOf: overlapping })), [])
  t.strictSame(change(result({ oneOf: overlapping }), result({ anyOf: overlapping })), [
    'pay: r of the result has another oneOf, which may allow more than before.',
  ])
})

t.test('alternatives may be added and reordered, not taken away', async t => {
  const card = { type: 'object', properties: { card: { type: 'string' } }, required: ['card'] }
  const bank = { type: 'object', properties: { iban: { type: 'string' } }, required: ['iban'] }

  t.strictSame(change(argument({ oneOf: [card] }), argument({ anyOf: [bank, card] })), [])
  t.strictSame(change(argument({ oneOf: [card, bank] }), argument({ oneOf: [bank, card] })), [])
  t.strictSame(change(argument({ anyOf: [card, bank] }), argument(card)), [
    'pay: the argument a no longer takes an object with iban.',
  ])
})

t.test('what stands beside alternatives counts for each of them', async t => {
  const either = (required: string[]) => ({
    type: 'object',
    properties: { order: { type: 'string' }, card: {}, iban: {} },
    required,
    anyOf: [{ required: ['card'] }, { required: ['iban'] }],
  })

  t.strictSame(change({ inputSchema: either(['order']) }, { inputSchema: either([]) }), [])
  t.strictSame(change({ inputSchema: either([]) }, { inputSchema: either(['order']) }), [
    'pay: the call no longer takes an object with order, card, iban.',
  ])
})

t.test('the same written in another way breaks nobody', async t => {
  const same: [one: object, other: object][] = [
    [{ type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ enum: ['x', 1] }, { anyOf: [{ const: 'x' }, { const: 1 }] }],
    [{ type: ['string', 'integer'], maxLength: 9 }, { oneOf: [{ type: 'string', maxLength: 9 }, { type: 'integer' }] }],
  ]
  for (const [one, other] of same) {
    t.strictSame(change(argument(one), argument(other)), [])
    t.strictSame(change(argument(other), argument(one)), [])
  }
  t.strictSame(change(argument({ enum: ['x', 1] }), argument({ anyOf: [{ type: 'string' }, { type: 'number' }] })), [])
  t.strictSame(change(argument({ enum: ['x', 1] }), argument({ anyOf: [{ type: 'string' }, { type: 'null' }] })), [
    'pay: the argument a no longer takes 1.',
  ])
})

t.test('a result may become narrower, not wider', async t => {
  const open = { type: 'object', properties: { id: { type: 'string' } } }
  const full = { ...open, required: ['id'] }
  const more = { ...full, properties: { ...full.properties, note: { type: 'string' } } }

  t.strictSame(change({ outputSchema: full }, { outputSchema: more }), [])
  t.strictSame(change({ outputSchema: more }, { outputSchema: { ...more, additionalProperties: false } }), [])
  t.strictSame(change({ outputSchema: open }, { outputSchema: full }), [])
  t.strictSame(change({ outputSchema: full }, { outputSchema: open }), ['pay: id of the result may be missing now.'])
  t.strictSame(change({ outputSchema: more }, { outputSchema: full }), ['pay: note of the result is gone.'])
  t.strictSame(change({ outputSchema: full }, {}), ['pay: the result is no longer structured.'])
  t.strictSame(change({}, { outputSchema: full }), [])
  t.strictSame(change(result({ enum: ['x'] }), result({ enum: ['x', 'y'] })), ['pay: r of the result may now be "y".'])
  t.strictSame(change(result({ enum: ['x', 'y'] }), result({ enum: ['x'] })), [])
  t.strictSame(change(result({ type: 'string' }), result({ type: ['string', 'null'] })), [
    'pay: r of the result may now be null.',
  ])
  t.strictSame(change(result({ type: 'integer' }), result({ type: 'number' })), [
    'pay: r of the result may now be number.',
  ])
  t.strictSame(change(result({ maximum: 9 }), result({ maximum: 10 })), [
    'pay: r of the result has maximum 10, which was 9.',
  ])
  t.strictSame(change(result({ type: 'string' }), result({})), [
    'pay: r of the result may now be values that are not string.',
  ])
})

t.test('a new member of a result breaks clients that know it as closed', async t => {
  const price = (shape: z.ZodRawShape) => ({ outputSchema: z.toJSONSchema(z.object(shape)) as object as JsonSchema })
  const refused = 'and clients refuse it until they list the tools anew'
  const open = { outputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } }

  t.strictSame(change(price({ amount: z.number() }), price({ amount: z.number(), currency: z.string() })), [
    `pay: currency of the result is new, ${refused}.`,
  ])
  t.strictSame(change(price({ sum: z.object({}) }), price({ sum: z.object({ currency: z.string() }) })), [
    `pay: sum.currency of the result is new, ${refused}.`,
  ])
  t.strictSame(change(price({ amount: z.number() }), open), [
    `pay: the result may have members now that it does not list, ${refused}.`,
  ])
  t.strictSame(change(open, price({ amount: z.number(), currency: z.string() })), [])
  const closed = { type: 'object', additionalProperties: false }
  t.strictSame(change({ outputSchema: closed }, { outputSchema: { ...closed, patternProperties: { '^x-': {} } } }), [
    'pay: the result has another patternProperties, which may allow more than before.',
  ])
})

t.test('scopes and tasks: more is demanded of callers', async t => {
  t.strictSame(change({ scopes: ['a'] }, { scopes: ['a', 'b'] }), ['pay: callers need the scope b now.'])
  t.strictSame(change({ scopes: ['a'] }, {}), [])
  t.strictSame(change({ taskSupport: 'optional' }, { taskSupport: 'required' }), [
    'pay: it can only be called as a task now.',
  ])
  t.strictSame(change({ taskSupport: 'required' }, {}), ['pay: it can no longer be called as a task.'])
  t.strictSame(change({}, { taskSupport: 'optional' }), [])
})

t.test('a tool that no longer heeds its idempotencyKey breaks callers that call again', async t => {
  const open = { type: 'object', properties: { order: { type: 'string' } } }
  const keyed = { ...open, properties: { ...open.properties, idempotencyKey: { type: 'string' } } }
  const closed = { additionalProperties: false }

  t.strictSame(change({ inputSchema: keyed }, { inputSchema: open }), [
    'pay: a call with an idempotencyKey may act twice now.',
  ])
  t.strictSame(change({ inputSchema: { ...keyed, ...closed } }, { inputSchema: { ...open, ...closed } }), [
    'pay: the argument idempotencyKey is gone.',
  ])
  t.strictSame(change({ inputSchema: open }, { inputSchema: keyed }), [])
})

t.test('hints: a tool may become more careful, not less', async t => {
  const hints = (annotations: object) => ({ annotations })

  t.strictSame(change(hints({ readOnlyHint: true }), hints({ destructiveHint: false })), [
    'pay: it no longer only reads.',
  ])
  t.strictSame(change(hints({ readOnlyHint: true }), {}), [
    'pay: it no longer only reads.',
    'pay: it may destroy something now.',
  ])
  t.strictSame(change(hints({ destructiveHint: false }), hints({ destructiveHint: true })), [
    'pay: it may destroy something now.',
  ])
  t.strictSame(change(hints({ idempotentHint: true }), {}), ['pay: calling it again may have an effect now.'])
  t.strictSame(change({}, hints({ readOnlyHint: true })), [])
  t.strictSame(change(hints({ openWorldHint: false }), {}), ['pay: it may reach other systems now.'])
  t.strictSame(change({}, hints({ openWorldHint: false })), [])
  t.strictSame(change(hints({ idempotentHint: true, destructiveHint: true }), hints({ readOnlyHint: true })), [])
})

t.test('content that stands alone breaks callers that read nothing else', async t => {
  const structured = result({ type: 'string' })

  t.strictSame(change(structured, { ...structured, text: 'own' }), [
    'pay: its content may lack the JSON of its result now.',
  ])
  t.strictSame(change({ ...structured, text: 'own' }, { ...structured, text: 'own' }), [])
  t.strictSame(change({ ...structured, text: 'own' }, structured), [])
  t.strictSame(change({}, { text: 'own' }), [], 'no result was structured')
})
