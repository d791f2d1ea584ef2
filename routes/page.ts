// The page for browsers, at `/` and at the endpoint. Clients that ask for JSON or SSE never get it.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { createUnknownPathHook } from '../plugins/errors.ts'
import { GUARDS } from '../plugins/guards.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import type { Runtime } from '../src/runtime.ts'
import { acceptsPage } from '../src/transport/accept.ts'
import { setStallTimeout } from '../src/transport/event-stream.ts'
import { createHostRequiredError, lacksHost } from '../src/transport/target-host.ts'
import { createFacts } from './server-parts.ts'

export const wantsPage = ({ headers }: FastifyRequest): boolean => acceptsPage(headers)

export const pass: onRequestHookHandler = (_request, _reply, done) => done()

/** Runs one guard for browsers, and another one for clients. */
export const forPages = (page: onRequestHookHandler, other: onRequestHookHandler): onRequestHookHandler =>
  function guard(request, reply, done) {
    ;(wantsPage(request) ? page : other).call(this, request, reply, done)
  }

/** A cache must not show a refusal to a browser that asks for the page. */
const varyByAccept: onRequestHookHandler = (_request, reply, done) => {
  reply.header('vary', 'Accept, Origin')
  done()
}

/**
 * The page needs no token, but a token that is sent must be valid.
 *
 * @param authenticate the guard of clients
 */
export function pageGuards(app: FastifyInstance, authenticate: onRequestHookHandler): onRequestHookHandler[] {
  const isSent: onRequestHookHandler = function check(request, reply, done) {
    if (request.headers.authorization === undefined) done()
    else app[GUARDS].authenticate.call(this, request, reply, done)
  }
  return [
    app[GUARDS].checkOrigin,
    varyByAccept,
    app[GUARDS].shedLoad,
    forPages(isSent, authenticate),
    app[GUARDS].limitCaller,
  ]
}

/** `/` of a server of its own: only browsers get a page there. */
export async function rootRoutes(app: FastifyInstance, { runtime, page }: { runtime: Runtime; page: Page }) {
  const { settings, state, doors } = runtime
  const refuseUnknown = createUnknownPathHook(settings, state.requestLimits, doors)
  const refuse: onRequestHookHandler = (request, reply, done) =>
    lacksHost(request) ? done(createHostRequiredError()) : refuseUnknown(request, reply, done)
  app.get(
    '/',
    { onRequest: [varyByAccept, forPages(pass, refuse), ...pageGuards(app, app[GUARDS].authenticate)] },
    page.serve,
  )
}

export interface Page {
  serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/** The page of the door that has one. */
export function createPage(runtime: Runtime, resolved: ResolvedOptions): Page {
  const facts = createFacts(runtime, resolved)
  return {
    async serve(request, reply) {
      const { html, headers } = await runtime.doors.renderPage(request, facts)
      reply.headers({ 'cache-control': 'no-store', vary: 'Accept, Authorization, Origin', ...headers })
      reply.type('text/html; charset=utf-8').send(html)
      setStallTimeout(reply.raw)
      return reply
    },
  }
}
