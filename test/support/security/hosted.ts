// An app that verifies its callers itself, by a header of these tests, and serves tools beside: it stands in for access
// control.
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import toolrack, { type Caller, defineTool, type ToolrackOptions } from '../../../src/index.ts'
import type { TestReply } from '../client/reply.ts'
import { socket } from '../client/transport.ts'
import { callOf } from './sessions.ts'

const ask = defineTool({
  name: 'ask',
  async handler(_args, ctx) {
    const form = { type: 'object' as const, properties: { word: { type: 'string' as const } } }
    const answer = await ctx.elicit('word', { message: 'The word?', requestedSchema: form })
    return `${ctx.caller?.subject}: ${JSON.stringify(answer.content ?? answer.action)}`
  },
})
const slow = defineTool({
  name: 'slow',
  handler: (_args, { signal }) =>
    new Promise(resolve => {
      signal.addEventListener('abort', () => resolve('aborted'))
    }),
})
const whose = defineTool({ name: 'whose', handler: (_args, { caller }) => caller?.subject ?? 'nobody' })
export const steps = defineTool({
  name: 'steps',
  handler(_args, { progress }) {
    progress(1, 2, 'secret of alice')
    return 'done'
  },
})

export const ALICE = { 'x-subject': 'alice' }
export const BOB = { 'x-subject': 'bob' }
/** Others than alice: bob, nobody, and such as are nearly her. */
export const OTHERS: Record<string, string>[] = [BOB, {}, { 'x-subject': 'Alice' }, { 'x-subject': 'alice.' }]

export async function host(t: Test, options: ToolrackOptions = {}): Promise<{ app: FastifyInstance; port: number }> {
  const app = Fastify({ http: { joinDuplicateHeaders: true } })
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async request => {
    const subject = request.headers['x-subject']
    if (typeof subject === 'string') request.caller = { subject, scopes: [] } satisfies Caller
  })
  await app.register(toolrack, {
    tools: [ask, slow, whose, steps],
    drainMs: 200,
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
  })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as { port: number }).port }
}

export const ELICITS = { elicitation: {} }
export const isQuestion = ({ id, method }: { id?: unknown; method?: string }) =>
  id !== undefined && method !== undefined

export async function assertHers(t: Test, port: number, session: string, headers = ALICE) {
  const called = await socket(port, t).send({ session, headers, body: callOf('whose') })
  t.match(called.messages.at(-1) ?? JSON.parse(called.text), { result: { content: [{ text: 'alice' }] } })
}

export function isUnknown(t: Test, got: Pick<TestReply, 'status' | 'text'>, what: string) {
  t.equal(got.status, 404, what)
  t.match(JSON.parse(got.text).error, { code: 40400, message: /^Session not found/ }, what)
}
