// Tools that change what they are given, and what all calls share.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { assertClean, attack, failure, rack } from '../../support/security/hostile.ts'
import { callOver, serve } from '../../support/servers/own-process.ts'

t.test('D16: a tool that changes its arguments, its schema or its result changes no other call', async t => {
  const inputSchema = Type.Object({ tags: Type.Array(Type.String()) })
  const shared = { seen: [] as string[] }
  const tool = defineTool({
    name: 'greedy',
    inputSchema,
    handler(args) {
      args.tags.push('mine')
      Object.assign(inputSchema.properties, { tags: { type: 'number' } })
      inputSchema.required?.splice(0)
      shared.seen.push(...args.tags)
      return shared
    },
  })
  const app = await rack(t, [tool])

  const [first, second] = await Promise.all([
    attack(app, 'greedy', { tags: ['a'] }),
    attack(app, 'greedy', { tags: [] }),
  ])
  shared.seen.length = 0

  t.notOk(first.result.isError)
  t.notOk(second.result.isError)
  t.match(failure(await attack(app, 'greedy', { tags: 5 })), 'tags must be array')
  t.match(failure(await attack(app, 'greedy')), 'tags is required')
})

t.test('D16: a tool without arguments may write into what it is given', async t => {
  const tool = defineTool({
    name: 'scribble',
    handler(args) {
      const before = Object.keys(args).length
      Object.assign(args, { scribble: before })
      return before
    },
  })
  const app = await rack(t, [tool])

  for (let count = 0; count < 2; count++) t.equal((await attack(app, 'scribble')).result.content[0].text, '0')
})

t.test('D16: what a tool changes in its context reaches no other call', async t => {
  const tool = defineTool({
    name: 'meddler',
    handler(_args, ctx) {
      const before = `${ctx.requestId} ${typeof ctx.log.info}`
      for (const key of ['requestId', 'log', 'signal', 'progress']) Reflect.set(ctx, key, undefined)
      Reflect.set(ctx.log, 'info', undefined)
      Reflect.set(Object.getPrototypeOf(ctx), 'requestId', 'stolen')
      return before
    },
  })
  const app = await rack(t, [tool])

  for (const id of ['one', 'two']) {
    t.equal((await attack(app, 'meddler', {}, { id })).result.content[0].text, `${id} function`)
  }
})

t.test('D16: no tool can add to the prototype of every object of the process', async t => {
  const server = await serve(t, {
    'polluter.mjs': `export default { name: 'polluter', handler() { Object.prototype.isError = true } }`,
    'sneaky.mjs': `export default { name: 'sneaky', handler() {
      Object.defineProperty(Object.prototype, 'structuredContent', { value: 'forged', configurable: true })
    } }`,
    'whole.mjs': `export default { name: 'whole', handler: () => ({ content: [{ type: 'text', text: 'mine' }] }) }`,
  })

  for (const name of ['polluter', 'sneaky']) t.ok((await callOver(server.url, name)).body.result.isError)
  const { body } = await callOver(server.url, 'whole')

  t.strictSame(Object.keys(body.result).sort(), ['_meta', 'content', 'resultType'])
  assertClean(server.stdout)
})
