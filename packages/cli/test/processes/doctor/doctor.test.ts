// `toolrack doctor`: real processes against servers of ours, of the official SDK, and broken ones.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { nowS, part } from '../../../../../test/support/auth/tokens.ts'
import { bufferingProxy, fakeServer, INITIALIZED, send, sendJson } from '../../../../../test/support/broken-servers.ts'
import {
  noTerminal,
  type Running,
  runPiped,
  startOnTerminal,
  startPiped,
} from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'

// Many processes, one after the other.
t.setTimeout(900_000)

const tools = [
  defineTool({ name: 'get_price', description: 'Finds a price.', handler: () => Promise.reject(new Error('called')) }),
]

interface Report {
  readonly code: number | null
  readonly stderr: string
  readonly text: string
  readonly findings: readonly { id: string; check: string; severity: string; cause: string; fix?: string }[]
  /** What was found of this severity, as one text. */
  of(severity: string): string
}

async function doctor(t: Test, url: string, args: readonly string[] = [], env = {}): Promise<Report> {
  // All the time that a busy machine needs; the last --timeout counts.
  const { code, stdout, stderr } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m', ...args], { env })
  const { findings = [] } = stdout === '' ? {} : JSON.parse(stdout)
  const of = (severity: string) =>
    findings
      .filter((each: { severity: string }) => each.severity === severity)
      .map((each: { cause: string; fix?: string }) => `${each.cause} → ${each.fix}`)
      .join('\n')
  return { code, stderr, text: stdout, findings, of }
}

t.test('a server of ours is well, in text on a terminal and as JSON', async t => {
  const { url } = await listening(t, { tools, name: '@acme/prices', version: '2.3.4', rateLimit: { max: 100_000 } })

  const report = await doctor(t, url)
  t.equal(report.of('ok').match(/calls itself @acme\/prices 2\.3\.4/g)?.length, 1)
  t.equal(report.code, 0, report.text)
  t.equal(report.of('problem') + report.of('warning'), '')
  for (const check of [
    'reach',
    'access',
    'revisions',
    'accept',
    'streams',
    'cors',
    'origin',
    'host',
    'sessions',
    'lists',
    'clock',
  ])
    t.ok(
      report.findings.some(each => each.check === check),
      check,
    )
  if (noTerminal) return
  const shown = await startOnTerminal(t, ['doctor', url, '--timeout', '5m']).ended
  t.equal(shown.code, 0)
  t.match(shown.stdout, /ok +streams +a stream shows its first bytes after \d+ ms/)
  t.match(shown.stdout, `no problems, no warnings: ${url}`)
})

t.test('a URL without a path leads to /mcp', async t => {
  const { port } = await listening(t, { tools })
  const { code, text } = await doctor(t, `http://127.0.0.1:${port}`)
  t.equal(code, 0, text)
  t.equal(JSON.parse(text).url, `http://127.0.0.1:${port}/mcp`)
})

t.test('a server of the official SDK 1.x, with sessions, is examined to the end', async t => {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const origin = await listen(t, async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: id => void transports.set(id, transport),
    })
    const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'a.b', inputSchema: { type: 'object', anyOf: [{ required: ['x'] }] } }],
    }))
    await server.connect(transport)
    await transport.handleRequest(request, response)
  })

  const report = await doctor(t, `${origin}/mcp`)

  t.equal(report.code, 1)
  t.match(report.of('ok'), /sessions speak 2025-11-25, 2025-06-18/)
  t.match(report.of('ok'), 'a session is known on 6 connections')
  t.match(report.of('problem'), /a\.b: the name has other characters/)
  t.match(report.of('problem'), /a\.b: inputSchema has anyOf at its root/)
  t.match(report.of('warning'), /a\.b: no description/)
  t.match(report.of('warning'), /a request of a foreign page .* is served/)
})

t.test('a proxy that holds streams back is found', async t => {
  const { url } = await listening(t, { tools, allowedHosts: ['127.0.0.1'] })
  const report = await doctor(t, `${await bufferingProxy(t, url)}/mcp`)
  t.equal(report.code, 1)
  t.match(report.of('problem'), /a stream shows nothing within 4 s: [^\n]* → turn buffering off/)
})

t.test('a stream that came while the doctor itself stood still is not taken for one that is held back', async t => {
  const { url } = await listening(t, { tools, allowedHosts: ['127.0.0.1'] })
  let doctor: Running | undefined
  let stops = 0
  const proxy = await listen(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', headers } = request
    const passed = requestHttp(new URL(request.url!, url), { method, headers, agent: false }).end(body)
    response.on('close', () => passed.destroy())
    passed.on('error', () => response.destroy())
    passed.on('response', (answer: IncomingMessage) => {
      answer.on('error', () => response.destroy())
      answer.pipe(response.writeHead(answer.statusCode!, answer.headers))
    })
    if (!body.includes('"subscriptions/listen"')) return
    stops++
    doctor!.child.kill('SIGSTOP')
    // Longer than a stream may take.
    setTimeout(() => doctor!.child.kill('SIGCONT'), 5000)
  })

  doctor = startPiped(t, ['doctor', `${proxy}/mcp`, '--json', '--timeout', '5m'])
  const { stdout } = await doctor.ended

  t.equal(stops, 1)
  t.match(
    JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === 'streams'),
    { severity: 'ok' },
  )
})

t.test('what cannot be reached', async t => {
  const nobody = `http://127.0.0.1:${await freePort()}/mcp`
  t.match((await doctor(t, nobody)).of('problem'), /cannot be reached: nothing listens there/)
  const mute = `${await listen(t, () => {})}/mcp`
  const silent = await doctor(t, mute, ['--timeout', '1s'])
  t.equal(silent.code, 1)
  t.match(silent.of('problem'), /no answer came|not done after 1 s/)
  const endless = await listen(t, (_request, response) => void response.writeHead(200).write('{'))
  // Time enough for its headers, without which nothing has begun.
  t.match((await doctor(t, `${endless}/mcp`, ['--timeout', '5s'])).of('problem'), /never ended|not done after/)
})

t.test('pages and redirects', async t => {
  const page = await listen(t, (_request, response) => send(response, 200, '<h1>Sign in</h1>', 'text/html'))
  t.match((await doctor(t, page)).of('problem'), /answers with a web page/)
  const none = await listen(t, (_request, response) => send(response, 404, 'no', 'text/plain'))
  t.match((await doctor(t, `${none}/x`)).of('problem'), /there is no MCP endpoint at \/x \(404\)/)
  const loop = await listen(t, (request, response) =>
    send(response, 302, '', 'text/plain', { location: request.url === '/a' ? '/b' : '/a' }),
  )
  t.match((await doctor(t, `${loop}/a`)).of('problem'), /redirects without an end: .*\/a → .*\/b → .*\/a/)
  const { url } = await listening(t, { tools })
  const moved = await listen(t, (_request, response) => send(response, 308, '', 'text/plain', { location: url }))
  const seen: (string | undefined)[] = []
  const spy = await listen(t, (request, response) => {
    seen.push(request.headers.authorization)
    send(response, 404, '', 'text/plain')
  })
  t.match((await doctor(t, `${moved}/mcp`)).of('problem'), `redirects to ${url} → give clients ${url}`)
  const thief = await listen(t, (_request, response) =>
    send(response, 307, '', 'text/plain', { location: `${spy}/mcp` }),
  )
  await doctor(t, `${thief}/mcp`, [], { TOOLRACK_TOKEN: 'secret-token' })
  t.ok(seen.length > 0)
  t.ok(
    seen.every(each => each === undefined),
    'the token goes to its own origin only',
  )
})

t.test('sessions that another replica does not know', async t => {
  const url = await fakeServer(
    t,
    { initialize: ({ response }) => response.setHeader('mcp-session-id', 'one') && INITIALIZED },
    ({ message, count, response }) => {
      if (message.method !== 'ping' || count % 2 === 0) return false
      send(response, 404, 'unknown session', 'text/plain')
      return true
    },
  )
  const report = await doctor(t, url)
  t.equal(report.code, 1)
  t.match(report.of('problem'), /[23] of 6 requests reached a server that does not know the session/)
})

t.test('lists: huge tools, pages without an end, broken definitions', async t => {
  const long = { name: 'long', description: 'x'.repeat(200_000), inputSchema: { type: 'object' } }
  const big = await doctor(t, await fakeServer(t, { 'tools/list': () => ({ tools: [long] }) }))
  t.match(big.of('warning'), /1 tool, about 50,\d+ tokens in each turn of a model \(estimate/)
  t.match(big.of('warning'), /long alone takes about 50,/)

  const endless = await doctor(
    t,
    await fakeServer(t, { 'tools/list': () => ({ tools: [{ ...long, description: 'x' }], nextCursor: 'again' }) }),
  )
  t.match(endless.of('problem'), /tools\/list: the pages do not end: a cursor comes again/)
  t.notMatch(endless.text, 'there are two tools')

  const flood = await doctor(
    t,
    await fakeServer(t, { 'tools/list': () => ({ tools: [{ ...long, description: 'x'.repeat(9_000_000) }] }) }),
  )
  t.match(flood.of('problem'), /page 1 of tools\/list is refused or broken \(.*more than 8 MiB/)

  const properties = {
    a: { type: ['string', 'null'] },
    b: { enum: ['x', 1] },
    c: { type: 'array' },
    d: { $ref: 'https://a.example/s' },
  }
  const broken = [
    { name: 'n'.repeat(65), inputSchema: { type: 'object', properties } },
    { name: 'two' },
    { name: 'two', description: 'd', inputSchema: { $ref: '#/$defs/a' }, outputSchema: { type: 'array' } },
  ]
  const report = await doctor(t, await fakeServer(t, { 'tools/list': () => ({ tools: broken }) }))
  for (const fault of [
    /there are two tools two/,
    /longer than 64/,
    /two: inputSchema is missing/,
    /two: inputSchema is a \$ref at its root/,
    /outputSchema is not of type/,
    /\.d: \$ref to another document/,
  ])
    t.match(report.of('problem'), fault)
  for (const fault of [/\.a: type is a list/, /\.b: enum has values of several types/, /\.c: an array without items/])
    t.match(report.of('warning'), fault)
})

t.test('browsers: the preflight of a page that is to use the server', async t => {
  const origin = 'https://app.example'
  const { url } = await listening(t, { tools, allowedOrigins: [origin] })
  t.match((await doctor(t, url, ['--origin', origin])).of('ok'), `pages of ${origin} may use it`)
  const refused = await doctor(t, url, ['--origin', 'https://other.example'])
  t.equal(refused.code, 1)
  t.match(refused.of('problem'), /pages of https:\/\/other\.example cannot use it/)
  t.match(await doctor(t, url, ['--origin', 'app']), { code: 2, stderr: /^--origin: expected an origin/ })
})

t.test('clock and limits', async t => {
  const late = new Date(Date.now() - 3_600_000).toUTCString()
  const url = await fakeServer(t, {}, ({ response }) => {
    response.setHeader('date', late).setHeader('x-ratelimit-remaining', '7')
    return false
  })
  const report = await doctor(t, url)
  t.match(report.of('warning'), /its clock is 36\d\d s behind this one/)
  t.match(report.of('ok'), 'x-ratelimit-remaining: 7')
})

/** A server that asks for a token, with metadata as a test wants it. */
async function guarded(t: Test, { resource, issuer, methods = ['S256'], challenge = true }: Metadata): Promise<string> {
  const url: string = await fakeServer(t, {}, ({ request, response }) => {
    const { origin } = new URL(url)
    const server = { issuer: issuer ?? origin, authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` }
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      sendJson(response, 200, { resource: resource ?? url, authorization_servers: [origin] })
      return true
    }
    if (request.url?.startsWith('/.well-known/oauth-authorization-server')) {
      sendJson(response, 200, {
        ...server,
        code_challenge_methods_supported: methods,
        registration_endpoint: `${origin}/r`,
      })
      return true
    }
    if (request.headers.authorization === 'Bearer right' && request.url === '/mcp') return false
    const header = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    send(response, 401, '', 'text/plain', challenge ? { 'www-authenticate': header } : {})
    return true
  })
  return url
}

interface Metadata {
  readonly resource?: string
  readonly issuer?: string
  readonly methods?: readonly string[]
  readonly challenge?: boolean
}

t.test('access: the way from 401 to the issuer, each step wrong once', async t => {
  const right = await doctor(t, await guarded(t, {}))
  t.equal(right.code, 0, right.text)
  t.match(right.of('ok'), /its metadata is for this URL[\s\S]*metadata, PKCE, registration/)
  t.match(right.of('warning'), /what needs a token was not checked → set TOOLRACK_TOKEN/)
  for (const [metadata, fault] of [
    [{ resource: 'https://other.example/mcp' }, /its metadata is for https:\/\/other\.example\/mcp, and clients use /],
    [{ issuer: 'https://other.example' }, /says issuer https:\/\/other\.example, not http:\/\/127/],
    [{ methods: ['plain'] }, /does not announce PKCE with S256/],
    [{ challenge: false }, /401 without WWW-Authenticate: Bearer/],
  ] as const) {
    const report = await doctor(t, await guarded(t, metadata))
    t.equal(report.code, 1)
    t.match(report.of('problem'), fault)
  }
})

t.test('access: tokens are used and judged, and never shown', async t => {
  const url = await guarded(t, {})
  const good = await doctor(t, url, [], { TOOLRACK_TOKEN: 'right' })
  t.equal(good.code, 0, good.text)
  t.match(good.of('ok'), /the token is opaque[\s\S]*the token is accepted[\s\S]*sessions speak 2025-11-25/)
  const jwt = `${part({ alg: 'none' })}.${part({ aud: 'https://bank.example', exp: 1, iss: 'https://i.example' })}.c2ln`
  const bad = await doctor(t, url, ['--token', jwt])
  t.equal(bad.code, 1)
  t.match(bad.of('warning'), /the token is for https:\/\/bank\.example, not for/)
  t.match(bad.of('warning'), /the token is of https:\/\/i\.example, which the metadata does not name/)
  t.match(bad.of('problem'), /the token has expired at 1970[\s\S]*the token is refused \(401\)/)
  t.notMatch(bad.text + bad.stderr, jwt.split('.')[1]!)
})

t.test('access: a token that is none for access is named', async t => {
  const url = await guarded(t, {})
  const judge = async (header: object, claims: object) => {
    const payload = { aud: 'a-client', exp: nowS() + 60, iss: new URL(url).origin, ...claims }
    return (await doctor(t, url, ['--token', `${part(header)}.${part(payload)}.c2ln`])).of('warning')
  }

  t.match(
    await judge({ alg: 'RS256' }, { name: 'Ann' }),
    /looks like none for access: .*ID token → send the access token/,
  )
  t.match(await judge({ alg: 'RS256' }, { scope: 'a', nonce: 'n' }), /looks like none for access: an ID token/)
  for (const right of [{ alg: 'RS256', typ: 'at+jwt' }, { alg: 'HS256' }])
    t.notMatch(await judge(right, {}), 'looks like none')
})

t.test('access: API keys are used, and it is said why one is refused', async t => {
  const [good, past, unknown] = [testKey(), testKey({ expires: new Date(Date.now() - 1000).toISOString() }), testKey()]
  const { path } = keysFile(t, good, past)
  const { url, port } = await listening(t, { tools, apiKeysFile: path })
  const env = { API_KEYS_FILE: path, PORT: String(port) }
  const reportOf = (key: string, settings: object = env) => doctor(t, url, [], { TOOLRACK_TOKEN: key, ...settings })

  const right = await reportOf(good.key)
  t.equal(right.code, 0, right.text)
  t.match(right.of('ok'), new RegExp(`the token is an API key: ${good.record.id}[\\s\\S]*the API key is accepted`))
  t.notMatch(right.text, good.key)
  for (const [key, settings, fault] of [
    [past.key, env, /the API key is refused \(401\): the API key has expired → it has expired at /],
    [unknown.key, env, /the API key is not known → .*api-keys\.json has no key /],
    [unknown.key, {}, /the API key is not known → make another one with toolrack key create/],
    [good.key.slice(0, -1), env, /the API key is not whole: expected trk_/],
  ] as const) {
    const report = await reportOf(key, settings)
    t.equal(report.code, 1)
    t.match(report.of('problem'), fault)
  }
})

for (const status of [403, 429, 500, 503]) {
  t.test(`a server that refuses all with ${status} is one problem, with what to do`, async t => {
    const origin = await listen(t, (_request, response) => send(response, status, '', 'text/plain'))

    const report = await doctor(t, `${origin}/mcp`)

    t.equal(report.code, 1)
    t.match(report.findings.at(-1), { check: 'access', severity: 'problem', cause: `refuses the request (${status})` })
    t.notMatch(report.text, 'without a token')
  })
}

t.test('an endpoint of HTTP+SSE is named as such', async t => {
  const { url } = await listening(t, { tools, httpSse: true })

  const report = await doctor(t, url.replace('/mcp', '/sse'))

  t.equal(report.code, 1)
  t.match(report.of('problem'), /^speaks HTTP\+SSE of 2024-11-05/)
})

t.test('a server that asks for a key in a header of its own is examined with it', async t => {
  const key = 'key-of-ada'
  const url = await fakeServer(t, {}, ({ request, response }) => {
    if (request.headers['x-api-key'] === key) return false
    send(response, 401, '', 'text/plain')
    return true
  })

  const report = await doctor(t, url, ['--header', `x-api-key: ${key}`])

  t.match(report.of('ok'), 'the headers of --header are accepted')
  t.match(report.of('ok'), 'sessions speak 2025-11-25')
  t.notMatch(report.text, key)
})
