// A server of tests takes requests however late a busy machine lets it run: what a test asks for is else refused with 503.
// The real measure of load has tests of its own, in plugins/load.test.ts.
import type { FastifyInstance } from 'fastify'

export function shedNoLoad<App extends FastifyInstance>(app: App): App {
  app.isUnderPressure = () => false
  return app
}
