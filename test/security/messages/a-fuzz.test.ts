// Thousands of bodies that are nearly right. SEED repeats a run, RUNS makes it longer.
import t from 'tap'
import { definePrompt, defineResource, type ToolContext } from '../../../src/index.ts'
import { CATALOGUE } from '../../../src/protocol/errors.ts'
import { request } from '../../support/app.ts'
import { mutant, SEED } from '../../support/security/mutants.ts'
import { assertAlive, assertClean, attack, type Got, recorder, send, target } from '../../support/security/probe.ts'

const RUNS = Number(process.env['RUNS'] ?? 1000)

const KNOWN = new Set<string>(Object.values(CATALOGUE).map(({ code, status }) => `${status} ${code}`))

/** What is wrong with an answer, whatever was asked. */
function faultOf({ status, message, text }: Got): string | undefined {
  if (status >= 500) return `${status}`
  if (status === 202) return text === '' ? undefined : '202 with a body'
  if (message === undefined) return 'no message'
  if (message.error === undefined) return status === 200 ? undefined : `a result with ${status}`
  return KNOWN.has(`${status} ${message.error.code}`) ? undefined : `${status} with ${message.error.code}`
}

t.test(`A42: ${RUNS} mutated bodies are each answered once, and well`, async t => {
  t.comment(`SEED=${SEED}`)
  const typed = {
    name: 'typed',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer' }, when: { format: 'date' }, tags: { type: 'array', maxItems: 3 } },
      additionalProperties: false,
    },
    handler: (args: object) => args,
  }
  const asks = {
    name: 'asks',
    handler: (_args: object, ctx: ToolContext) =>
      ctx.elicit('k', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
  }
  const app = await target(t, {
    tools: [recorder().tool, typed, asks],
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

  for (let run = 0; run < RUNS; run++) {
    const { headers, body, method } = mutant()
    try {
      const got = await send(app, { body, headers: { 'mcp-name': undefined, ...headers } })
      const fault = faultOf(got)
      if (fault !== undefined) throw new Error(`${fault}: ${got.text.slice(0, 300)}`)
      assertClean(got.text, 'reply')
      statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1)
      if (run % 250 === 0) await assertAlive(app)
    } catch (error) {
      t.fail(`run ${run} of SEED=${SEED}, ${method}: ${(error as Error).message}`, { body: body.toString('latin1') })
      return
    }
  }

  assertClean(app.logs.text, 'log')
  t.comment(JSON.stringify(Object.fromEntries(statuses)))
  t.ok(statuses.get(200)! > 0 && statuses.get(400)! > 0)
  const { message: body, headers } = request('server/discover')
  t.match(await attack(app, { body, headers }), { status: 200 })
})
