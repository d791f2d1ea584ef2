// A server whose tools ask for tokens on behalf of their callers.
import type { Test } from 'tap'
import { defineTool, type ServerOptions, type TokenRequest } from '../../../src/index.ts'
import { type App, build } from '../app.ts'
import { merged } from '../merged.ts'
import { RESOURCE, SECRET } from './guarded.ts'
import type { TokenService } from './token-service.ts'
import { signed } from './tokens.ts'

export const CLIENT_SECRET = 'client-secret-of-the-tools-4712'

/** What these tools were given, one after the other. */
export interface Given {
  readonly tokens: string[]
}

/** A token of this server, and its header. */
export function subjectOf(over: object = {}) {
  const token = signed(SECRET, { aud: RESOURCE, scope: 'read', ...over })
  return { token, headers: { authorization: `Bearer ${token}` } }
}

export const ALICE = subjectOf({ sub: 'alice' })

/** Keeps the token, and returns nothing of it. */
export const asking = (given: Given, name = 'ask') =>
  defineTool({
    name,
    inputSchema: {
      type: 'object' as const,
      properties: { audience: {}, resource: {}, scope: {} },
      additionalProperties: false,
    },
    async handler(request, { caller }) {
      given.tokens.push(await caller!.tokenFor(request as TokenRequest))
      return 'done'
    },
  })

export const exchangeSettings = (service: TokenService): ServerOptions => ({
  jwt: { secret: SECRET },
  publicUrl: RESOURCE,
  rateLimit: { max: 1_000_000 },
  tokenExchange: { url: service.tokenUrl, clientId: 'tools of ours', clientSecret: CLIENT_SECRET },
})

export async function onBehalf(t: Test, service: TokenService, options: ServerOptions = {}) {
  const given: Given = { tokens: [] }
  const app: App = await build(t, merged({ ...exchangeSettings(service), tools: [asking(given)] }, options))
  return { app, given }
}
