// The fixture server with access control, for scenarios that are not published yet (2026-11): one of audiences, one of
// scopes. A server is either open or checked, so each is a server of its own.
import type { IncomingMessage } from 'node:http'
import type { ServerOptions } from '../../src/index.ts'
import { signed } from '../support/auth/tokens.ts'
import { serveFixture } from './fixture.ts'
import { prompts } from './fixtures/prompts.ts'
import { resources } from './fixtures/resources.ts'
import { contentTools } from './fixtures/tools-content.ts'

/** Where the suite's own issuer is. */
const SUITE_ISSUER = 'http://127.0.0.1:9797'

/** Accepts the tokens of the suite's issuer for this server. */
export const serveAudience = (port: number, issuer = SUITE_ISSUER, options: ServerOptions = {}) =>
  serveFixture(port, { port, ...options, jwt: { jwksUrl: `${issuer}/.well-known/jwks.json`, issuer, ...options.jwt } })

const scopesOf = (kind: string, ...names: readonly string[]) => names.map(name => `mcp:conformance:${kind}:${name}`)

/** By the name, URI or template of what needs them. */
const SCOPES: Readonly<Record<string, string[]>> = {
  test_simple_text: scopesOf('tools', 'call', 'test_simple_text'),
  'test://static-text': scopesOf('resources', 'read', 'static'),
  'test://template/{id}/data': scopesOf('resources', 'read', 'template:123'),
  test_simple_prompt: scopesOf('prompts', 'get', 'test_simple_prompt'),
}

function withScopes<T extends object>(definition: T): T {
  const { name, uri, uriTemplate } = definition as { name?: string; uri?: string; uriTemplate?: string }
  const scopes = SCOPES[uri ?? uriTemplate ?? name ?? '']
  return scopes === undefined ? definition : { ...definition, scopes }
}

/** The suite sends these texts as tokens. */
export const LOW = 'mcp-conformance-scope-low'
export const FULL = 'mcp-conformance-scope-full'

const SECRET = 'of the conformance fixtures, and of nothing else'
const AUDIENCE = 'http://127.0.0.1/conformance'

/** A JWT in place of each text, since this server takes no opaque tokens. */
const TOKENS: Readonly<Record<string, string>> = {
  [LOW]: 'mcp:conformance:baseline',
  [FULL]: ['mcp:conformance:baseline', ...new Set(Object.values(SCOPES).flat())].join(' '),
}

function translateToken({ headers }: IncomingMessage): void {
  const [, text = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  const scope = TOKENS[text]
  if (scope !== undefined) headers.authorization = `Bearer ${signed(SECRET, { aud: AUDIENCE, scope })}`
}

/** Needs two scopes for one tool, one resource, one template and one prompt. */
export async function serveScopes(port: number, options: ServerOptions = {}) {
  const served = await serveFixture(port, {
    tools: contentTools.map(withScopes),
    resources: resources.map(withScopes),
    prompts: prompts.map(withScopes),
    ...options,
    jwt: { secret: SECRET, audience: AUDIENCE, ...options.jwt },
  })
  served.app.server.prependListener('request', translateToken)
  return served
}
