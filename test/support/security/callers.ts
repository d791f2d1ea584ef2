// Verified callers of a server with access control, for tests of what belongs to one subject.
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, build, listening } from '../app.ts'
import { signed } from '../auth/tokens.ts'

const SECRET = 'the-shared-secret-of-these-tests-0123456789'
const AUDIENCE = 'https://rack.example/mcp'
const ACCESS = { jwt: { secret: SECRET, audience: AUDIENCE }, rateLimit: { max: 1_000_000 } }

let tokens = 0

/** The header of a caller; each time of a token of its own. */
export const as = (sub: string, scope?: string) => ({
  authorization: `Bearer ${signed(SECRET, { sub, aud: AUDIENCE, jti: String(++tokens), ...(scope !== undefined && { scope }) })}`,
})

/** A token of a caller that is signed by nobody. */
export const forged = (sub: string) => ({
  authorization: `Bearer ${signed('x'.repeat(32), { sub, aud: AUDIENCE, jti: String(++tokens) })}`,
})

export const guarded = (t: Test, options: ServerOptions = {}): Promise<App> =>
  build(t, {
    ...ACCESS,
    ...options,
    jwt: { ...ACCESS.jwt, ...options.jwt },
    rateLimit: { ...ACCESS.rateLimit, ...options.rateLimit },
  })

export const guardedListening = (t: Test, options: ServerOptions = {}) =>
  listening(t, {
    ...ACCESS,
    ...options,
    jwt: { ...ACCESS.jwt, ...options.jwt },
    rateLimit: { ...ACCESS.rateLimit, ...options.rateLimit },
  })
