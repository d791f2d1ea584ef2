// Who asks. Until access control is on nobody is verified; an app that verifies its callers itself sets `request.caller`.
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller } from '../src/exchange.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

async function auth(app: FastifyInstance) {
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', undefined)
}

export default fp(auth, { name: 'toolrack-auth' })
