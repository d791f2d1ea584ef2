// The official clients start the built server, as hosts do: SDK 1.x, and client 2.x in each of its modes.
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { createApplicationInputHandler, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { MODES } from '../../../../test/support/clients/connect-mode.ts'
import { dropAbandonedPolls } from '../../../../test/support/clients/faults.ts'
import { until } from '../../../../test/support/eventually.ts'
import { serverProgram } from '../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const TOOLS = `import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { definePrompt, defineResource, defineTool, Type } from 'toolrack'
console.log('the file prints')

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  async handler({ a, b }, ctx) {
    console.log('the handler prints')
    process.stdout.write('more of it')
    ctx.progress(1, 2, 'half')
    ctx.log.warning('half of it')
    // The clients drop what stands in one chunk with the answer.
    while (!existsSync(new URL('../seen', import.meta.url))) await pause(5)
    return String(a + b)
  },
})

const greet = defineTool({
  name: 'greet',
  async handler(_args, ctx) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
    const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }]
    const thought = await ctx.sample('thought', { messages, maxTokens: 5 })
    const { roots } = await ctx.listRoots('roots')
    return [content.name, thought.content.text, roots[0].uri].join(' ')
  },
})

const waits = defineTool({
  name: 'waits',
  async handler(_args, { signal, log }) {
    await new Promise(done => signal.addEventListener('abort', done))
    console.error('it was stopped')
    return 'stopped'
  },
})

const job = defineTool({
  name: 'job',
  task: 'optional',
  async handler(_args, ctx) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
    return 'A job for ' + content.name
  },
})

const note = defineResource({ name: 'note', uri: 'note://one', handler: () => 'a note' })
const topic = definePrompt({
  name: 'topic',
  arguments: [{ name: 'about', complete: () => ['ferns'] }],
  handler: ({ about }) => 'About ' + about,
})
export default [add, greet, waits, job, note, topic]
`

const ANSWERS = {
  elicited: { action: 'accept' as const, content: { name: 'Ada' } },
  sampled: { role: 'assistant' as const, content: { type: 'text' as const, text: 'Hello' }, model: 'm' },
  listed: { roots: [{ uri: 'file:///home' }] },
}
const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const INFO = { name: 'test', version: '1.0.0' }

type Client = Pick<
  Client2,
  'callTool' | 'listTools' | 'readResource' | 'getPrompt' | 'complete' | 'ping' | 'close' | 'onerror' | 'connect'
>

interface Made {
  readonly client: Client
  readonly transport: Stdio1 | Stdio2
  /** The tools after the last change. */
  readonly listed: string[]
  /** Calls `job` as a task; not every client can. @returns its result */
  runTask?(): Promise<unknown>
}

const follow = (listed: string[]) => ({
  tools: {
    onChanged: (_error: unknown, tools: { name: string }[] | null) =>
      void listed.push(...(tools ?? []).map(tool => tool.name)),
  },
})

function make1(server: { command: string; args: string[] }): Made {
  const listed: string[] = []
  const client = new Client1(INFO, { capabilities, listChanged: follow(listed) })
  client.setRequestHandler(ElicitRequestSchema, () => ANSWERS.elicited)
  client.setRequestHandler(CreateMessageRequestSchema, () => ANSWERS.sampled)
  client.setRequestHandler(ListRootsRequestSchema, () => ANSWERS.listed)
  const { callTool } = client
  client.callTool = ((params: never, options: never) => callTool.call(client, params, undefined, options)) as never
  const runTask = async () => {
    const stream = client.experimental.tasks.callToolStream({ name: 'job' }, CallToolResultSchema, { task: {} })
    const messages: { readonly type: string }[] = []
    for await (const message of stream) messages.push(message)
    return messages[0]?.type === 'taskCreated' && messages.at(-1)
  }
  return { client: client as unknown as Client, transport: new Stdio1({ ...server, stderr: 'pipe' }), listed, runTask }
}

function make2(server: { command: string; args: string[] }, mode: (typeof MODES)[number]['mode']): Made {
  const listed: string[] = []
  const client = new Client2(INFO, { capabilities, versionNegotiation: { mode }, listChanged: follow(listed) })
  client.setRequestHandler('elicitation/create', () => ANSWERS.elicited)
  client.setRequestHandler('sampling/createMessage', () => ANSWERS.sampled)
  client.setRequestHandler('roots/list', () => ANSWERS.listed)
  const runTask = async () => {
    const onInputRequest = createApplicationInputHandler({
      elicitation: () => ANSWERS.elicited,
      sampling: () => ANSWERS.sampled,
      roots: () => ANSWERS.listed,
    })
    const session = createTaskSessionFromClient(client, { endpointId: 'test', onInputRequest })
    const execution = await session.callTool('job', {}, { task: { preference: 'require' } })
    const { outcome } = await execution.settle()
    await session.close()
    return outcome
  }
  // By the handshake; the tasks of the newest revision are in http/doors/stdio.
  return { client, transport: new Stdio2({ ...server, stderr: 'pipe' }), listed, ...(mode === 'legacy' && { runTask }) }
}

async function start(t: Test, make: (server: { command: string; args: string[] }) => Made) {
  const folder = tempFolder(t)
  folder.write({ 'all.mjs': TOOLS })
  const args = [serverProgram(), 'start', '--stdio', folder.path]
  const made = make({ command: process.execPath, args })
  const { client, transport } = made
  const faults: Error[] = []
  client.onerror = error => faults.push(error)
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk))
  await client.connect(transport as Stdio2)
  t.teardown(() => client.close())
  return { ...made, folder, faults, log: () => stderr }
}

const CLIENTS = [
  { name: 'SDK 1.x', make: make1 },
  ...MODES.map(({ name, mode }) => ({
    name: `client 2.x, ${name}`,
    make: (server: { command: string; args: string[] }) => make2(server, mode),
  })),
]

for (const { name, make } of CLIENTS) {
  t.test(name, async t => {
    const { client, transport, faults, folder, listed, log, runTask } = await start(t, make)

    t.match((await client.listTools()).tools.map(tool => tool.name).sort(), ['add', 'greet', 'job', 'waits'])
    const reached: unknown[] = []
    const onprogress = (progress: unknown) => {
      reached.push(progress)
      folder.write({ '../seen': '' })
    }
    const sum = { name: 'add', arguments: { a: 1, b: 2 } }
    t.match(await client.callTool(sum, { onprogress }), { content: [{ text: '3' }] })
    t.match(reached, [{ progress: 1, total: 2 }])
    t.match(await client.callTool({ name: 'greet' }), { content: [{ text: 'Ada Hello file:///home' }] })
    t.match(await client.readResource({ uri: 'note://one' }), { contents: [{ text: 'a note' }] })
    t.match(await client.getPrompt({ name: 'topic', arguments: { about: 'ferns' } }), { messages: [{}] })
    const ref = { type: 'ref/prompt' as const, name: 'topic' }
    const { completion } = await client.complete({ ref, argument: { name: 'about', value: 'f' } })
    t.match(completion.values, ['ferns'])

    if (runTask !== undefined) t.match(await runTask(), { result: { content: [{ text: 'A job for Ada' }] } })

    const leaving = new AbortController()
    const stopped = client.callTool({ name: 'waits' }, { signal: leaving.signal })
    setTimeout(() => leaving.abort(), 300)
    await t.rejects(stopped)
    await until(() => log().includes('it was stopped'), 'the call is cancelled')

    folder.write({ 'late.mjs': `export default { name: 'late', handler: () => 'late' }` })
    await until(() => listed.includes('late'), 'a file that is added is announced')

    for (const text of ['the file prints', 'the handler prints', 'more of it']) t.ok(log().includes(text), text)
    if (runTask !== undefined) dropAbandonedPolls(faults)
    t.strictSame(faults, [], 'nothing but messages came')
    const { pid } = transport
    await client.close()
    t.throws(() => process.kill(pid!, 0), { code: 'ESRCH' }, 'it ends with its client')
  })
}
