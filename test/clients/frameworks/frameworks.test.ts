// Clients and agent frameworks from npm at a server of ours: what their users do first has to work in each of them.
import t, { type Test } from 'tap'
import { signed } from '../../support/auth/tokens.ts'
import type { Agent, Connect } from './agent.ts'
import { openShop } from './server.ts'

interface Framework {
  readonly name: string
  load(): Promise<Connect>
  /** Whether it begins anew by itself after its server has lost its session, or its user has to. */
  readonly reconnects: boolean
  /** Its model is not shown the errors of the protocol, which this is in 2026-07-28. */
  readonly hidesErrors?: boolean
}

const FRAMEWORKS: Framework[] = [
  { name: 'AI SDK', load: async () => (await import('./ai-sdk.ts')).aiSdk, reconnects: true },
  { name: 'Genkit', load: async () => (await import('./genkit.ts')).genkit, reconnects: false },
  { name: 'LangChain', load: async () => (await import('./langchain.ts')).langchain, reconnects: false },
  { name: 'Mastra', load: async () => (await import('./mastra.ts')).mastra, reconnects: true },
  {
    name: 'OpenAI Agents',
    load: async () => (await import('./openai-agents.ts')).openaiAgents,
    reconnects: true,
    hidesErrors: true,
  },
  { name: 'Strands', load: async () => (await import('./strands.ts')).strands, reconnects: false },
  { name: 'mcp-remote', load: async () => (await import('./mcp-remote.ts')).mcpRemote, reconnects: true },
  { name: 'mcporter', load: async () => (await import('./mcporter.ts')).mcporter, reconnects: true },
]

const SECRET = 'a secret of the tests, and long enough'
const AUDIENCE = 'shop'

async function connected(t: Test, connect: Connect, url: string, token?: string): Promise<Agent> {
  const agent = await connect(url, token)
  t.teardown(() => agent.close())
  return agent
}

for (const { name, load, reconnects, hidesErrors } of FRAMEWORKS) {
  t.test(`${name} lists the tools, and its model calls one`, async t => {
    const agent = await connected(t, await load(), (await openShop(t)).url)

    t.strictSame((await agent.listTools()).sort(), ['buy', 'get_price', 'probe'])
    t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
  })

  t.test(`${name} shows its model why a call failed, and the run goes on`, async t => {
    const agent = await connected(t, await load(), (await openShop(t)).url)

    t.match(await agent.callTool('get_price', { sku: 'unknown' }), 'no product unknown; search for its name first')
    t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
  })

  t.test(`${name} shows its model that the user cannot be asked, and the run goes on`, async t => {
    const agent = await connected(t, await load(), (await openShop(t)).url)

    const told = await agent.callTool('buy', { sku: 'ABC-1234' })
    t.match(told, hidesErrors ? /error occurred/ : 'Missing required client capability: elicitation')
    t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
  })

  t.test(`${name} goes on after the server was started again`, async t => {
    const connect = await load()
    const shop = await openShop(t)
    const agent = await connected(t, connect, shop.url)
    await agent.callTool('get_price', { sku: 'ABC-1234' })

    await shop.restart()

    const next = reconnects ? agent : await connected(t, connect, shop.url)
    t.match(await next.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
  })

  t.test(`${name} goes on with the same client after a restart, with STATE_SECRET`, async t => {
    const connect = await load()
    const settings = { STATE_SECRET: SECRET, JWT_SECRET: SECRET, JWT_AUDIENCE: AUDIENCE }
    const shop = await openShop(t, settings)
    const agent = await connected(t, connect, shop.url, signed(SECRET, { aud: AUDIENCE }))
    await agent.callTool('get_price', { sku: 'ABC-1234' })

    await shop.restart()

    t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
    t.match(await agent.callTool('get_price', { sku: 'unknown' }), 'no product unknown')
  })

  t.test(`${name} is served with a token, and not without`, async t => {
    const connect = await load()
    const { url } = await openShop(t, { JWT_SECRET: SECRET, JWT_AUDIENCE: AUDIENCE })
    const agent = await connected(t, connect, url, signed(SECRET, { aud: AUDIENCE }))

    t.match(await agent.callTool('get_price', { sku: 'ABC-1234' }), /price\W+42/)
    await t.rejects(listWithout(t, connect, url))
  })
}

/** Some frameworks only log that they could not list, and give their model no tool. */
async function listWithout(t: Test, connect: Connect, url: string): Promise<void> {
  const names = await (await connected(t, connect, url)).listTools()
  if (names.length === 0) throw new Error('no tools')
}
