// The official clients, in every mode, at a server that lists revisions of both eras: each settles on the revision that it
// would have settled on anyway. Specification 2026-07-28: basic/versioning, "Protocol Version Negotiation".
import {
  Client,
  type ClientOptions,
  type ConnectOptions,
  StreamableHTTPClientTransport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { listening, META, request, VERSION } from '../../support/app.ts'
import { connectSdk1 } from '../../support/clients/connect-sdk1.ts'
import { faultsOf } from '../../support/clients/faults.ts'
import { recorder } from '../../support/clients/recorder.ts'
import { LEGACY_VERSIONS } from '../../support/wire/legacy.ts'

const SERVED = [VERSION, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
const FUTURE = '2099-01-01'

const tools = [defineTool({ name: 'echo', handler: () => 'hello' })]

interface Settled {
  readonly client: Client
  /** What was sent, in order, with the status that came back. */
  readonly sent: readonly string[]
}

/** A client 2.x at `url`; rejects where it does not connect. */
async function settle(t: Test, url: string, options: ClientOptions, how?: ConnectOptions): Promise<Settled> {
  const faults = faultsOf(t)
  const http = recorder()
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  client.onerror = error => faults.push(error)
  t.teardown(() => {
    client.onerror = () => {}
    return client.close()
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: http.fetch }), how)
  const sent = http.sent
    .filter(({ verb }) => verb === 'POST')
    .map(({ method, headers, status }) => `${method} ${headers.get('mcp-protocol-version') ?? '-'} ${status}`)
  return { client, sent }
}

const serve = async (t: Test) => {
  faultsOf(t)
  return (await listening(t, { tools })).url
}

const INITIALIZED = ['initialize - 200', 'notifications/initialized 2025-11-25 202']

interface Case {
  readonly name: string
  readonly options: ClientOptions
  readonly version: string
  readonly sent: readonly string[]
}

const CASES: readonly Case[] = [
  { name: 'by default', options: {}, version: '2025-11-25', sent: INITIALIZED },
  {
    name: 'legacy',
    options: { versionNegotiation: { mode: 'legacy' } },
    version: '2025-11-25',
    sent: INITIALIZED,
  },
  {
    name: 'auto',
    options: { versionNegotiation: { mode: 'auto' } },
    version: VERSION,
    sent: [`server/discover ${VERSION} 200`],
  },
  {
    name: 'auto, knowing a revision of the future before this one',
    options: { versionNegotiation: { mode: 'auto' }, supportedProtocolVersions: [FUTURE, VERSION, '2025-11-25'] },
    version: VERSION,
    sent: [`server/discover ${FUTURE} 400`, `server/discover ${VERSION} 200`],
  },
  {
    name: 'auto, knowing no revision with a handshake',
    options: { versionNegotiation: { mode: 'auto' }, supportedProtocolVersions: [VERSION] },
    version: VERSION,
    sent: [`server/discover ${VERSION} 200`],
  },
  {
    name: 'pinned',
    options: { versionNegotiation: { mode: { pin: VERSION } } },
    version: VERSION,
    sent: [`server/discover ${VERSION} 200`],
  },
]

for (const { name, options, version, sent } of CASES) {
  t.test(`client 2.x, ${name}: it speaks ${version}, and calls`, async t => {
    const settled = await settle(t, await serve(t), options)

    t.equal(settled.client.getNegotiatedProtocolVersion(), version)
    t.strictSame(settled.sent, sent)
    t.match(await settled.client.callTool({ name: 'echo' }), { content: [{ text: 'hello' }] })
    const discovered = settled.client.getDiscoverResult()
    if (version === VERSION) t.strictSame(discovered?.supportedVersions, SERVED)
  })
}

for (const version of LEGACY_VERSIONS.filter(each => each !== '2024-10-07')) {
  t.test(`client 2.x, legacy, knowing ${version} only: it speaks that`, async t => {
    const { client } = await settle(t, await serve(t), { supportedProtocolVersions: [version] })

    t.equal(client.getNegotiatedProtocolVersion(), version)
    t.match(await client.callTool({ name: 'echo' }), { content: [{ text: 'hello' }] })
  })
}

t.test('client 2.x, with what it discovered before: it speaks the newest revision without asking again', async t => {
  const url = await serve(t)
  const before = await settle(t, url, { versionNegotiation: { mode: 'auto' } })
  const discover = before.client.getDiscoverResult()!

  const { client, sent } = await settle(t, url, {}, { prior: { kind: 'modern', discover } })

  t.strictSame(sent, [])
  t.equal(client.getNegotiatedProtocolVersion(), VERSION)
  t.match(await client.callTool({ name: 'echo' }), { content: [{ text: 'hello' }] })
})

t.test('client 2.x, told before that the server has handshakes: it opens with one', async t => {
  const { client } = await settle(
    t,
    await serve(t),
    { versionNegotiation: { mode: 'auto' } },
    { prior: { kind: 'legacy' } },
  )

  t.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
})

const HOPELESS: Record<string, ClientOptions> = {
  'pinned to a revision of the future': { versionNegotiation: { mode: { pin: FUTURE } } },
  'auto, knowing none but a revision of the future': {
    versionNegotiation: { mode: 'auto' },
    supportedProtocolVersions: [FUTURE],
  },
}

for (const [name, options] of Object.entries(HOPELESS)) {
  t.test(`client 2.x, ${name}: it gives up after one request, and knows what it could speak`, async t => {
    const error = await settle(t, await serve(t), options).catch(fault => fault)

    t.ok(error instanceof UnsupportedProtocolVersionError, String(error))
    t.strictSame(error.data, { supported: SERVED, requested: FUTURE })
  })
}

for (const version of [undefined, ...LEGACY_VERSIONS, VERSION, FUTURE]) {
  const spoken = version !== undefined && SERVED.slice(1).includes(version) ? version : '2025-11-25'

  t.test(`sdk 1.x, asking for ${version ?? 'its newest'}: it speaks ${spoken}`, async t => {
    const { client, http } = await connectSdk1(t, await serve(t), version === undefined ? {} : { version })

    await client.ping()

    t.equal(http.of('ping')[0]?.headers.get('mcp-protocol-version'), spoken)
  })
}

t.test('whatever revision of a handshake is claimed without one, the answer names all that are served', async t => {
  const url = await serve(t)

  for (const version of [...LEGACY_VERSIONS, FUTURE]) {
    const { message, headers } = request('tools/list', {}, { meta: { [`${META}protocolVersion`]: version } })
    const reply = await fetch(url, {
      method: 'POST',
      headers: { ...headers, host: new URL(url).host, 'mcp-protocol-version': version },
      body: JSON.stringify(message),
    })

    t.equal(reply.status, 400)
    t.match(await reply.json(), { error: { code: -32022, data: { supported: SERVED, requested: version } } })
  }
})
