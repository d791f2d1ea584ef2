// Refuses requests under load, by headers only. @fastify/under-pressure measures; each route has
// its own guard, so that /health still responds.
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { McpError } from '../src/protocol/errors.ts'
import { GUARDS } from './guards.ts'

/** Mean event loop delay in a second, ms; more than a slow machine reaches under work. */
const MAX_DELAY_MS = 1000

/** Time after the start in which the delay is ignored, ms: loading delays the event loop. */
const STARTING_MS = 2000

/** For our own process only; another app measures its own load. */
export async function measureLoad(app: FastifyInstance): Promise<void> {
  let isUnderPressure = () => false
  let startedAtMs = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    startedAtMs = performance.now()
  })
  // In a scope without routes, since the package's hook would refuse and slow down all routes.
  await app.register(async scope => {
    await scope.register(underPressure, { maxEventLoopDelay: MAX_DELAY_MS })
    isUnderPressure = () => performance.now() - startedAtMs > STARTING_MS && scope.isUnderPressure()
  })
  app.decorate('isUnderPressure', isUnderPressure)
}

async function load(app: FastifyInstance) {
  // Read each time: the app may register its measurement later, or never.
  app[GUARDS].shedLoad = (_request, _reply, done) => {
    // An app may use this name for something else.
    const { isUnderPressure } = app
    if (typeof isUnderPressure !== 'function' || isUnderPressure.call(app) !== true) return done()
    done(new McpError('BUSY', 'the process is overloaded; retry', { retryAfterS: 1 }))
  }
}

export default fp(load, { name: 'toolrack-load' })
