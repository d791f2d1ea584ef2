// `onGetPrompt` and `onReadResource` run around the handlers of prompts and resources.
import t from 'tap'
import {
  definePrompt,
  defineResource,
  type OnGetPrompt,
  type OnReadResource,
  type ServerOptions,
  ToolError,
} from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'

const hello = definePrompt({
  name: 'hello',
  arguments: [{ name: 'who', required: true }],
  handler: ({ who }, { state }) => `Hello ${who}${state['mark'] ?? ''}`,
})
const page = defineResource({
  uriTemplate: 'a://{page}',
  name: 'page',
  handler: (uri, variables) => `${uri} ${JSON.stringify(variables)}`,
})

async function served(t: Parameters<typeof build>[0], options: ServerOptions) {
  const app = await build(t, { prompts: [hello], resources: [page], ...options })
  return {
    app,
    get: async (args: object = { who: 'you' }) => {
      const { result, error } = await call(app, 'prompts/get', { name: 'hello', arguments: args })
      return result?.messages[0].content.text ?? error
    },
    read: async () => {
      const { result, error } = await call(app, 'resources/read', { uri: 'a://1' })
      return result?.contents[0].text ?? error
    },
  }
}

t.test('a hook sees what is asked, and passes on what the handler returns', async t => {
  const seen: object[] = []
  const onGetPrompt: OnGetPrompt = async ({ prompt, arguments: args, caller, ctx }, next) => {
    seen.push({ name: prompt.name, declared: prompt.arguments, args, caller })
    ctx.state['mark'] = '!'
    return `${await next()} ${await next({ who: 'all' })}`
  }
  const onReadResource: OnReadResource = async ({ resource, uri, variables }, next) => {
    seen.push({ name: resource.name, template: resource.uriTemplate, uri, variables })
    return `page: ${await next()}`
  }
  const { get, read } = await served(t, { onGetPrompt, onReadResource })

  t.equal(await get(), 'Hello you! Hello all!')
  t.equal(await read(), 'page: a://1 {"page":"1"}')
  t.match(seen, [
    { name: 'hello', declared: [{ name: 'who', required: true }], args: { who: 'you' } },
    { name: 'page', template: 'a://{page}', uri: 'a://1', variables: { page: '1' } },
  ])
})

t.test('a hook may answer in the place of the handler, and what it throws fails the request', async t => {
  const onGetPrompt: OnGetPrompt = () => {
    throw new ToolError('closed today')
  }
  const { get, read } = await served(t, { onGetPrompt, onReadResource: () => 'kept' })

  t.match(await get(), { code: -32603, message: /closed today/ })
  t.equal(await read(), 'kept')
})

t.test('hooks do not run for what is refused before', async t => {
  let runs = 0
  const count = () => void runs++
  const { app, get } = await served(t, { onGetPrompt: count, onReadResource: count, visibleResource: () => false })

  t.match(await get({}), { code: -32602 })
  t.match((await call(app, 'resources/read', { uri: 'a://1' })).error, { code: -32602 })
  t.equal(runs, 0)
})

t.test('a handler that its hook leaves behind is told to stop, and runs no more after the request', async t => {
  const stopped = Promise.withResolvers<string>()
  const late = Promise.withResolvers<() => Promise<unknown>>()
  const slow = definePrompt({
    name: 'hello',
    handler: (_args, { signal }) =>
      new Promise<string>(() => signal.addEventListener('abort', () => stopped.resolve('stopped'))),
  })
  const onGetPrompt: OnGetPrompt = (_request, next) => {
    void next()
    late.resolve(next)
    return 'at once'
  }
  const { get } = await served(t, { prompts: [slow], onGetPrompt })

  t.equal(await get({}), 'at once')
  t.equal(await stopped.promise, 'stopped')
  await t.rejects((await late.promise)(), { message: /its request has ended/ })
})
