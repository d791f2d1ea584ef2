// Thousands of messages and batches in sessions that are nearly right, in every revision with a
// handshake. SEED repeats a run, RUNS makes it longer.
import t from 'tap'
import { definePrompt, defineResource, type ToolContext } from '../../../src/index.ts'
import { CATALOGUE } from '../../../src/protocol/errors.ts'
import { REVISIONS } from '../../../src/protocol/revisions/index.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { type HttpRequest, inject } from '../../support/client/transport.ts'
import { broken, pick, random, regrow, SEED } from '../../support/security/mutants.ts'
import { assertAlive, assertClean, recorder, target } from '../../support/security/probe.ts'
import { BATCHES, callOf, handshake, OLDER, openSession } from '../../support/security/sessions.ts'
import { wireOf } from '../../support/wire/legacy.ts'

const RUNS = Number(process.env['RUNS'] ?? 1000)

const codes = [...Object.values(CATALOGUE), ...REVISIONS.flatMap(({ errors }) => Object.values(errors))]
const KNOWN = new Set<number | undefined>(codes.map(({ code }) => code))

const message = (method: string, params: object, id?: unknown) => ({ jsonrpc: '2.0', id, method, params })

const MESSAGES: (() => object)[] = [
  () => callOf('echo', { message: 'Hello, 世界', list: [1, 2.5, null, { a: {} }] }, random(50)),
  () => callOf('typed', { count: 7, tags: ['a', 'b'] }, `s${random(50)}`),
  () => callOf('asks', {}, random(50)),
  () => message('tools/call', { name: 'echo', arguments: {}, _meta: { progressToken: 1 } }, random(50)),
  () => message('tools/list', { cursor: 'AAAA' }, random(50)),
  () => message('resources/read', { uri: 'memory://a' }, random(50)),
  () => message(pick(['resources/subscribe', 'resources/unsubscribe']), { uri: 'memory://a' }, random(50)),
  () => message('prompts/get', { name: 'hello', arguments: { who: 'x' } }, random(50)),
  () =>
    message(
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'who', value: 'a' } },
      random(50),
    ),
  () => message('logging/setLevel', { level: 'debug' }, random(50)),
  () => message('ping', {}, random(50)),
  () => message('notifications/cancelled', { requestId: random(50), reason: 'x' }),
  () => message('notifications/initialized', {}),
  () => ({ jsonrpc: '2.0', id: random(50), result: { action: 'accept', content: { a: 1 } } }),
  () => ({ jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } }),
  () => handshake(pick([...OLDER, '2026-07-28', 'x']), { elicitation: {}, roots: {}, sampling: {} }),
]

/** One message, or for a while several, with its text broken or a value of it changed; or as it should be. */
function body(): { bytes: Buffer; count: number } {
  const isBatch = random(3) === 0
  const several = Array.from({ length: 1 + random(24) }, () =>
    random(2) === 0 ? regrow(pick(MESSAGES)()) : pick(MESSAGES)(),
  )
  const whole = isBatch ? several : pick(MESSAGES)()
  const bytes = random(2) === 0 ? broken(whole) : Buffer.from(JSON.stringify(isBatch ? whole : regrow(whole)))
  return { bytes, count: isBatch ? several.length : 1 }
}

/** What is wrong with an answer, whatever was asked. */
function faultOf({ status, messages, text }: TestReply, revision: string): string | undefined {
  if (status >= 500) return `${status}`
  if (status === 202) return text === '' ? undefined : '202 with a body'
  const answers = messages.filter(({ method }) => method === undefined)
  if (answers.length > 24) return `${answers.length} answers`
  for (const answer of answers) {
    const { error } = answer
    if (error !== undefined && !KNOWN.has(error.code)) return `${status} with ${error.code}`
    if (error === undefined && status !== 200) return `a result with ${status}`
    if (answer.result?.protocolVersion === undefined) wireOf(revision)(answer)
  }
  return status === 200 || answers.length === 1 ? undefined : `${status} with ${answers.length} answers`
}

const tools = [
  recorder().tool,
  {
    name: 'typed',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer' }, tags: { type: 'array', maxItems: 3 } },
      additionalProperties: false,
    },
    handler: (args: object) => args,
  },
  {
    name: 'asks',
    handler: (_args: object, ctx: ToolContext) =>
      ctx.elicit('k', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
  },
]

t.test(`A42: ${RUNS} mutated bodies and batches of sessions are each answered once, and well`, async t => {
  t.comment(`SEED=${SEED}`)
  const app = await target(t, {
    tools,
    resources: [defineResource({ uri: 'memory://a', name: 'a', handler: () => 'a' })],
    prompts: [
      definePrompt({
        name: 'hello',
        arguments: [{ name: 'who', complete: (value: string) => [`${value}b`] }],
        handler: ({ who }) => `Hello ${who}`,
      }),
    ],
  })
  const statuses = new Map<number, number>()
  const sessions = new Map<string, string>()
  for (const revision of OLDER) sessions.set(revision, await openSession(app, revision))

  for (let run = 0; run < RUNS; run++) {
    const revision = random(2) === 0 ? BATCHES : pick(OLDER)
    const { bytes } = body()
    const version = pick([undefined, undefined, revision, pick(OLDER), 'x'])
    const said: HttpRequest = {
      session: sessions.get(revision),
      body: bytes,
      headers: { 'mcp-protocol-version': version },
    }
    try {
      const heard = await inject(app).send(said)
      const fault = faultOf(heard, revision)
      if (fault !== undefined) throw new Error(`${fault}: ${heard.text.slice(0, 300)}`)
      assertClean(heard.text, 'reply')
      statuses.set(heard.status, (statuses.get(heard.status) ?? 0) + 1)
      if (run % 250 === 0) await assertAlive(app)
    } catch (error) {
      t.fail(`run ${run} of SEED=${SEED}, ${revision}: ${(error as Error).message}`, { body: bytes.toString('latin1') })
      return
    }
  }

  assertClean(app.logs.text, 'log')
  t.comment(JSON.stringify(Object.fromEntries(statuses)))
  for (const status of [200, 202, 400]) t.ok(statuses.get(status)! > 0, `${status}`)
  t.equal(({} as { x?: unknown }).x, undefined)
  for (const [revision, session] of sessions) {
    t.equal((await inject(app).send({ session, body: callOf('probe', { n: 1 }) })).status, 200, revision)
  }
})
