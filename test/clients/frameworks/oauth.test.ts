// The OAuth flow from both doors, by clients that look for the authorization server themselves.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auth, createMCPClient, type OAuthClientProvider, type OAuthTokens } from '@ai-sdk/mcp'
import t, { type Test } from 'tap'
import { authorizationServer } from '../../support/clients/authorization-server.ts'
import { authorize, type User } from '../../support/clients/user-agent.ts'
import { MCP_REMOTE } from './mcp-remote.ts'
import { openShop } from './server.ts'

const REDIRECT_URL = 'http://127.0.0.1:9/callback'
const alice: User = { account: 'alice', grants: ['prices:read'] }

/** A shop that wants tokens of an authorization server. */
async function openGuardedShop(t: Test) {
  const { issuer, jwksUrl } = await authorizationServer(t, alice.grants, REDIRECT_URL)
  const shop = await openShop(t, {
    JWT_JWKS_URL: jwksUrl,
    JWT_ISSUER: issuer,
    SCOPES_SUPPORTED: 'prices:read',
    HTTP_SSE: 'true',
  })
  return { '/mcp': shop.url, '/sse': shop.url.replace('/mcp', '/sse') }
}

const DOORS = ['/mcp', '/sse'] as const

for (const door of DOORS) {
  t.test(`AI SDK gets a token for ${door}`, async t => {
    const { [door]: url } = await openGuardedShop(t)
    const { provider, answer } = inMemory()
    const open = () =>
      createMCPClient({ transport: { type: door === '/mcp' ? 'http' : 'sse', url, authProvider: provider } })
    await t.rejects(open(), { message: /[Uu]nauthorized/ })
    const { code, iss, state } = await answer()
    await auth(provider, { serverUrl: url, authorizationCode: code, callbackIssuer: iss, callbackState: state })

    const client = await open()
    t.teardown(() => client.close())

    t.ok('get_price' in (await client.tools()))
  })

  t.test(`mcp-remote gets a token for ${door}`, async t => {
    const { [door]: url } = await openGuardedShop(t)
    const program = runMcpRemote(t, url, door === '/mcp' ? 'http-only' : 'sse-only')

    const start = new URL(await program.says(/visiting:\s+(http\S+)/))
    const redirectUrl = start.searchParams.get('redirect_uri')!
    const answer = new URL(redirectUrl)
    answer.search = String(await authorize(alice, start, redirectUrl))
    await fetch(answer)

    t.ok(await program.says(/(Proxy established successfully)/))
  })
}

/** Keeps what the AI SDK gives it, and sends alice to the authorization server. */
function inMemory() {
  let tokens: OAuthTokens | undefined
  let client: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0] | undefined
  let server: Parameters<NonNullable<OAuthClientProvider['saveAuthorizationServerInformation']>>[0] | undefined
  let verifier = ''
  let asked: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URL,
    clientMetadata: {
      redirect_uris: [REDIRECT_URL],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    tokens: () => tokens,
    saveTokens: given => void (tokens = given),
    clientInformation: () => client,
    saveClientInformation: given => void (client = given),
    authorizationServerInformation: () => server,
    saveAuthorizationServerInformation: given => void (server = given),
    codeVerifier: () => verifier,
    saveCodeVerifier: given => void (verifier = given),
    redirectToAuthorization: url => void (asked = url),
  }
  const answer = async () => {
    const answered = await authorize(alice, asked!, REDIRECT_URL)
    return Object.fromEntries(answered) as { code: string; iss?: string; state?: string }
  }
  return { provider, answer }
}

/** The program, and what it writes for its user. */
function runMcpRemote(t: Test, url: string, transport: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
  const args = [MCP_REMOTE, url, '--allow-http', '--transport', transport]
  // Without a path there is no browser that it could open.
  const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, PATH: '' }
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] })
  t.teardown(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  let written = ''
  child.stderr!.setEncoding('utf8').on('data', chunk => (written += chunk))
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(written)?.[1]
        if (found !== undefined) resolve(found)
      }
      child.stderr!.on('data', look)
      child.on('close', () => reject(new Error(`mcp-remote ended: ${written}`)))
      look()
    })
  return { says }
}
