// The official clients through the proxy: consecutive requests of one session hit different replicas, and none notices.
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { VERSION } from '../../support/app.ts'
import { faultsOf } from '../../support/clients/faults.ts'
import { type Recorder, recorder } from '../../support/clients/recorder.ts'
import { accept } from '../../support/input/rounds.ts'
import { type Pair, pair, until, untilServed, whoSaid } from '../../support/replicas/pair.ts'
import { callTool, openGate } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const NAME = { name: 'test', version: '1.0.0' }
const capabilities = { elicitation: { form: {} } }
const ANSWER = accept({ name: 'Ada' }) as { action: 'accept'; content: { name: string } }

interface Connected {
  readonly client: Pick<Client1, 'ping'> | Client2
  readonly http: Recorder
  readonly heard: string[]
  text(name: string, args?: Record<string, unknown>, onprogress?: (step: number) => void): Promise<string>
  listTools(): Promise<string[]>
  terminate(): Promise<void>
}

/** What a replica refuses that Redis did not answer in time, as on a busy machine, is sent again. */
const patient =
  ({ fetch }: Recorder): Recorder['fetch'] =>
  (url, init) =>
    untilServed(() => fetch(url, init))

const firstText = (result: object) => (result as { content: { text: string }[] }).content[0]!.text

async function sdk1(t: Test, { proxy }: Pair): Promise<Connected> {
  const faults = faultsOf(t)
  const http = recorder()
  const heard: string[] = []
  const client = new Client1(NAME, { capabilities })
  client.onerror = error => faults.push(error)
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER)
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
  const transport = new Transport1(new URL(proxy.url), { fetch: patient(http) })
  t.teardown(async () => {
    client.onerror = () => {}
    await client.close()
  })
  await client.connect(transport)
  return {
    client,
    http,
    heard,
    text: async (name, args = {}, onprogress) =>
      firstText(
        await client.callTool({ name, arguments: args }, undefined, {
          ...(onprogress && { onprogress: ({ progress }) => onprogress(progress) }),
        }),
      ),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async terminate() {
      client.onerror = () => {}
      await transport.terminateSession()
    },
  }
}

const client2 =
  (mode: 'legacy' | { pin: typeof VERSION }) =>
  async (t: Test, { proxy }: Pair): Promise<Connected> => {
    const faults = faultsOf(t)
    const http = recorder()
    const heard: string[] = []
    const client = new Client2(NAME, {
      capabilities,
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: () => void heard.push('tools'), debounceMs: 0 } },
    })
    client.onerror = error => faults.push(error)
    client.setRequestHandler('elicitation/create', () => ANSWER)
    const transport = new Transport2(new URL(proxy.url), { fetch: patient(http) })
    t.teardown(async () => {
      client.onerror = () => {}
      await client.close()
    })
    await client.connect(transport)
    return {
      client,
      http,
      heard,
      text: async (name, args = {}, onprogress) =>
        firstText(
          await client.callTool(
            { name, arguments: args },
            { ...(onprogress && { onprogress: ({ progress }) => onprogress(progress) }) },
          ),
        ),
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      async terminate() {
        client.onerror = () => {}
        await transport.terminateSession()
      },
    }
  }

const CLIENTS = [
  { name: 'SDK 1.x', connect: sdk1, hasSession: true },
  { name: 'client 2.x, legacy', connect: client2('legacy'), hasSession: true },
  { name: 'client 2.x, pinned', connect: client2({ pin: VERSION }), hasSession: false },
]

t.test('clients: through the proxy to two replicas', { skip: NO_REDIS }, async t => {
  const replicas = await pair(t)
  const { one, two } = replicas

  for (const { name, connect, hasSession } of CLIENTS) {
    t.test(name, async t => {
      const { http, heard, text, listTools, terminate } = await connect(t, replicas)

      const places = []
      for (let turn = 0; turn < 6; turn++) places.push(await text('where'))
      t.ok((await listTools()).includes('where'))
      t.equal(await text('greet'), 'Hello Ada')

      const steps: number[] = []
      const job = `step by step for ${name}`
      const call = text('held', { name: job }, step => steps.push(step))
      const { here } = await whoSaid(`${job} began`, replicas)
      await until(() => steps.length === 1, 'the first step')
      await openGate(here, job)
      t.equal(await call, `${job} ended`)
      t.equal(steps[0], 1)

      for (const at of [one, two]) {
        const before = heard.length
        await callTool(at, 'add_tool', { name: `for_${name.replaceAll(/\W/g, '_')}_${at.port}` })
        await until(() => heard.length > before, 'the change')
      }

      t.same(new Set(places), new Set([one, two].map(({ port }) => String(port))))
      if (!hasSession) return
      await terminate()
      t.equal(http.of('DELETE').at(-1)?.status, 204)
      const session = http.of('ping')[0] ?? http.of('tools/list')[0]!
      const headers = { 'mcp-session-id': session.headers.get('mcp-session-id')! }
      for (const at of [one, two]) {
        t.equal((await untilServed(() => fetch(at.url, { method: 'DELETE', headers }))).status, 404)
      }
    })
  }
})
