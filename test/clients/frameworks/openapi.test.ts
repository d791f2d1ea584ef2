// The live OpenAPI document: linters and validators take it, and clients that generators make of it
// call every shipped tool.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import t, { type Test } from 'tap'
import { listening } from '../../support/app.ts'
import { everyTool } from '../../support/tools/every-tool.ts'
import { SHIPPED } from '../../support/tools/shipped.ts'
import { compile, createFolder, GENERATORS, type Reply } from './generators.ts'
import { ODD_TOOLS } from './odd-tools.ts'

async function serve(t: Test, options: object) {
  const { port } = await listening(t, options)
  const baseUrl = `http://127.0.0.1:${port}`
  return { baseUrl, document: (await (await fetch(`${baseUrl}/openapi.json`)).json()) as object }
}

/** Rule and place of each fault, by the rules that redocly recommends. */
async function lint(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

async function assertClean(t: Test, document: object) {
  t.strictSame(await lint(document), [])
  t.strictSame(await new Validator().validate(structuredClone(document) as never), { valid: true })
  t.match(await validate(structuredClone(document) as never), { valid: true, warnings: [] })
}

async function assertCompiles(t: Test, source: { readonly document: object; readonly baseUrl: string }) {
  const folder = createFolder(t)
  const clients = await Promise.all(Object.values(GENERATORS).map(generate => generate({ ...source, folder })))
  t.equal(compile(clients.flatMap(({ files }) => files)), '')
}

t.test('with every kind of schema, linter and validators have nothing to say, and clients compile', async t => {
  const source = await serve(t, { tools: ODD_TOOLS })
  await assertClean(t, source.document)
  await assertCompiles(t, source)
})

t.test('so it is with the tools that ship', async t => {
  await everyTool(t)
  const source = await serve(t, SHIPPED)
  await assertClean(t, source.document)
  await assertCompiles(t, source)
})

for (const [generator, generate] of Object.entries(GENERATORS)) {
  t.test(`every shipped tool is called by a client of ${generator}`, async t => {
    const drives = await everyTool(t)
    const { baseUrl, document } = await serve(t, SHIPPED)
    const { call } = await generate({ document, baseUrl, folder: createFolder(t) })

    for (const [name, { told, args, asks }] of Object.entries(drives)) {
      const first = await call(name, args)
      const { status, data } = asks === undefined ? first : await answer(t, first, { baseUrl, asks })
      t.equal(status, 200, `${name} ${JSON.stringify(data)}`)
      assertTold(t, data, told as Told, name)
    }
  })
}

t.test('a typed client has the type of the result, and refuses what the server would refuse', async t => {
  const { baseUrl, document } = await serve(t, SHIPPED)
  const folder = createFolder(t)
  await GENERATORS['openapi-typescript']!({ document, baseUrl, folder })
  const write = (name: string, body: string) => {
    const file = join(folder, name)
    writeFileSync(
      file,
      `import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' })
const { data } = await client.POST('/tools/calculate_sum', { body: ${body} })
export const sum: number = data!.sum
`,
    )
    return file
  }

  t.equal(compile([write('right.mts', '{ a: 2, b: 3 }')]), '')
  t.match(compile([write('wrong.mts', "{ a: '2' }")]), /TS2322|TS2741/)
})

interface Told {
  readonly structuredContent?: object
  readonly content?: readonly { readonly text?: unknown; readonly resource?: { readonly text: string } }[]
}

/** JSON is the structure, or has it beside the content. */
function assertTold(t: Test, data: unknown, { structuredContent, content }: Told, name: string) {
  const { structuredContent: beside, content: blocks = [] } = Object(data) as Told
  if (structuredContent !== undefined) t.match(beside ?? data, structuredContent, name)
  else t.match(blocks.map(({ text, resource }) => text ?? resource?.text).join('\n'), content![0]!.text, name)
}

interface Asked {
  readonly detail: string
  readonly questions: readonly { readonly key: string; readonly schema: { readonly properties: object } }[]
  readonly answer: { readonly url: string; readonly body: object }
}

/** Ticks every box of a form. */
const agree = ({ properties }: { readonly properties: object }) =>
  Object.fromEntries(Object.keys(properties).map(name => [name, true]))

/** Agrees to what a tool asks. */
async function answer(t: Test, { status, data }: Reply, { baseUrl, asks }: { baseUrl: string; asks: RegExp }) {
  t.equal(status, 409)
  const { detail, questions, answer } = data as Asked
  t.match(detail, asks)
  const answers = Object.fromEntries(questions.map(({ key, schema }) => [key, agree(schema)]))
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...answer.body, answers }),
  }
  const second = await fetch(new URL(answer.url, baseUrl), init)
  return { status: second.status, data: await second.json() }
}
