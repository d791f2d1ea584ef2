// `toolrack doctor` finds nothing wrong with servers that are right: ours with a secret, and the
// official SDK 1.x in both its ways. The frameworks are in test/clients/frameworks.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { serve } from '../../../../../test/support/servers/own-process.ts'

/** Right, as these servers check neither. */
const ON_LOOPBACK = ['host-served', 'origin-served']

/** What was found that is not right, without what a busy machine makes slow. */
async function findFaults(t: Test, url: string, env: Record<string, string> = {}): Promise<readonly string[]> {
  const { stdout } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m'], { env })
  const { findings } = JSON.parse(stdout)
  t.ok(findings.length > 3, stdout)
  return findings
    .filter(({ severity, id }: { severity: string; id: string }) => severity !== 'ok' && !id.startsWith('slow-'))
    .map(({ id }: { id: string }) => id)
    .toSorted()
}

t.test('toolrack with JWT_SECRET, whose tokens are given by hand', async t => {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}/mcp`
  const env = { PORT: port, PUBLIC_URL: url, JWT_SECRET: 'a-secret-of-at-least-32-characters' }
  await serve(t, {}, { ...env, RATE_LIMIT_MAX: '100000' })
  const { stdout: token } = await runPiped(t, ['token', '--raw', '--sub', 'ada'], { env })

  t.strictSame(await findFaults(t, url, { TOOLRACK_TOKEN: token.trim() }), [])
  t.strictSame(await findFaults(t, url), ['no-token', 'tokens-by-hand'], 'what could not be looked at is said')
})

function createShop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.registerTool(
    'get_price',
    {
      description: 'Looks up a price.',
      inputSchema: { sku: z.string(), day: z.enum(['today', 'tomorrow']).optional() },
    },
    () => ({ content: [] }),
  )
  return server
}

/** Its types are not made for exactOptionalPropertyTypes. */
const connect = (server: McpServer, transport: StreamableHTTPServerTransport) =>
  server.connect(transport as Parameters<McpServer['connect']>[0])

async function stateful(t: Test): Promise<string> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  return listen(t, async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = transports.get(String(id))
    if (known !== undefined) return known.handleRequest(request, response)
    if (id !== undefined) return response.writeHead(404).end()
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: id => void transports.set(id, transport),
    })
    await connect(createShop(), transport)
    await transport.handleRequest(request, response)
  })
}

const stateless = (t: Test) =>
  listen(t, async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined } as never)
    await connect(createShop(), transport)
    await transport.handleRequest(request, response)
  })

for (const [name, open] of Object.entries({ stateful, stateless })) {
  t.test(`SDK 1.x, ${name}`, async t => {
    t.strictSame(await findFaults(t, `${await open(t)}/mcp`), ON_LOOPBACK)
  })
}
