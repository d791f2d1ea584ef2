// Isolated tools keep values too: the server seals them, and the process gets them in later rounds.
import t from 'tap'
import type { OnCall, ServerOptions } from '../../../../src/index.ts'
import { build } from '../../../../test/support/app.ts'
import { accept, ask, form, textOf } from '../../../../test/support/input/rounds.ts'
import { asking, textOf as textOfCall } from '../../../../test/support/legacy/asking.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const ELICIT = `await elicit('name', ${JSON.stringify(form('name'))})`
const ANSWERED = { inputResponses: { name: accept({ name: 'Ada' }) } }

const folder = (t: Parameters<typeof tempFolder>[0], body: string) => ({
  toolsDir: tempFolder(t, {
    'asker.ts': `let computed = 0
export default { name: 'asker', isolate: true, inputSchema: { type: 'object' }, async handler(args, { keep, elicit }) { ${body} } }`,
  }).path,
  watchTools: false,
})

const serve = (t: Parameters<typeof tempFolder>[0], body: string, options: ServerOptions = {}) =>
  build(t, { ...folder(t, body), ...options })

const OFFER = `
  const [price] = await Promise.all([keep('price', async () => ({ cents: ++computed })), keep('price', () => 0)])
  price.cents += 10
  const { content } = ${ELICIT}
  const { cents } = await keep('price', () => ({ cents: 99 }))
  return content.name + ' pays ' + cents + ', computed ' + computed`

t.test('isolate, keep: a value is computed once, and its process gets it in later rounds', async t => {
  const app = await serve(t, OFFER)

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada pays 1, computed 1')
  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada pays 2, computed 2')
})

t.test('isolate, keep: in a session', async t => {
  const { client, call } = await asking(t, () => {}, undefined, { ...folder(t, OFFER), tools: [] })

  await client.answer(await call.next(0), accept({ name: 'Ada' }))

  t.equal(await textOfCall(call), 'Ada pays 1, computed 1')
})

t.test('isolate, keep: what a hook has kept is known in the process, in the first round too', async t => {
  const onCall: OnCall = async ({ ctx }, next) => {
    await ctx.keep('plan', () => 'pro')
    return next()
  }
  const app = await serve(
    t,
    `const { content } = ${ELICIT}; return content.name + ' ' + (await keep('plan', () => 'free'))`,
    {
      onCall,
    },
  )

  t.equal(textOf(await ask(app, ANSWERED, await ask(app))), 'Ada pro')
})

const REFUSED: [what: string, body: string, text: RegExp][] = [
  ['undefined', `await keep('it', () => undefined)`, /^keep: "it" must be JSON, and its function returned undefined/],
  ['a Map', `await keep('it', () => ({ a: new Map() }))`, /^keep: "it" must be JSON: a is a Map/],
  ['64 KiB', `await keep('it', () => 'x'.repeat(65536))`, /^keep: "it" is too large/],
  ['more together', `for (const n of ['a', 'b']) await keep(n, () => 'x'.repeat(33000))`, /^keep: "b" is too large/],
  ['33 values', `for (let n = 0; n < 33; n++) await keep('n' + n, () => n)`, /^keep: a call keeps at most 32 values$/],
  ['an empty name', `await keep('', () => 1)`, /^keep: the name must be a string/],
  ['a value in place of a function', `await keep('it', 1)`, /^keep: "it" needs a function/],
]

t.test('isolate, keep: what cannot be kept is refused, and the text says why', async t => {
  const cases = REFUSED.map(([what, body]) => `${JSON.stringify(what)}: async () => { ${body} }`)
  const app = await serve(t, `await { ${cases.join(', ')} }[args.what]()`)

  for (const [what, , text] of REFUSED) {
    const reply = await ask(app, { arguments: { what } })
    t.match(reply.result, { isError: true, content: [{ text }] }, what)
  }
})
