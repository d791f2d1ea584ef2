// The guards of one server, under a symbol: an app around it may have decorators with the same names.
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { McpError } from '../src/protocol/errors.ts'
import type { Caller } from '../src/request/exchange.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'

export const GUARDS: unique symbol = Symbol('toolrack guards')

/** The plugin that owns a guard sets it. */
export interface Guards {
  checkOrigin: onRequestHookHandler
  checkMedia: onRequestHookHandler
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply
  shedLoad: onRequestHookHandler
  authenticate: onRequestHookHandler
  limitCaller: onRequestHookHandler
  /** Counts a further message of the same request. @returns the refusal, if any */
  countMessage(request: FastifyRequest): MaybePromise<McpError | undefined>
  /** Counts a message of a connection that has no request of its own. @returns the refusal, if any */
  countClient(client: {
    readonly caller?: Caller | undefined
    readonly clientKey: string
  }): MaybePromise<McpError | undefined>
  /** Counts a request without a token, or with a rejected one. @returns the refusal, if any */
  countFailure(request: FastifyRequest, hasToken: boolean): McpError | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    [GUARDS]: Guards
  }
}
