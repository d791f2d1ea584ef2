// Whether the process is too busy to take another request; told by headers alone, before anything is verified or read.
// @fastify/under-pressure measures; the guard asks it, so that what must answer under load, such as /health, still does.
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { McpError } from '../src/protocol/errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    shedLoad: onRequestHookHandler
  }
}

/** How late the event loop may be on the average of a second, ms: more than a slow machine at work ever is. */
const MAX_DELAY_MS = 1000

/** What is measured in the first two seconds tells of the start, which holds up the loop as long as the machine needs. */
const STARTING_MS = 2000

/** Measures the load of a process that is ours; in the app of somebody else it is theirs to measure. */
export async function measureLoad(app: FastifyInstance): Promise<void> {
  let isUnderPressure = () => false
  let startedAtMs = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    startedAtMs = performance.now()
  })
  // In a scope without routes: the package's own hook would refuse whatever the app serves, and cost each request.
  await app.register(async scope => {
    await scope.register(underPressure, { maxEventLoopDelay: MAX_DELAY_MS })
    isUnderPressure = () => performance.now() - startedAtMs > STARTING_MS && scope.isUnderPressure()
  })
  app.decorate('isUnderPressure', isUnderPressure)
}

async function load(app: FastifyInstance) {
  // Asked for each time: an app may measure its load with a plugin that it registers later, or not at all.
  app.decorate<onRequestHookHandler>('shedLoad', (_request, _reply, done) => {
    if (app.isUnderPressure?.() !== true) return done()
    done(new McpError('BUSY', 'the process is overloaded; retry', { retryAfterS: 1 }))
  })
}

export default fp(load, { name: 'toolrack-load' })
