// What a failure says to the client, to the log, and to a developer at a terminal.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t, { type Test } from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { definePrompt, defineTool, type ServerOptions, Type } from '../../../src/index.ts'
import { build, call, callTool, jsonLines } from '../../support/app.ts'
import { everyDoor } from '../../support/every-door.ts'
import { plain } from '../../support/plain.ts'

// Processes of isolated tools start slowly on a busy machine.
t.setTimeout(120_000)

/** A log that goes to a terminal. */
function terminal() {
  const logs = jsonLines()
  return { logs, logStream: Object.assign(logs.stream, { isTTY: true }) }
}

t.test('the fault of a property without a name stands at its path', async t => {
  const echo = defineTool({
    name: 'echo',
    inputSchema: Type.Object({
      '': Type.Optional(Type.String()),
      a: Type.Optional(Type.Object({ '': Type.String() })),
    }),
    handler: () => 'ran',
  })
  const returns = defineTool({ name: 'returns', handler: () => ({ '': { a: new Date(0), '': 1 } }) })
  const library = defineTool({ name: 'library', inputSchema: z.object({ '': z.string() }), handler: () => 'ran' })
  const app = await build(t, { tools: [echo, returns, library] })
  const textOf = async (name: string, args: object) => (await callTool(app, name, args)).content[0].text

  t.equal(await textOf('echo', { '': 5 }), 'Invalid arguments for echo: "" must be string')
  t.equal(await textOf('echo', { a: { '': 5 } }), 'Invalid arguments for echo: a."" must be string')
  t.equal(await textOf('library', { '': 5 }), 'Invalid arguments for library: "" must be string')
  t.match(await textOf('returns', {}), 'returned an invalid result: "".a is a Date')
  const { body } = await plain(app, '/tools/echo', { json: { '': 5 } })
  t.match(body, { detail: /"" must be string/, errors: [{ pointer: '#/', detail: 'must be string' }] })
})

const REFUSING = {
  zod: z.object({ price: z.number().refine(price => price > 0, { message: 'must be above 0, was -1' }) }),
  valibot: toStandardJsonSchema(v.object({ price: v.pipe(v.number(), v.minValue(0.5, 'must be above 0, was -1')) })),
  arktype: type({ price: type('number').narrow((price, context) => price > 0 || context.mustBe('above 0')) }),
}

async function refusing(t: Test, options: ServerOptions) {
  const tools = Object.entries(REFUSING).map(([name, outputSchema]) =>
    defineTool({ name, outputSchema, handler: () => ({ price: -1 }) }),
  )
  return build(t, { tools, ...options })
}

for (const name of Object.keys(REFUSING)) {
  t.test(`what ${name} refuses is explained in the log, and to a developer at a terminal`, async t => {
    const { logs, logStream } = terminal()
    const app = await refusing(t, {})
    const own = await refusing(t, { logStream })
    const masked = await refusing(t, { logStream: terminal().logStream, errorMessages: 'tool-errors' })
    const textOf = async (on: typeof app) => (await callTool(on, name)).content[0].text
    const short = `${name} returned an invalid result: structuredContent price is not valid`
    const long = new RegExp(`^${name} returned an invalid result: structuredContent price: .*above 0.*-1`)

    t.equal(await textOf(app), short)
    t.match(app.logs.lines.find(({ msg }) => msg === 'tool failed').reason, long)
    t.match(await textOf(own), long)
    t.match(logs.lines.find(({ msg }) => msg === 'tool failed').reason, long)
    t.equal(await textOf(masked), short)
  })
}

const HANDLERS = {
  meant: `() => { throw new ToolError('No file at /data/reports/7.csv; token ghp_abcdefghijklmnop') }`,
  unmeant: `() => { throw new Error('No file at /data/reports/7.csv') }`,
  down: `() => { throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND db.example') }) }`,
}
const MEANT = /No file at \/data\/reports\/7\.csv; token \[secret\]$/
const TOP_LEVEL = `class ToolError extends Error { name = 'ToolError' }
const jsonSchema = () => ({ type: 'object' })
const validate = () => ({ issues: [{ message: 'must be above 0', path: ['price'] }] })
const outputSchema = { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: jsonSchema, output: jsonSchema } } }`

t.test('paths stay in the text of a ToolError, and in no other; nobody reads causes, behind every door', async t => {
  const { app, askAll } = await everyDoor(t, HANDLERS, { topLevel: TOP_LEVEL })

  for (const [door, text] of Object.entries(await askAll('meant'))) t.match(text, MEANT, door)
  for (const { reason } of app.logs.lines.filter(({ msg }) => /tool threw|handler failed/.test(msg)))
    t.match(reason, MEANT)
  for (const [door, text] of Object.entries(await askAll('unmeant'))) t.match(text, /No file at \[path\]$/, door)
  for (const [door, text] of Object.entries(await askAll('down'))) t.match(text, /fetch failed$/, door)
})

t.test('a developer at a terminal reads why, behind every door', async t => {
  const members = 'outputSchema,'
  const handlers = { ...HANDLERS, price: '() => ({ price: -1 })' }
  const { logStream } = terminal()
  const { askAll } = await everyDoor(t, handlers, { topLevel: TOP_LEVEL, members, logStream })
  // toolrack/testing shows what clients see.
  const { testing, prompt: _prompt, resource: _resource, ...ofTools } = await askAll('price')
  const { testing: failed, ...down } = await askAll('down')

  for (const [door, text] of Object.entries(ofTools)) t.match(text, /structuredContent price: must be above 0$/, door)
  t.match(testing, /structuredContent price is not valid$/)
  for (const [door, text] of Object.entries(down))
    t.match(text, /fetch failed: getaddrinfo ENOTFOUND db\.example$/, door)
  t.match(failed, /fetch failed$/)
  for (const [door, text] of Object.entries(await askAll('meant'))) t.match(text, MEANT, door)
})

t.test('a developer gets neither stacks nor secrets, and of a ToolError its text alone', async t => {
  const tools = [
    defineTool({
      name: 'broken',
      handler() {
        throw new Error('x', { cause: new Error('postgres://u:p@db/x at /srv/app/db.ts') })
      },
    }),
  ]
  const prompt = definePrompt({
    name: 'asks',
    handler() {
      throw Object.assign(new Error('try another', { cause: new Error('hidden') }), { name: 'ToolError' })
    },
  })
  const app = await build(t, { tools, prompts: [prompt], logStream: terminal().logStream })

  t.equal((await callTool(app, 'broken')).content[0].text, 'x: postgres://[credentials]@db/x at [path]')
  t.match((await call(app, 'prompts/get', { name: 'asks' })).error.message, /try another$/)
})
