// A server, and the command, in a network whose hosts only a proxy reaches, with certificates of a
// private authority.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listening } from '../../../../../test/support/app.ts'
import { AUDIENCE, type Issuer, keyIssuers } from '../../../../../test/support/auth/forge.ts'
import { RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import {
  type IssuerServer,
  issuerServer,
  OPENID,
  sendJson,
  tokenOf,
} from '../../../../../test/support/auth/issuer-server.ts'
import { subjectOf } from '../../../../../test/support/auth/on-behalf.ts'
import { giveTokens, tokenService } from '../../../../../test/support/auth/token-service.ts'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { callOver, serve } from '../../../../../test/support/servers/own-process.ts'
import { PROXY_PASSWORD, privateNetwork } from '../../../../../test/support/servers/private-network.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const [signer] = keyIssuers() as [Issuer]
const ISSUER = 'https://issuer.internal'
const GUARDED = { PUBLIC_URL: AUDIENCE }

/** An issuer that knows itself by its private name. */
async function publish(t: Test): Promise<IssuerServer> {
  const server = await issuerServer(t)
  server.paths[OPENID('')] = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks`, introspection_endpoint: `${ISSUER}/ask` }
  server.paths['/jwks'] = { keys: [signer.jwk] }
  server.paths['/ask'] = (_asked, response) => sendJson(response, 200, { active: true, sub: 'alice', aud: AUDIENCE })
  return server
}

const headers = tokenOf(signer, ISSUER)

t.test('keys: by their URL and by the metadata of the issuer', async t => {
  const { origin } = await publish(t)
  for (const [how, settings] of Object.entries<Record<string, string>>({
    'by URL': { JWT_JWKS_URL: `${ISSUER}/jwks`, JWT_ISSUER: ISSUER },
    'by metadata': { JWT_ISSUER: ISSUER },
  })) {
    const { env, asked } = await privateNetwork(t, { 'issuer.internal': origin })

    const server = await serve(t, {}, { ...GUARDED, ...settings, ...env })

    t.equal((await callOver(server.url, 'probe', {}, { headers })).status, 200, how)
    t.ok(asked.includes('issuer.internal:443'), how)
    t.notMatch(server.stdout, PROXY_PASSWORD)
  }
})

t.test('opaque tokens: their issuer is asked', async t => {
  const { origin } = await publish(t)
  const { env } = await privateNetwork(t, { 'issuer.internal': origin })
  const { path } = tempFolder(t, { secret: 'secret' })
  const introspection = { clientId: 'tools', clientSecretFile: join(path, 'secret') }
  writeFileSync(join(path, 'issuers.json'), JSON.stringify({ issuers: [{ issuer: ISSUER, introspection }] }))

  const server = await serve(t, {}, { ...GUARDED, ISSUERS_FILE: join(path, 'issuers.json'), ...env })

  const opaque = { authorization: 'Bearer opaque-1' }
  t.equal((await callOver(server.url, 'probe', {}, { headers: opaque })).status, 200)
})

t.test('tokens on behalf of callers are exchanged', async t => {
  const service = await tokenService(t, giveTokens())
  const { env, asked } = await privateNetwork(t, { 'tokens.internal': service.issuer })
  const settings = {
    JWT_SECRET: SECRET,
    PUBLIC_URL: RESOURCE,
    TOKEN_EXCHANGE_URL: 'https://tokens.internal/token',
    TOKEN_EXCHANGE_CLIENT_ID: 'tools',
    TOKEN_EXCHANGE_CLIENT_SECRET: 'client-secret',
  }
  const asking = `export default { name: 'ask', description: 'Asks.', handler: async (_args, { caller }) =>
    String((await caller.tokenFor({ audience: 'reports' })).length > 0) }`
  const server = await serve(t, { 'ask.mjs': asking }, { ...settings, ...env })

  const { body } = await callOver(server.url, 'ask', {}, subjectOf())

  t.equal(body.result.content[0].text, 'true')
  t.strictSame(asked, ['tokens.internal:443'])
})

t.test('without the authority, or through a proxy that refuses: the log says why and what to do', async t => {
  const { origin } = await publish(t)
  for (const [hosts, over, reason] of [
    [{ 'issuer.internal': origin }, { NODE_EXTRA_CA_CERTS: '' }, /NODE_EXTRA_CA_CERTS names the file of a private CA$/],
    [
      { 'other.internal': origin },
      {},
      /^Proxy response \(403\) .*; HTTPS_PROXY and NO_PROXY say what goes by a proxy$/,
    ],
  ] as const) {
    const { env } = await privateNetwork(t, hosts)

    const server = await serve(
      t,
      {},
      { ...GUARDED, JWT_JWKS_URL: `${ISSUER}/jwks`, JWT_ISSUER: ISSUER, ...env, ...over },
    )

    const found = () => server.lines.find(({ level, reason }) => level >= 40 && reason !== undefined)
    await until(found, 'the log says why')
    t.match(found().reason, reason)
    t.equal((await callOver(server.url, 'probe', {}, { headers })).status, 503)
    t.notMatch(server.stdout, PROXY_PASSWORD)
  }
})

t.test('NO_PROXY: what it names is fetched without the proxy', async t => {
  const server = await publish(t)
  const { env, asked } = await privateNetwork(t, { 'other.internal': server.origin })
  const settings = { JWT_JWKS_URL: `${server.origin}/jwks`, JWT_ISSUER: ISSUER, NO_PROXY: '127.0.0.1' }

  const { url } = await serve(t, {}, { ...GUARDED, ...settings, ...env })

  t.equal((await callOver(url, 'probe', {}, { headers })).status, 200)
  t.strictSame(asked, [])
})

t.test('tools: a service of the operator is asked by way of the proxy, and what a model names is not', async t => {
  const { origin } = await issuerServer(t)
  const { env, asked } = await privateNetwork(t, { 'weather.internal': origin })
  const url = 'https://weather.internal'
  const server = await serve(t, {}, { SAMPLES: 'true', GEOCODING_API_URL: url, ...env })

  await callOver(server.url, 'get_weather_data', { location: 'Berlin' })
  t.strictSame(asked, ['weather.internal:443'])

  const { body } = await callOver(server.url, 'fetch_page', { url })
  t.match(body.result, { isError: true, content: [{ text: /weather\.internal/ }] })
  t.strictSame(asked, ['weather.internal:443'], 'the proxy could reach what the server may not')
})

t.test('the command: call, list and doctor reach a server there', async t => {
  const { port } = await listening(t, {
    tools: [{ name: 'probe', description: 'Says that it is alive.', handler: () => 'alive' }],
    publicUrl: 'https://tools.internal/mcp',
    rateLimit: { max: 100_000 },
  })
  const { env, asked } = await privateNetwork(t, { 'tools.internal': `http://127.0.0.1:${port}` })
  const url = 'https://tools.internal/mcp'

  const called = await runPiped(t, ['call', url, 'probe'], { env })
  t.match(called, { code: 0, stdout: /alive/ })
  t.match(await runPiped(t, ['list', url], { env }), { code: 0, stdout: /probe/ })
  asked.length = 0
  const { code, stdout, stderr } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m'], { env })
  t.equal(code, 0, stdout + stderr)
  t.strictSame([...new Set(asked)], ['tools.internal:443'])

  const refused = await runPiped(t, ['doctor', 'https://other.internal/mcp', '--timeout', '5m'], { env })
  t.match(refused, { code: 1, stdout: /cannot be reached: the proxy does not let it through/ })
  t.notMatch(JSON.stringify([called, stdout, refused]), PROXY_PASSWORD)
})

t.test('the command: this machine is asked without the proxy, and so is all with NODE_USE_ENV_PROXY=0', async t => {
  const { url } = await listening(t, { tools: [{ name: 'probe', handler: () => 'alive' }] })
  const { env, asked } = await privateNetwork(t, { 'tools.internal': url })
  const { port } = new URL(url)

  for (const host of ['127.0.0.1', 'localhost'])
    t.match(await runPiped(t, ['call', `http://${host}:${port}/mcp`, 'probe'], { env }), { code: 0 }, host)
  const off = { ...env, NODE_USE_ENV_PROXY: '0' }
  t.match(await runPiped(t, ['list', 'https://tools.internal/mcp'], { env: off }), { code: 1, stderr: /not known/ })
  t.strictSame(asked, [])
})

t.test('the command: a proxy that is not a URL is refused, without its password', async t => {
  for (const [name, value] of [
    ['HTTPS_PROXY', `me:${PROXY_PASSWORD}@proxy.internal:3128`],
    ['http_proxy', 'proxy.internal'],
  ] as const)
    t.match(await runPiped(t, ['list', 'https://tools.internal/mcp'], { env: { [name]: value } }), {
      code: 1,
      stdout: '',
      stderr: `${name}: expected a URL such as http://proxy.example:3128\n`,
    })
})
