// What a schema library takes, its listed schema takes: shapes × libraries, arguments and results.

import { Type as Type034 } from '@sinclair/typebox'
import { Value as Value034 } from '@sinclair/typebox/value'
import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import { Value as Value1 } from 'typebox/value'
import * as zm from 'zod/mini'
import { compileSchema, readSchema } from '../../../src/registry/schemas.ts'
import type { StandardSchema } from '../../../src/registry/standard-schema.ts'
import { toDraft07Readable } from '../../json-schema/src/draft-07-readers.ts'
import type { Schema } from '../../json-schema/src/validator.ts'
import { readLibrarySchema } from '../src/read.ts'
import { SHAPES, type Shape, WRAPS } from './library-shapes.ts'

/** What the library makes of a value; undefined if it refuses the value. */
type Check = (value: unknown) => Promise<{ readonly value: unknown } | undefined>

interface Cell {
  readonly library: string
  readonly schema: (io: 'input' | 'output') => object
  readonly check: Check
}

const standardCheck =
  (schema: object): Check =>
  async value => {
    const result = await (schema as StandardSchema)['~standard'].validate(value)
    return result.issues === undefined ? result : undefined
  }

const typeboxCheck =
  (isValid: (value: unknown) => boolean): Check =>
  async value =>
    isValid(value) ? { value } : undefined

function findCells({ zod, mini, valibot, arktype, typebox }: Shape): Cell[] {
  const cells: Cell[] = []
  const add = (library: string, schema: object) =>
    cells.push({ library, schema: () => schema, check: standardCheck(schema) })
  if (zod !== undefined) add('Zod', WRAPS.zod(zod))
  if (valibot !== undefined) add('Valibot', WRAPS.valibot(valibot))
  if (arktype !== undefined) add('ArkType', WRAPS.arktype(arktype))
  if (mini !== undefined) {
    const schema = WRAPS.mini(mini)
    cells.push({ library: 'Zod mini', schema: io => zm.toJSONSchema(schema, { io }), check: standardCheck(schema) })
  }
  if (typebox?.['0.34'] !== undefined) {
    const schema = Type034.Object({ value: typebox['0.34'] as never })
    cells.push({
      library: 'TypeBox 0.34',
      schema: () => schema,
      check: typeboxCheck(each => Value034.Check(schema, each)),
    })
  }
  if (typebox?.['1'] !== undefined) {
    const schema = Type1.Object({ value: typebox['1'] as never })
    cells.push({ library: 'TypeBox 1', schema: () => schema, check: typeboxCheck(each => Value1.Check(schema, each)) })
  }
  return cells
}

const NAMES = ['a', 'b', 'c', 'k', 'o', 'x']
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 1.5, 'a', 'b', 'x', ''),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const RANDOM = fc.sample(json, 100)

const CLIENT: Options = { strict: false, validateSchema: false, allErrors: true, logger: false }

/** As the clients of the SDKs check results: 2.x as 2020-12, 1.x what it is sent as draft-07. */
function createClientCheck(schema: Schema): (value: unknown) => boolean {
  const newer = new Ajv2020(CLIENT)
  const older = new Ajv(CLIENT)
  for (const ajv of [newer, older]) formats.default(ajv)
  const checks = [
    newer.compile(schema),
    newer.compile(toDraft07Readable(schema)),
    older.compile(toDraft07Readable(schema)),
  ]
  return value => checks.every(check => check(value))
}

/** ArkType and Valibot take a list for an object that requires nothing; what is listed does not. */
const mayBeListForObject = (library: string, value: unknown): boolean =>
  library !== 'Zod' && JSON.stringify(value ?? null).includes('[')

for (const [shape, row] of Object.entries(SHAPES)) {
  for (const { library, schema, check } of findCells(row)) {
    t.test(`${library}: ${shape}`, async t => {
      const values = [...row.values, ...RANDOM].map(value => (value === undefined ? {} : { value }))
      const input = readSchema('shape', 'inputSchema', schema('input'), readLibrarySchema)
      const output = readSchema('shape', 'outputSchema', schema('output'), readLibrarySchema)
      const checkInput = compileSchema('shape', 'inputSchema', input)
      const checkOutput = compileSchema('shape', 'outputSchema', output)
      const checkResult = createClientCheck(output.listed)
      let taken = 0

      for (const [index, value] of values.entries()) {
        const made = await check(structuredClone(value))
        if (made === undefined || (index >= row.values.length && mayBeListForObject(library, value.value))) continue
        taken++
        const parsed = output.parse === undefined ? made : await output.parse(structuredClone(value))
        const result = 'value' in parsed ? JSON.parse(JSON.stringify(parsed.value)) : undefined
        t.ok(checkInput.isValid(value), `takes ${JSON.stringify(value)}`)
        t.ok(checkOutput.isValid(result), `gives ${JSON.stringify(result)}`)
        t.ok(checkResult(result), `a client takes ${JSON.stringify(result)}`)
      }
      t.ok(taken > 0, 'the library takes some of the values')
    })
  }
}
