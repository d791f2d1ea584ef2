// `ctx.state`: what hooks leave for the handlers of their calls.
import t from 'tap'
import { type CallState, defineTool, type OnCall, type ToolContext } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'
import { tempFolder } from '../../support/tools-folder.ts'

declare module '../../../src/index.ts' {
  interface CallState {
    visitor?: { name: string; visits: number }
  }
}

const onCall: OnCall = ({ ctx }, next) => {
  ctx.state.visitor = { name: 'Ada', visits: (ctx.state.visitor?.visits ?? 0) + 1 }
  return next()
}

const textOf = ({ content: [block] }: { content: { text: string }[] }) => block?.text

t.test('a hook leaves something for the handler, typed, and for this call alone', async t => {
  const greet = defineTool({
    name: 'greet',
    handler: (_args, { state: { visitor } }) => {
      // @ts-expect-error: it has no such member
      visitor?.age
      return `${visitor?.name} ${visitor?.visits}`
    },
  })
  const app = await build(t, { onCall, tools: [{ ...greet, onCall }] })

  t.equal(textOf(await callTool(app, 'greet')), 'Ada 2')
  t.equal(textOf(await callTool(app, 'greet')), 'Ada 2')
})

t.test('without hooks it is empty, and what is not declared is unknown', async t => {
  const state = defineTool({
    name: 'state',
    handler: (_args, ctx: ToolContext) => {
      const { undeclared }: CallState = ctx.state
      // @ts-expect-error: unknown
      undeclared?.length
      return Object.keys(ctx.state).length
    },
  })
  const app = await build(t, { tools: [state] })

  t.equal(textOf(await callTool(app, 'state')), '0')
})

t.test('the process of an isolated tool gets a copy, if it is JSON', async t => {
  const { path } = tempFolder(t, {
    'greet.ts': `export default { name: 'greet', isolate: true, handler: (_args, { state }) => state.visitor?.name ?? 'nobody' }`,
  })
  const served = { toolsDir: path, watchTools: false }
  const withState = await build(t, { ...served, onCall })
  t.equal(textOf(await callTool(withState, 'greet')), 'Ada')

  const refused = await build(t, {
    ...served,
    onCall: ({ ctx }, next) => {
      ctx.state['connection'] = new Map()
      return next()
    },
  })
  const failed = await callTool(refused, 'greet')
  t.equal(failed.isError, true)
  t.match(textOf(failed), /ctx\.state: greet is isolated, and its process gets only JSON: .*connection.* Map/)

  const without = await build(t, served)
  t.equal(textOf(await callTool(without, 'greet')), 'nobody')
})
