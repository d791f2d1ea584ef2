// Many tools in one process: each is held to its own schemas, whatever stands in those of the others.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { compile, type Schema } from '../../../packages/json-schema/src/validator.ts'
import { defineTool, type ToolDefinition } from '../../../src/index.ts'
import { getFormValidator } from '../../../src/input/form.ts'
import { type App, build, callTool } from '../../support/app.ts'

interface Sample {
  readonly pattern: string
  readonly match: string
}

const CLASSES = { '[ab]': 'a', '[bc]': 'c', '\\d': '1', '[^@ ]': '.', '\\p{Lu}': 'A' }
const SHAPES = {
  '^F+$': 'FF',
  '^F+SG+$': 'FSGG',
  '^F+SG+SF+$': 'FSGSFF',
  '^(?:FS)+$': 'FSFS',
  '^(?:FSG?)+$': 'FSGFS',
  '^F[^ ]*SG+SF+$': 'FSGSF',
  FS: 'FS',
}

/** Patterns that V8 runs and patterns that RE2 runs, each with a text that matches. */
const samples: fc.Arbitrary<Sample> = fc
  .record({
    first: fc.constantFrom(...Object.entries(CLASSES)),
    second: fc.constantFrom(...Object.entries(CLASSES)),
    separator: fc.constantFrom('@', '-', '_'),
    shape: fc.constantFrom(...Object.entries(SHAPES)),
  })
  .map(({ first, second, separator, shape }) => {
    const fill = (index: 0 | 1) =>
      shape[index].replaceAll('F', first[index]).replaceAll('S', separator).replaceAll('G', second[index])
    return { pattern: fill(0), match: fill(1) }
  })

/** What matches a pattern of its own, and mostly no other. */
const texts = fc.oneof(
  samples.map(({ match }) => match),
  fc.constantFrom('', ' ', '@'),
)

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })

interface Case {
  readonly inputSchema: Schema
  readonly outputSchema: Schema
  readonly args: object
  readonly out: string
}

/** A tool and a call of it: each text is, three times in four, one that its own pattern lets pass. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    patterns: fc.tuple(samples, samples, samples, samples, samples),
    others: fc.tuple(texts, texts, texts, texts, texts),
    isOwn: fc.array(fc.nat(3).map(Boolean), { minLength: 5, maxLength: 5 }),
    isOpen: fc.boolean(),
  })
  .map(({ patterns, others, isOwn, isOpen }) => {
    const [to, also, names, values, out] = patterns.map(({ pattern }) => pattern) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const own = patterns.map(({ match }, index) => (isOwn[index] ? match : others[index]!))
    const inputSchema = object(
      { to: { type: 'string', pattern: to }, also: { type: 'string', pattern: also } },
      { patternProperties: { [`${names}|never`]: { type: 'string', pattern: values } }, additionalProperties: isOpen },
    )
    const outputSchema = object({ out: { type: 'string', pattern: out } })
    return { inputSchema, outputSchema, args: { to: own[0], also: own[1], [own[2]!]: own[3] }, out: own[4]! }
  })

const toTool = ({ inputSchema, outputSchema, out }: Case, index: number): ToolDefinition =>
  defineTool({ name: `t${index}`, inputSchema, outputSchema, handler: () => ({ out }) })

/** An engine that has seen no other schema, with V8's own patterns. */
const isValid = (schema: Schema, value: unknown) =>
  new Ajv2020({ strict: false, meta: false, validateSchema: false }).compile(schema)(value)

/** Calls each tool, and compares the answers with those of fresh engines. */
async function assertAnswers(t: Test, app: App, tools: readonly Case[]) {
  let ran = 0
  for (const [index, { inputSchema, outputSchema, out, args }] of tools.entries()) {
    const { isError, content } = await callTool(app, `t${index}`, args)
    const isTaken = isValid(inputSchema, args)
    const runs = isTaken && isValid(outputSchema, { out })
    const what = JSON.stringify({ inputSchema, outputSchema, out, args, content })
    if ((isError !== true) !== runs) return t.fail(`answers as a fresh engine does: ${what}`)
    if (!isTaken && !/^Invalid arguments for t\d+: \S/.test(content[0].text)) return t.fail(`names a fault: ${what}`)
    ran += Number(runs)
  }
  t.ok(ran > 0 && ran < tools.length, `${tools.length} tools answered as fresh engines do; ${ran} of them ran`)
}

t.test('patterns: a hundred tools in one process are each held to their own', async t => {
  const tools = fc.sample(cases, 100)
  const app = await build(t, { tools: tools.map(toTool), rateLimit: { max: 1_000_000 } })

  await assertAnswers(t, app, tools)
})

t.test('patterns: a tool that is registered anew is held to its new ones', async t => {
  const app = await build(t, { rateLimit: { max: 1_000_000 } })

  for (let round = 0; round < 3; round++) {
    const tools = fc.sample(cases, 15)
    for (const [index, tool] of tools.entries()) {
      app.toolrack.remove(`t${index}`)
      app.toolrack.add(toTool(tool, index))
    }
    await assertAnswers(t, app, tools)
  }
})

t.test('patterns: a mail address and a version, side by side', async t => {
  const tool = (name: string, pattern: string) =>
    defineTool({ name, inputSchema: object({ v: { type: 'string', pattern } }), handler: () => 'ran' })
  const app = await build(t, {
    tools: [tool('a_mail', '^[^@ ]+@[^@ ]+$'), tool('b_release', '^[0-9]+\\.[0-9]+\\.[0-9]+$')],
  })

  t.match(await callTool(app, 'b_release', { v: '1.2.3' }), { content: [{ text: 'ran' }] })
  t.match(await callTool(app, 'b_release', { v: 'x@y' }), {
    isError: true,
    content: [{ text: /v must match pattern/ }],
  })
  t.match(await callTool(app, 'a_mail', { v: 'x@y' }), { content: [{ text: 'ran' }] })
})

t.test('patterns: schemas that are compiled in one process answer as alone', async t => {
  const many = fc.sample(cases, 60)
  const validators = many.map(({ inputSchema }) => compile(inputSchema))
  const wrong = many.filter(({ inputSchema, args }, index) => {
    const validator = validators[index]!
    const expected = isValid(inputSchema, args)
    return validator.isValid(args) !== expected || (validator.issues(args).length === 0) !== expected
  })

  t.strictSame(wrong, [])
})

t.test('patterns: the forms of one process are each held to their own', async t => {
  const forms = fc.sample(cases, 60)
  const wrong = forms.filter(
    ({ outputSchema, out }) => getFormValidator(outputSchema).isValid({ out }) !== isValid(outputSchema, { out }),
  )

  t.strictSame(wrong, [])
})
