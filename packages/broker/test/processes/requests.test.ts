// What strangers may ask for: which clients are registered, where answers go, and what a request
// has to have. RFC 9700, 2.1, 4.1, 4.5 and 4.11; RFC 7591; RFC 7636; RFC 8252, 7.3.
import t from 'tap'
import { listen } from '../../../../test/support/servers/http-server.ts'
import { LIMITS } from '../../src/limits.ts'
import {
  ask,
  type Body,
  exchange,
  post,
  REDIRECT,
  RESOURCE,
  register,
  registered,
  startBroker,
} from '../support/broker.ts'
import { leftFor, shownIn } from '../support/browser.ts'

// Tests register as often as they like from one address; those of the limits have a broker of their
// own.
const broker = await startBroker(t, { REDIRECT_SCHEMES: 'cursor', TRUST_PROXY: '127.0.0.1' })
let addresses = 0
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${++addresses % 250}` })
const LOOPBACK = 'http://127.0.0.1/callback'

t.test('the metadata says what clients look for', async t => {
  const open = await fetch(`${broker.url}/.well-known/oauth-authorization-server`, {
    headers: { origin: 'https://any.example' },
  })
  const metadata = (await open.json()) as Body

  t.equal(open.headers.get('access-control-allow-origin'), 'https://any.example')
  t.match(metadata, {
    issuer: broker.url,
    authorization_endpoint: `${broker.url}/authorize`,
    token_endpoint: `${broker.url}/token`,
    registration_endpoint: `${broker.url}/register`,
    jwks_uri: `${broker.url}/jwks`,
    revocation_endpoint: `${broker.url}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['prices:read', 'prices:write', 'offline_access'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  t.ok(metadata.token_endpoint_auth_methods_supported.includes('none'))
  t.notMatch(JSON.stringify(metadata), /device_authorization|pushed_authorization|userinfo|end_session|introspection/)
})

t.test('neither Host nor X-Forwarded-Host changes what the broker is called', async t => {
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
  const metadata = await fetch(`${broker.url}/.well-known/oauth-authorization-server`, { headers })

  t.notMatch(await metadata.text(), 'evil.example')
})

t.test('the published keys are public', async t => {
  const { keys } = (await (await fetch(`${broker.url}/jwks`)).json()) as Body

  t.match(keys, [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: /./, d: undefined }])
})

t.test('a client is registered with what counts here, and with nothing else', async t => {
  const asked: string[] = []
  const origin = await listen(t, (request, response) => {
    asked.push(request.url!)
    response.end('{}')
  })
  const { status, headers, body } = await register(broker, {
    scope: 'prices:write admin',
    client_uri: origin,
    logo_uri: `${origin}/logo`,
    jwks_uri: `${origin}/jwks`,
    sector_identifier_uri: `${origin}/sector`,
    policy_uri: `${origin}/policy`,
    backchannel_logout_uri: `${origin}/logout`,
    request_uris: [`${origin}/request`],
    client_id: 'chosen',
    client_secret: 'chosen',
    grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials'],
    response_types: ['code', 'id_token token'],
  })

  t.equal(status, 201)
  t.equal(headers.get('access-control-allow-origin'), '*', 'pages may register, too')
  t.match(body, { client_name: 'Test client', redirect_uris: [REDIRECT], response_types: ['code'] })
  t.strictSame(body.grant_types, ['authorization_code', 'refresh_token'])
  t.notMatch(JSON.stringify(body), /_uri"|scope|chosen|secret|http:/)
  t.match(body.client_id, /^[\w-]{20,}$/)
  t.strictSame(asked, [], 'nothing of it was fetched')
})

t.test('a client that wants a secret gets one, and needs it', async t => {
  for (const method of ['client_secret_post', 'client_secret_basic']) {
    const { body } = await register(broker, { token_endpoint_auth_method: method })
    t.match(body.client_secret, /.{40}/)
    const { url, verifier } = ask(broker, body.client_id)
    const code = leftFor(await broker.browser().authorize(url, { account: 'bob' })).get('code')!
    const basic = `Basic ${Buffer.from(`${body.client_id}:${body.client_secret}`).toString('base64')}`
    const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code, code_verifier: verifier }

    t.match(await exchange(broker, body.client_id, code, verifier), { status: 401, body: { error: 'invalid_client' } })
    const response = await fetch(`${broker.url}/token`, {
      method: 'POST',
      ...(method === 'client_secret_basic' && { headers: { authorization: basic } }),
      body: new URLSearchParams(
        method === 'client_secret_basic'
          ? form
          : { ...form, client_id: body.client_id, client_secret: body.client_secret },
      ),
    })
    t.match(await response.json(), { access_token: /./ }, method)
  }
})

const REFUSED: [what: string, uris: unknown][] = [
  ['no list', 'https://client.example/'],
  ['an empty list', []],
  ['too many', Array.from({ length: 11 }, (_, at) => `https://client.example/${at}`)],
  ['too long', [`https://client.example/${'x'.repeat(1000)}`]],
  ['plain HTTP', ['http://client.example/callback']],
  ['plain HTTP at an address that looks like loopback', ['http://127.0.0.1.evil.example/']],
  ['plain HTTP with a user that looks like loopback', ['http://localhost@evil.example/']],
  ['a user name', ['https://claude.ai@evil.example/']],
  ['a fragment', ['https://client.example/#token']],
  ['a wildcard', ['https://*.example/callback']],
  ['a backslash', ['https://client.example\\@evil.example/']],
  ['white space', ['https://client.example/ callback']],
  ['a tab', ['https://client.example/\tcallback']],
  ['a host in other letters', ['https://ＣＬＡＵＤＥ.ai/callback']],
  ['a relative URL for some parsers', ['http:127.0.0.1/callback']],
  ['loopback as a number', ['http://2130706433/callback']],
  ['loopback with a dot at its end', ['http://127.0.0.1./callback']],
  ['script', ['javascript:alert(1)']],
  ['data', ['data:text/html,hello']],
  ['a scheme that is not listed', ['vscode://callback']],
  ['a bad one behind a good one', [REDIRECT, 'http://evil.example/']],
  ['no URL', ['callback']],
  ['no text', [{ href: REDIRECT }]],
]

for (const [what, uris] of REFUSED) {
  t.test(`no client is registered with redirect URIs that are ${what}`, async t => {
    const body = JSON.stringify({ redirect_uris: uris, token_endpoint_auth_method: 'none' })
    const headers = { 'content-type': 'application/json', ...elsewhere() }
    const response = await fetch(`${broker.url}/register`, { method: 'POST', headers, body })

    t.equal(response.status, 400)
    t.match(await response.json(), {
      error: /^invalid_(?:client_metadata|redirect_uri)$/,
      error_description: /redirect_uris/,
    })
  })
}

t.test('bodies that are no metadata are refused', async t => {
  for (const [type, body] of [
    ['application/json', '[]'],
    ['application/json', '{'],
    ['application/json', 'null'],
    ['text/plain', '{}'],
    ['application/json', JSON.stringify({ client_name: 'x'.repeat(60_000) })],
  ] as const) {
    const headers = { 'content-type': type, ...elsewhere() }
    const { status } = await fetch(`${broker.url}/register`, { method: 'POST', headers, body })
    t.equal(status, 400, body.slice(0, 20))
  }
})

t.test('answers go to the registered address only, letter for letter', async t => {
  const clientId = await registered(broker, { redirect_uris: ['https://client.example/callback?a=1'] })
  for (const uri of [
    'https://client.example/callback',
    'https://client.example/callback?a=1&b=2',
    'https://client.example/callback?a=1/',
    'https://client.example/callback/../callback?a=1',
    'https://client.example/callback%2F..?a=1',
    'https://client.example:443/callback?a=1',
    'https://CLIENT.example/callback?a=1',
    'https://client.example.evil.example/callback?a=1',
    'https://client.example@evil.example/callback?a=1',
    'http://client.example/callback?a=1',
    'https://evil.example/',
    '//client.example/callback?a=1',
    '',
    undefined,
  ]) {
    const response = await broker
      .browser()
      .request(ask(broker, clientId, { redirect_uri: uri }).url, undefined, elsewhere())
    t.equal(response.status, 400, uri ?? 'none')
    t.notOk(response.headers.has('location'))
  }
})

t.test('two addresses in one request are refused', async t => {
  const { url } = ask(broker, await registered(broker))
  url.searchParams.append('redirect_uri', 'https://evil.example/')

  t.match(shownIn(await broker.browser().go(url)), { status: 400 })
})

t.test('for a program on the same machine the port may differ, and nothing else', async t => {
  const clientId = await registered(broker, { redirect_uris: [LOOPBACK, 'https://client.example/callback'] })
  const status = async (uri: string) =>
    (await broker.browser().request(ask(broker, clientId, { redirect_uri: uri }).url, undefined, elsewhere())).status

  t.equal(await status('http://127.0.0.1:49152/callback'), 303)
  t.equal(await status(LOOPBACK), 303)
  for (const uri of [
    'http://127.0.0.1:49152/other',
    'http://localhost:49152/callback',
    'http://127.0.0.1:49152@evil.example/callback',
    'https://client.example:8443/callback',
    'https://127.0.0.1/callback',
  ])
    t.equal(await status(uri), 400, uri)
})

t.test('an app with a scheme that the operator lists is one on this device', async t => {
  const uri = 'cursor://anysphere.cursor-mcp/oauth/callback'
  const clientId = await registered(broker, { redirect_uris: [uri] })
  const browser = broker.browser()
  const page = shownIn(await browser.go(ask(broker, clientId, { redirect_uri: uri }).url))

  t.match(page.html, 'on this device')
  const end = await browser.authorize(ask(broker, clientId, { redirect_uri: uri }).url, { account: 'bob' })
  t.match('left' in end && end.left.href, /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?code=/)
})

t.test('a link alone sends nobody away, not even with an error', async t => {
  const clientId = await registered(broker, { redirect_uris: ['https://evil.example/lure'] })
  for (const changes of [
    { scope: 'a"b' },
    { prompt: 'none' },
    { response_type: 'token' },
    { response_type: 'code id_token' },
    { response_type: undefined },
    { response_mode: 'form_post' },
    { response_mode: 'fragment' },
    { response_mode: 'web_message' },
    { code_challenge: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { code_challenge: 'short' },
    { request: 'e30.e30.' },
    { request_uri: 'https://evil.example/request' },
    { resource: 'https://evil.example/mcp' },
    { resource: 'no URL' },
    { prompt: 'unknown' },
  ]) {
    const { url } = ask(broker, clientId, { redirect_uri: 'https://evil.example/lure', ...changes })
    const response = await broker.browser().request(url, undefined, elsewhere())

    t.equal(response.status, 400, JSON.stringify(changes))
    t.notOk(response.headers.has('location'), JSON.stringify(changes))
    t.notMatch(await response.text(), /<script|<form/)
  }
})

t.test('a request names one resource', async t => {
  const { url } = ask(broker, await registered(broker))
  url.searchParams.append('resource', RESOURCE)
  const { status, html } = shownIn(await broker.browser().go(url))

  t.equal(status, 400)
  t.match(html, 'One resource at a time')
})

t.test('a request that is too long to keep is refused', async t => {
  const clientId = await registered(broker)
  const withState = (length: number) =>
    fetch(ask(broker, clientId, { state: 's'.repeat(length) }).url, { redirect: 'manual', headers: elsewhere() })

  t.equal((await withState(3000)).status, 303)
  const refused = await withState(5000)
  t.equal(refused.status, 414)
  t.match(await refused.text(), '4096 characters')
})

t.test('an authorization is a GET', async t => {
  const { url } = ask(broker, await registered(broker))
  const response = await fetch(`${broker.url}/authorize`, {
    method: 'POST',
    body: url.searchParams,
    redirect: 'manual',
  })

  t.equal(response.status, 404)
})

t.test('a code needs the verifier, the client and the address of its request', async t => {
  const clientId = await registered(broker)
  const other = await registered(broker)
  const withCode = async () => {
    const { url, verifier } = ask(broker, clientId)
    return { verifier, code: leftFor(await broker.browser().authorize(url, { account: 'bob' })).get('code')! }
  }
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  const wrong = ask(broker, clientId).verifier

  const one = await withCode()
  t.match(await exchange(broker, clientId, one.code, wrong), refused, 'another verifier')
  t.match(await exchange(broker, clientId, one.code, ''), { status: 400 }, 'no verifier')
  t.match(await exchange(broker, other, one.code, one.verifier), refused, 'another client')
  t.match(await exchange(broker, clientId, one.code, one.verifier, { redirect_uri: 'https://evil.example/' }), refused)
  t.match(await exchange(broker, clientId, 'made-up', one.verifier), refused, 'a code that was never given')
  const two = await withCode()
  t.match(await exchange(broker, clientId, two.code, two.verifier), { status: 200 })
})

t.test('there are no other ways to a token', async t => {
  const clientId = await registered(broker)
  for (const grant of ['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'])
    t.match(await post(broker, '/token', { grant_type: grant, client_id: clientId, resource: RESOURCE }), {
      status: 400,
      body: { error: 'unsupported_grant_type' },
    })
  for (const path of ['/reg', '/me', '/session/end', '/request', '/device/auth', '/introspect'])
    t.equal((await fetch(`${broker.url}${path}`)).status, 404, path)
})

t.test('with REDIRECT_HOSTS, clients of other hosts are not registered', async t => {
  const strict = await startBroker(t, { REDIRECT_HOSTS: 'claude.ai,chatgpt.com' })

  t.equal((await register(strict, { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] })).status, 201)
  t.match(await register(strict, { redirect_uris: ['https://evil.example/'] }), {
    status: 400,
    body: { error_description: /hosts that the operator lists/ },
  })
  t.equal((await register(strict, { redirect_uris: [LOOPBACK] })).status, 201, 'programs on the machine are no host')
})

t.test('a flood of registrations is refused, and whoever has registered goes on', async t => {
  const flooded = await startBroker(t)
  const clientId = await registered(flooded)
  const all = await Promise.all(Array.from({ length: LIMITS.register + 20 }, () => register(flooded)))
  const refused = all.filter(({ status }) => status === 429)

  t.equal(refused.length, 21)
  t.match(refused[0], { body: { error: 'temporarily_unavailable' } })
  t.equal(refused[0]!.headers.get('retry-after'), '60')
  t.ok(leftFor(await flooded.browser().authorize(ask(flooded, clientId).url, { account: 'bob' })).has('code'))
})

t.test('all addresses of one /64 count as one', async t => {
  const flooded = await startBroker(t, { TRUST_PROXY: '127.0.0.1' })
  const send = async (at: number) => {
    const headers = { 'x-forwarded-for': `2001:db8::${at.toString(16)}` }
    return (await fetch(`${flooded.url}/authorize`, { headers })).status
  }
  const all = await Promise.all(Array.from({ length: LIMITS.authorize + 5 }, (_, at) => send(at + 1)))

  t.equal(all.filter(status => status === 429).length, 5)
})

t.test('without TRUST_PROXY a client does not choose its address', async t => {
  const flooded = await startBroker(t)
  const send = async (at: number) => {
    const headers = { 'x-forwarded-for': `203.0.113.${at}` }
    return (await fetch(`${flooded.url}/authorize`, { headers })).status
  }
  const all = await Promise.all(Array.from({ length: LIMITS.authorize + 5 }, (_, at) => send(at)))

  t.equal(all.filter(status => status === 429).length, 5)
})
