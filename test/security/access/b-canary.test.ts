// The token of a request goes no further than its verification.
import { inspect } from 'node:util'
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build, type CallOptions, call } from '../../support/app.ts'
import { attempt } from '../../support/auth/attack-tokens.ts'
import { AUDIENCE, ISSUER, SECRET, secretIssuer } from '../../support/auth/forge.ts'

const token = secretIssuer().token({ scope: 'a', jti: 'canary-of-the-token' })
const pieces = [token, ...token.split('.').slice(1), SECRET]
const leaks = (text: string) => pieces.filter(piece => text.includes(piece))
const options: CallOptions = {
  headers: { authorization: `Bearer ${token}` },
  meta: { 'io.modelcontextprotocol/logLevel': 'debug' },
}

/** All that can be reached from a value, hidden or not. */
const all = (value: unknown) =>
  inspect(value, { depth: 12, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null })

const tools = (seen: string[]) => [
  defineTool({
    name: 'look',
    handler(args, ctx) {
      seen.push(all(args), all(ctx), all(ctx.caller), all(ctx.meta), all(ctx.signal))
      ctx.log.info('looked', { caller: ctx.caller })
      ctx.progress(1, 2, 'half')
      return { caller: ctx.caller, meta: ctx.meta }
    },
  }),
  defineTool({
    name: 'throw',
    handler(_args, ctx) {
      throw new Error(`failed for ${all(ctx)}`)
    },
  }),
  defineTool({ name: 'strict', inputSchema: Type.Object({ n: Type.Integer() }), handler: () => 'x' }),
  defineTool({ name: 'closed', scopes: ['z'], handler: () => 'x' }),
]

t.test('B31: no tool, answer or log line holds the token, or a part that would do', async t => {
  const seen: string[] = []
  const access = { jwt: { secret: SECRET, issuer: ISSUER, audience: AUDIENCE }, logLevel: 'trace' as const }
  const app = await build(t, { tools: tools(seen), ...access })
  const answers: unknown[] = []

  for (const name of ['look', 'throw', 'strict', 'closed', 'unknown']) {
    answers.push(await call(app, 'tools/call', { name, arguments: {} }, options))
  }
  answers.push(await call(app, 'tools/list', {}, options), await call(app, 'server/discover', {}, options))
  answers.push(await attempt(app, { authorization: `Bearer ${token}x` }))
  answers.push(await attempt(app, { authorization: `Bearer ${token}`, url: '/unknown' }))

  t.equal(seen.length, 5)
  t.match(seen[2], /alice/, 'what was seen is the caller')
  t.strictSame(leaks(seen.join('\n')), [])
  t.strictSame(leaks(JSON.stringify(answers)), [])
  t.strictSame(leaks(app.logs.text), [])
})

t.test('B31: a client that puts its token into the address or the body finds it in no log', async t => {
  const access = { jwt: { secret: SECRET, issuer: ISSUER, audience: AUDIENCE }, logLevel: 'trace' as const }
  const app = await build(t, { tools: tools([]), ...access })

  await attempt(app, { authorization: `Bearer ${token}`, url: `/mcp?access_token=${token}` })
  await attempt(app, { url: `/other?access_token=${token}` })
  await attempt(app, { authorization: `Bearer ${token}`, members: { access_token: token } })

  t.strictSame(leaks(app.logs.text), [])
})
