// The servers of docs/guides/migrating.md: an original and its translation answer alike, but for what the page names.
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { until } from '../../support/clients/connect.ts'
import {
  type Answer,
  type ConnectUrl,
  connectSdk1Url,
  connectSdk2Url,
  type UrlClient,
} from '../../support/clients/connect-url.ts'
import { type Case, call } from './migrating/cases.ts'
import { FASTMCP } from './migrating/fastmcp-cases.ts'
import { SDK1, SDK2, SDK2_LEGACY, SDK2_MODERN } from './migrating/sdk-cases.ts'
import { type Migration, openMigration } from './migrating/servers.ts'

interface Compared {
  readonly name: string
  readonly migration: Migration
  /** The clients of the original and of the translation. */
  readonly there: ConnectUrl
  readonly here: ConnectUrl
  readonly cases: readonly Case[]
}

const OLD = 'clients 1.x'
const NEW = 'client 2.x at the translation'

// The original in SDK 1.x and fastmcp know no 2026-07-28.
const COMPARED: readonly Compared[] = [
  { name: `SDK 1.x, ${OLD}`, migration: 'sdk1', there: connectSdk1Url, here: connectSdk1Url, cases: SDK1 },
  { name: `SDK 1.x, ${NEW}`, migration: 'sdk1', there: connectSdk1Url, here: connectSdk2Url, cases: SDK1 },
  {
    name: `SDK 2.x, ${OLD}`,
    migration: 'sdk2',
    there: connectSdk1Url,
    here: connectSdk1Url,
    cases: [...SDK2, ...SDK2_LEGACY],
  },
  {
    name: 'SDK 2.x, clients 2.x',
    migration: 'sdk2',
    there: connectSdk2Url,
    here: connectSdk2Url,
    cases: [...SDK2, ...SDK2_MODERN],
  },
  { name: `fastmcp, ${OLD}`, migration: 'fastmcp', there: connectSdk1Url, here: connectSdk1Url, cases: FASTMCP },
  { name: `fastmcp, ${NEW}`, migration: 'fastmcp', there: connectSdk1Url, here: connectSdk2Url, cases: FASTMCP },
]

const ADA = { headers: { 'x-api-key': 'key-of-ada' } }
const BOB = { headers: { 'x-api-key': 'key-of-bob' } }

for (const { name, migration, there, here, cases } of COMPARED) {
  t.test(name, async t => {
    const urls = await openMigration(t, migration)
    const [original, translation] = [await there(t, urls.there, ADA), await here(t, urls.here, ADA)]

    t.test('says its name', async t => {
      t.equal(original.serverName(), 'shop')
      t.equal(translation.serverName(), migration === 'sdk1' ? 'toolrack' : 'shop')
    })

    t.test('lists the same tools', async t => {
      const [expected, found] = [await listTools(original), await listTools(translation)]
      t.ok(expected.length >= 3)
      t.strictSame(found, expected)
    })

    for (const each of cases) {
      t.test(each.what, async t => {
        const [expected, found] = [await ask(original, each), await ask(translation, each)]
        t.match(expected, each.both ?? each.there, 'the original')
        t.match(found, each.both ?? each.here, 'the translation')
        // A difference that is gone is one to take from the page.
        if (each.both === undefined) t.notOk(isDeepStrictEqual(found, expected), 'they still differ')
        else t.strictSame(found, expected)
      })
    }
  })
}

async function ask(client: UrlClient, { method, params, both, there }: Case): Promise<Answer> {
  const { logged, ...answer } = await client.ask(method, params)
  const isLogging = 'logged' in (both ?? there ?? {})
  // In some servers a log message has a stream of its own, and may come late.
  if (isLogging) await until(() => logged.length > 0, 'a log message came')
  return withoutAdditions({ ...answer, logged: isLogging ? logged.slice(0, 1) : [] })
}

async function listTools(client: UrlClient): Promise<Tool[]> {
  const { result } = withoutAdditions(await client.ask('tools/list'))
  return (result!['tools'] as Tool[]).map(withoutAdditionalProperties).sort((a, b) => (a.name < b.name ? -1 : 1))
}

interface Tool {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema?: object
}

/** What of an answer is of its revision, or only says a default. */
const ADDITIONS = ['_meta', 'ttlMs', 'cacheScope', '$schema', 'execution']

function withoutAdditions(answer: Answer): Answer {
  return JSON.parse(JSON.stringify(answer, (key, value) => (ADDITIONS.includes(key) ? undefined : value)))
}

/** Servers say in different ways that a schema is closed, or do not say it. */
function withoutAdditionalProperties({ inputSchema, outputSchema, ...tool }: Tool): Tool {
  const { properties = {}, ...input } = inputSchema as Record<string, unknown>
  return {
    ...tool,
    inputSchema: { ...input, properties, additionalProperties: undefined },
    ...(outputSchema && { outputSchema: { ...outputSchema, additionalProperties: undefined } }),
  }
}

const callOf = (name: string, args: Record<string, unknown>): Case => ({ what: name, ...call(name, args) })

t.test('SDK 1.x: who asks for no log messages gets them from the original only', async t => {
  const { there, here } = await openMigration(t, 'sdk1')
  const count = async (url: string) => {
    const client = await connectSdk1Url(t, url, { asksForLogs: false })
    return client.ask('tools/call', { name: 'count_stock', arguments: {} })
  }

  const [original, translation] = [await count(there), await count(here)]

  await until(() => original.logged.length > 0, 'a log message came')
  t.match(translation, { result: { content: [{ text: '12 products' }] } })
  t.strictSame(translation.logged, [])
})

t.test('fastmcp: who has no key is refused by both', async t => {
  const { there, here } = await openMigration(t, 'fastmcp')
  for (const url of [there, here]) {
    await t.rejects(connectSdk1Url(t, url), { code: 401 })
    await t.rejects(connectSdk1Url(t, url, { headers: { 'x-api-key': 'none' } }), { code: 401 })
  }
})

t.test('fastmcp: what a caller may not use is not listed, and refused', async t => {
  const { there, here } = await openMigration(t, 'fastmcp')
  const [original, translation] = [await connectSdk1Url(t, there, BOB), await connectSdk1Url(t, here, BOB)]
  const setPrice = callOf('set_price', { sku: 'ABC-1234', price: 1 })

  const [expected, found] = [await listTools(original), await listTools(translation)]
  t.strictSame(found, expected)
  t.notOk(found.some(({ name }) => name === 'set_price'))
  t.match(await ask(original, setPrice), { error: { code: -32601, message: /Unknown tool: set_price/ } })
  t.match(await ask(translation, setPrice), { error: { code: -32602, message: /Unknown tool: set_price/ } })
})

t.test('fastmcp: a cart is of a session there, and of a caller here', async t => {
  const { there, here } = await openMigration(t, 'fastmcp')
  const add = (sku: string) => callOf('add_to_cart', { sku })
  const addInTwoSessions = async (url: string) => {
    await ask(await connectSdk1Url(t, url, ADA), add('ABC-1234'))
    return ask(await connectSdk1Url(t, url, ADA), add('ABC-5678'))
  }

  t.match(await addInTwoSessions(there), { result: { content: [{ text: 'ada has ABC-5678' }] } })
  t.match(await addInTwoSessions(here), { result: { content: [{ text: 'ada has ABC-1234, ABC-5678' }] } })
})
