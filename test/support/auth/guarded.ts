// A server with access control, and something behind each of its doors: open to all who have a token, or with scopes.
import type { Test } from 'tap'
import { definePrompt, defineResource, defineTool, type ServerOptions } from '../../../src/index.ts'
import { type App, build } from '../app.ts'
import { nowS, signed } from './tokens.ts'

export const SECRET = 'a secret of the tests, and long enough'
export const RESOURCE = 'https://tools.example/mcp'
export const METADATA = 'https://tools.example/.well-known/oauth-protected-resource/mcp'

/** Made when a folder begins, and used until it ends, also on a machine that is slow. */
const LIFETIME_S = 6 * 60 * 60

/** Headers of a caller with these scopes. */
export const bearer = (scope = '', over: object = {}) => ({
  authorization: `Bearer ${signed(SECRET, { aud: RESOURCE, scope, exp: nowS() + LIFETIME_S, ...over })}`,
})

export const ALICE = bearer('read', { sub: 'alice' })
/** Who is not alice, however like her. */
export const OTHERS: Readonly<Record<string, Record<string, string>>> = {
  bob: bearer('read', { sub: 'bob' }),
  'alice of another issuer': bearer('read', { sub: 'alice', iss: 'https://other.example' }),
  'alice of no issuer': bearer('read', { sub: 'alice', iss: undefined }),
  'nearly alice': bearer('read', { sub: 'alice ' }),
  'alice in a name': bearer('read', { sub: '["https://as.example","alice"]', iss: undefined }),
}

export const form = { type: 'object' as const, properties: { word: { type: 'string' as const } } }

const asks = defineTool({
  name: 'asks',
  scopes: ['read'],
  inputSchema: { type: 'object', properties: { about: { type: 'string' } }, additionalProperties: false },
  async handler(_args, ctx) {
    const { content } = await ctx.elicit('word', {
      message: `The word of ${ctx.caller?.subject}?`,
      requestedSchema: form,
    })
    return `${ctx.caller?.subject} ${JSON.stringify(content)}`
  },
})

export const TOOLS = [
  defineTool({ name: 'free', handler: () => 'free' }),
  defineTool({ name: 'closed', scopes: ['read'], handler: () => 'opened' }),
  defineTool({ name: 'doubly', scopes: ['read', 'write'], handler: () => 'opened twice' }),
  asks,
]

export const RESOURCES = [
  defineResource({ uri: 'doc:free', name: 'free', handler: () => 'free' }),
  defineResource({ uri: 'doc:closed', name: 'closed', scopes: ['read'], handler: () => 'opened' }),
  defineResource({
    uriTemplate: 'item:{id}',
    name: 'items',
    scopes: ['read'],
    complete: { id: value => [`${value}1`] },
    handler: uri => `opened ${uri}`,
  }),
]

export const PROMPTS = [
  definePrompt({ name: 'free', handler: () => 'free' }),
  definePrompt({
    name: 'closed',
    scopes: ['read'],
    arguments: [{ name: 'who', complete: (value: string) => [`${value}b`] }],
    handler: () => 'opened',
  }),
]

/** A server that takes tokens of `bearer`. */
export function guarded(t: Test, options: ServerOptions = {}): Promise<App> {
  return build(t, {
    publicUrl: RESOURCE,
    authorizationServers: ['https://as.example'],
    tools: TOOLS,
    resources: RESOURCES,
    prompts: PROMPTS,
    ...options,
    jwt: { secret: SECRET, ...options.jwt },
    rateLimit: { max: 1_000_000, ...options.rateLimit },
  })
}
