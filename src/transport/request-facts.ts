// Facts that the server stores on a request, under symbols: an app around it may have decorators
// with the same names. Plugins declare them, and the guards set them.

export const CLIENT_KEY: unique symbol = Symbol('toolrack clientKey')
export const STARTED_MS: unique symbol = Symbol('toolrack startedMs')
export const BODY_BYTES: unique symbol = Symbol('toolrack bodyBytes')
export const IS_AUDITED: unique symbol = Symbol('toolrack isAudited')

export const NAMED: unique symbol = Symbol('toolrack named request')

declare module 'fastify' {
  interface FastifyRequest {
    /** The key for limits; empty until the guard that limits has run. */
    [CLIENT_KEY]: string
    /** As of `performance.now()`; 0 if not measured. */
    [STARTED_MS]: number
    [BODY_BYTES]: number
    [IS_AUDITED]: boolean
    /** The requested method and name, if a door finds them elsewhere than in headers of MCP. */
    [NAMED]: { readonly method: string; readonly name: string } | undefined
  }
}
