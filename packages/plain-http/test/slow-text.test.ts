// One request of plain HTTP must not hold up the others: no header, field or schema takes long to read.
import t, { type Test } from 'tap'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { isExact } from '../../json-schema/src/exact-number.ts'
import { toArguments } from '../src/form-arguments.ts'
import { readKeyHeader } from '../src/key-header.ts'
import { toSafeMarkdown } from '../src/openapi-markdown.ts'
import { toComponents } from '../src/openapi-schemas.ts'
import { toResultJson } from '../src/plain-result.ts'

/** Generous for a busy machine; what was wrong here took minutes. */
const MAX_MS = 2000

const count = <T>(length: number, create: (index: number) => T): T[] => Array.from({ length }, (_, i) => create(i))
const countMembers = (length: number, create: (index: number) => [string, unknown]) =>
  Object.fromEntries(count(length, create))

const isFast = (name: string, run: (t: Test) => unknown) =>
  t.test(`no long time for ${name}`, async t => {
    t.ok(cpuMsOf(() => run(t)) < MAX_MS)
  })

for (const parameter of [';', '; ', ' ;', ';a ', ';a= '])
  isFast(`parameters behind an Idempotency-Key: ${JSON.stringify(parameter)}`, t => {
    const header = `"a"${parameter.repeat(30)},`
    t.throws(() => readKeyHeader({ 'idempotency-key': header }, undefined), /expected one key/)
  })

isFast('a number with many zeros in it', t => t.notOk(isExact(`0.1${'0'.repeat(500_000)}1`)))

isFast('a text with quotes that never end', t => {
  const text = `"${'\\"'.repeat(500_000)}`
  t.strictSame(toArguments([{ name: 'a', value: text }], undefined), { a: text })
})

isFast('a list of many objects, each of a large union', t => {
  const oneOf = count(190, index => ({ properties: { kind: { const: `k${index}` } } }))
  const schema = { type: 'object', properties: { list: { type: 'array', items: { oneOf } } } }
  const fields = count(500, index => ({ name: `list[${index}].kind`, value: 'k7' }))
  t.equal((toArguments(fields, schema) as { list: unknown[] }).list.length, 500)
})

isFast('a description with much white space', t => t.ok(toSafeMarkdown(`src=${' '.repeat(500_000)}`)))

isFast('many references to parts of one name', t => {
  const $defs = countMembers(1500, index => [`d${index}`, { properties: { value: { type: 'string' } } }])
  const properties = countMembers(1500, index => [`p${index}`, { $ref: `#/$defs/d${index}/properties/value` }])
  t.equal(Object.keys(toComponents({ type: 'object', $defs, properties }, 'x.input')).length, 1501)
})

isFast('a result of many texts beside a large structure', t => {
  const content = count(5000, () => ({ type: 'text' as const, text: '[1]' }))
  t.ok(toResultJson({ content, structuredContent: { list: count(100_000, index => index) } }))
})
