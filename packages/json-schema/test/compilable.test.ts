// Schemas of results as the clients of the SDKs compile them, with Ajv.
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import t from 'tap'
import { RandomJson } from '../../../test/support/random-json.ts'
import { toCompilable } from '../src/compilable.ts'
import { toDraft07Readable } from '../src/draft-07-readers.ts'
import { toLocalReferences } from '../src/local-references.ts'
import { compile, type Schema } from '../src/validator.ts'

const CLIENT = { strict: false, validateSchema: false, logger: false } as const

function compileAsClients(schema: Schema): ((value: unknown) => boolean)[] {
  const [newer, older] = [new Ajv2020(CLIENT), new Ajv(CLIENT)]
  for (const ajv of [newer, older]) formats.default(ajv)
  return [newer.compile(schema), older.compile(toDraft07Readable(schema))]
}

/** Schemas, what they become, and values with whether they pass. */
const SCHEMAS: Readonly<Record<string, [schema: Schema, becomes: Schema, passes: unknown[], fails: unknown[]]>> = {
  'no choice': [
    { properties: { a: { enum: [], not: { type: 'null' } } } },
    { properties: { a: { not: {} } } },
    [{}],
    [{ a: 1 }],
  ],
  'notes that Ajv reads': [
    {
      properties: { id: { id: 'x', enum: ['y', null], nullable: true } },
      $async: true,
      items: { type: 'null', nullable: false },
    },
    { properties: { id: { enum: ['y', null] } }, items: { type: 'null' } },
    [{ id: null }, [null]],
    [{ id: 'x' }, [1]],
  ],
}

for (const [name, [schema, becomes, passes, fails]] of Object.entries(SCHEMAS)) {
  t.test(`${name}: clients compile an equal schema`, async t => {
    const compilable = toCompilable(JSON.parse(JSON.stringify(schema)))
    const checks = [compile(schema), compile(compilable)]
    const clients = compileAsClients(compilable)

    t.strictSame(compilable, becomes)
    for (const value of passes)
      t.ok(checks.every(check => check.isValid(value)) && clients.every(check => check(value)), JSON.stringify(value))
    for (const value of fails)
      t.notOk(checks.some(check => check.isValid(value)) || clients.some(check => check(value)), JSON.stringify(value))
  })
}

t.test('a schema that clients compile stays', async t => {
  const schema = { type: 'object', properties: { id: { type: 'string' }, enum: { const: 1 } } }
  t.equal(toCompilable(schema), schema)
})

/** Each run draws others. */
const ROUNDS = 60

t.test('clients compile any schema, which means the same', async t => {
  const seed = Date.now() % 1_000_000_000
  const random = new RandomJson(seed)
  const broken: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const named = { $id: 'named', ...random.schema() }
    const schema = { anyOf: [named, { items: named, enum: [] }], $defs: { a: { $ref: 'named' } } }
    const [whole, compilable] = [compile(schema), toCompilable(toLocalReferences(schema))]
    const [same, , older] = [compile(compilable), ...compileAsClients(compilable)]
    for (const value of random.values(20)) {
      const isValid = whole.isValid(value)
      if (isValid !== same.isValid(value) || (isValid && !older!(value))) broken.push({ schema, value })
    }
  }

  t.strictSame(broken.slice(0, 2), [], `seed ${seed}`)
})
