// Schemas as clients get them that read each schema as draft-07.
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import t from 'tap'
import { RandomJson } from '../../../test/support/random-json.ts'
import { toDraft07Readable } from '../src/draft-07-readers.ts'
import { compile, type Schema } from '../src/validator.ts'

/** As the client of the SDK 1.x makes it. */
function compileAsDraft07(schema: Schema): (value: unknown) => boolean {
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true, logger: false })
  formats.default(ajv)
  return ajv.compile(schema)
}

const pair = { prefixItems: [{ type: 'number' }, { type: 'string' }] }

/** Schemas, what they become, and values with whether they pass. */
const SCHEMAS: Readonly<Record<string, [schema: Schema, becomes: Schema, passes: unknown[], fails: unknown[]]>> = {
  'a tuple': [
    { type: 'array', ...pair, items: false },
    { type: 'array', ...pair, maxItems: 2 },
    [[], [1], [1, 'a']],
    [[1, 'a', 2], 1],
  ],
  'a tuple with bounds': [
    { ...pair, items: false, minItems: 1, maxItems: 1 },
    { ...pair, minItems: 1, maxItems: 1 },
    [[1]],
    [[], [1, 'a']],
  ],
  'a tuple with a rest': [
    { ...pair, items: { type: 'null' } },
    { ...pair, unevaluatedItems: { type: 'null' } },
    [
      [1, 'a'],
      [1, 'a', null],
    ],
    [[1, 'a', 1]],
  ],
  'a list that may contain': [
    { contains: { const: 1 }, minContains: 0 },
    { allOf: [{ anyOf: [{ not: { contains: { const: 1 } } }, { contains: { const: 1 } }] }] },
    [[], [1], [2]],
    [],
  ],
  'a list that may contain at most one': [
    { contains: { const: 1 }, minContains: 0, maxContains: 1 },
    { allOf: [{ anyOf: [{ not: { contains: { const: 1 } } }, { contains: { const: 1 }, maxContains: 1 }] }] },
    [[], [1, 2], [2]],
    [[1, 1]],
  ],
  'a reference to the rest of a tuple': [
    { properties: { a: { ...pair, items: { type: 'null' } }, b: { $ref: '#/properties/a/items' } } },
    {
      properties: {
        a: { ...pair, unevaluatedItems: { type: 'null' } },
        b: { $ref: '#/properties/a/unevaluatedItems' },
      },
    },
    [{ b: null }],
    [{ b: 1 }, { a: [1, 'a', 1] }],
  ],
  'a reference through names of all kinds': [
    {
      properties: {
        'a/~ %#ä': { ...pair, items: { type: 'null' } },
        b: { $ref: '#/properties/a~1~0%20%25%23ä/items' },
      },
    },
    {
      properties: {
        'a/~ %#ä': { ...pair, unevaluatedItems: { type: 'null' } },
        b: { $ref: '#/properties/a~1~0%20%25%23%C3%A4/unevaluatedItems' },
      },
    },
    [{ b: null }],
    [{ b: 1 }],
  ],
}

for (const [name, [schema, becomes, passes, fails]] of Object.entries(SCHEMAS)) {
  t.test(`${name} means the same in 2020-12, and takes no less in draft-07`, async t => {
    const readable = toDraft07Readable(schema)
    const [whole, newer, older] = [compile(schema), compile(readable), compileAsDraft07(readable)]

    t.strictSame(readable, becomes)
    for (const value of passes)
      t.ok(whole.isValid(value) && newer.isValid(value) && older(value), JSON.stringify(value))
    for (const value of fails) t.notOk(whole.isValid(value) || newer.isValid(value), JSON.stringify(value))
  })
}

t.test('what such a reader ignores makes nothing around it stricter', async t => {
  const schema = {
    oneOf: [{ prefixItems: [{ const: 'a' }] }, { prefixItems: [{ const: 'b' }] }],
    not: { dependentRequired: { a: ['b'] } },
  }

  t.strictSame(toDraft07Readable(schema), { anyOf: schema.oneOf })
})

t.test('a schema without newer keywords stays, as does one of draft-07', async t => {
  const $schema = 'http://json-schema.org/draft-07/schema#'
  for (const schema of [
    { type: 'object', oneOf: [{ not: {} }] },
    { $schema, items: [{}], additionalItems: false },
  ])
    t.equal(toDraft07Readable(schema), schema)
})

/** Each run draws others. */
const ROUNDS = 200

t.test('what a schema takes, its readable form takes, in either dialect', async t => {
  const seed = Date.now() % 1_000_000_000
  const random = new RandomJson(seed)
  const broken: unknown[] = []
  let [rewritten, passed] = [0, 0]

  for (let round = 0; round < ROUNDS; round++) {
    const schema = random.schema()
    const readable = toDraft07Readable(schema)
    if (readable === schema) continue
    rewritten++
    const [whole, newer, older] = [compile(schema), compile(readable), compileAsDraft07(readable)]
    for (const value of random.values(30).filter(each => whole.isValid(each))) {
      passed++
      if (!newer.isValid(value) || !older(value)) broken.push({ schema, readable, value })
    }
  }

  t.strictSame(broken.slice(0, 2), [], `seed ${seed}`)
  t.ok(
    rewritten > ROUNDS / 10 && passed > ROUNDS / 2,
    `${rewritten} schemas were rewritten, and ${passed} values pass them`,
  )
})
