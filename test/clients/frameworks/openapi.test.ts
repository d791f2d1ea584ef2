// A client that openapi-typescript and openapi-fetch make from the live document calls every shipped tool.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import createClient, { type Client } from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import t, { type Test } from 'tap'
import { listening } from '../../support/app.ts'
import { everyTool } from '../../support/tools/every-tool.ts'
import { SHIPPED } from '../../support/tools/shipped.ts'

interface Reply {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

type Call = (client: Client<object>) => Promise<Reply>

/** A folder in which the packages of this one are found. */
function folder(t: Test): string {
  const path = mkdtempSync(join(import.meta.dirname, '.openapi-'))
  t.teardown(() => rmSync(path, { recursive: true }))
  return path
}

const toProgram = (calls: Readonly<Record<string, unknown>>) => `
import type { Client } from 'openapi-fetch'
import type { paths } from './schema.ts'
export const calls = {
${Object.entries(calls)
  .map(
    ([name, args]) =>
      `  ${name}: (client: Client<paths>) => client.POST('/tools/${name}', { body: ${JSON.stringify(args)} }),`,
  )
  .join('\n')}
}
`

function compile(path: string, program: string) {
  const file = join(path, 'program.ts')
  writeFileSync(file, program)
  const compiler = join(import.meta.dirname, 'node_modules/typescript/bin/tsc')
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
  ]
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, file], { encoding: 'utf8' })
  return { status, stdout, file }
}

t.test('every shipped tool is called by a generated client', async t => {
  const drives = await everyTool(t)
  const { port } = await listening(t, SHIPPED)
  const baseUrl = `http://127.0.0.1:${port}`
  const document = await (await fetch(`${baseUrl}/openapi.json`)).json()
  const path = folder(t)
  writeFileSync(join(path, 'schema.ts'), astToString(await openapiTS(document as never, { defaultNonNullable: false })))

  const { status, stdout, file } = compile(
    path,
    toProgram(Object.fromEntries(Object.entries(drives).map(([name, { args }]) => [name, args]))),
  )
  t.equal(status, 0, stdout)
  const { calls } = (await import(pathToFileURL(file).href)) as { calls: Record<string, Call> }
  const client = createClient<object>({ baseUrl })

  t.strictSame(Object.keys(calls).sort(), (await listTools(baseUrl)).sort())
  for (const [name, { told, args, asks }] of Object.entries(drives)) {
    const first = await calls[name]!(client)
    const { data, error, response } = asks === undefined ? first : await answer(t, first, { baseUrl, asks })
    t.equal(response.status, 200, `${name} ${JSON.stringify(error)}`)
    const { structuredContent, content } = told as {
      structuredContent?: object
      content?: readonly [{ text: RegExp | string }]
    }
    if (structuredContent !== undefined) t.match(data, structuredContent, name)
    else t.match(await callForText(`${baseUrl}/tools/${name}`, args), content![0].text, name)
  }
})

t.test('the types refuse what the server would refuse', async t => {
  await everyTool(t)
  const { port } = await listening(t, SHIPPED)
  const document = await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()
  const path = folder(t)
  writeFileSync(join(path, 'schema.ts'), astToString(await openapiTS(document as never, { defaultNonNullable: false })))

  const { status, stdout } = compile(path, toProgram({ calculate_sum: { a: '2' } }))

  t.not(status, 0)
  t.match(stdout, /TS2322|TS2741/)
})

async function callForText(url: string, args: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'text/plain' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(args) })).text()
}

async function listTools(baseUrl: string): Promise<string[]> {
  const { tools } = (await (await fetch(`${baseUrl}/tools`)).json()) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
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
async function answer(t: Test, { error, response }: Reply, { baseUrl, asks }: { baseUrl: string; asks: RegExp }) {
  t.equal(response.status, 409)
  const { detail, questions, answer } = error as Asked
  t.match(detail, asks)
  const answers = Object.fromEntries(questions.map(({ key, schema }) => [key, agree(schema)]))
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...answer.body, answers }),
  }
  const second = await fetch(new URL(answer.url, baseUrl), init)
  return { data: await second.json(), error: undefined, response: second }
}
