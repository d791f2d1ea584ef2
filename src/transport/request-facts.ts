// What the server notes on a request, under symbols: an app around it may have decorators of their
// names. Plugins declare them, and the guards fill them.

export const CLIENT_KEY: unique symbol = Symbol('toolrack clientKey')
export const STARTED_MS: unique symbol = Symbol('toolrack startedMs')
export const BODY_BYTES: unique symbol = Symbol('toolrack bodyBytes')
export const IS_AUDITED: unique symbol = Symbol('toolrack isAudited')

export const NAMED: unique symbol = Symbol('toolrack named request')

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom limits count; empty until the guard that limits has run. */
    [CLIENT_KEY]: string
    /** As of `performance.now()`; 0 if not measured. */
    [STARTED_MS]: number
    [BODY_BYTES]: number
    [IS_AUDITED]: boolean
    /** What it asks for, if a door finds it elsewhere than in headers of MCP. */
    [NAMED]: { readonly method: string; readonly name: string } | undefined
  }
}
