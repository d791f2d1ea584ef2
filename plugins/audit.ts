// What the audit has to know of a request from its first moment: when it came, how long its body was, and whether its
// line is written.
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of `performance.now()`; 0 where nobody asks. */
    startedMs: number
    bodyBytes: number
    isAudited: boolean
  }
}

async function audit(app: FastifyInstance, { isTimed }: { isTimed: boolean }) {
  app.decorateRequest('startedMs', 0)
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('isAudited', false)
  if (!isTimed) return
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedMs = performance.now()
    done()
  })
}

export default fp(audit, { name: 'toolrack-audit' })
