// Refuses requests that begin once the server drains, before their body is read.
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { createDrainingError, type Inflight } from '../src/request/inflight.ts'
import { closeAfterwards } from '../src/transport/http-versions.ts'

/** @param mayPass tells if a running call waits for the request */
export function createDrainGuard(
  inflight: Inflight,
  mayPass: (request: FastifyRequest) => boolean = () => false,
): onRequestHookHandler {
  return (request, reply, done) => {
    if (!inflight.isDraining) return done()
    closeAfterwards(reply)
    done(mayPass(request) ? undefined : createDrainingError())
  }
}
