// `visible` of prompts and resources: what a caller may not see does not exist for it, at every door.
import t from 'tap'
import {
  definePrompt,
  defineResource,
  defineTool,
  type PromptDefinition,
  type ResourceDefinition,
  type ServerOptions,
  type VisiblePrompt,
  type VisibleResource,
} from '../../../src/index.ts'
import { type App, build, call, listen, listening, request, stream } from '../../support/app.ts'
import { ALICE, bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { open } from '../../support/client/app-client.ts'

const BOB = bearer('read', { sub: 'bob' })
const forAlice = (_facts: object, caller: { subject?: string | undefined } | undefined) => caller?.subject === 'alice'

const complete = () => ['secret']
const prompts = [
  definePrompt({ name: 'a_open', handler: () => 'open' }),
  definePrompt({
    name: 'b_alice',
    arguments: [{ name: 'who', complete }],
    visible: forAlice,
    handler: () => 'for alice',
  }),
  definePrompt({ name: 'c_beta', _meta: { stage: 'beta' }, handler: () => 'beta' }),
  definePrompt({ name: 'd_scoped', scopes: ['write'], visible: forAlice, handler: () => 'scoped' }),
]
const resources = [
  defineResource({ uri: 'a://open', name: 'open', handler: () => 'open' }),
  defineResource({ uri: 'a://alice', name: 'alice', visible: forAlice, handler: () => 'for alice' }),
  defineResource({ uri: 'a://scoped', name: 's', scopes: ['write'], visible: forAlice, handler: () => 'scoped' }),
  defineResource({
    uriTemplate: 'u://{user}/{file}',
    name: 'files',
    complete: { file: complete },
    visible: ({ variables }, caller) => variables === undefined || variables['user'] === caller?.subject,
    handler: (_uri, { user, file }) => `${file} of ${user}`,
  }),
  defineResource({
    uriTemplate: 'h://{id}',
    name: 'hidden',
    complete: { id: complete },
    visible: forAlice,
    handler: (_uri, { id }) => id,
  }),
]

const serve = (t: Parameters<typeof build>[0], options: ServerOptions = {}) =>
  build(t, { publicUrl: RESOURCE, prompts, resources, ...options, jwt: { secret: SECRET, ...options.jwt } })

const LISTS = {
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
} as const

/** The keys of all pages of a list. */
async function list(app: App, method: keyof typeof LISTS, headers: Record<string, string>): Promise<string[]> {
  const [member, key] = LISTS[method]
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { result } = await call(app, method, cursor === undefined ? {} : { cursor }, { headers })
    t.equal(result.cacheScope, 'private')
    seen.push(...result[member].map((each: Record<string, string>) => each[key]))
    cursor = result.nextCursor
  } while (cursor !== undefined)
  return seen
}

const noBeta: VisiblePrompt = ({ _meta }) => _meta?.['stage'] !== 'beta'

for (const pageSize of [1, 50]) {
  t.test(`each caller sees what the rules let through, ${pageSize} a page`, async t => {
    const visibleResource: VisibleResource = ({ uri }) => uri !== 'a://open'
    const app = await serve(t, { visiblePrompt: noBeta, visibleResource, pageSize })

    t.strictSame(await list(app, 'prompts/list', ALICE), ['a_open', 'b_alice'])
    t.strictSame(await list(app, 'prompts/list', BOB), ['a_open'])
    t.strictSame(await list(app, 'resources/list', ALICE), ['a://alice'])
    t.strictSame(await list(app, 'resources/list', BOB), [])
    t.strictSame(await list(app, 'resources/templates/list', ALICE), ['h://{id}', 'u://{user}/{file}'])
    t.strictSame(await list(app, 'resources/templates/list', BOB), ['u://{user}/{file}'])
  })
}

t.test('a rule of one kind holds for no other', async t => {
  const tools = [defineTool({ name: 'tool', handler: () => '' })]
  const hide = () => false
  const count = async (options: ServerOptions) => {
    const app = await build(t, { tools, prompts: prompts.slice(0, 1), resources: resources.slice(0, 1), ...options })
    const results = await Promise.all(['tools/list', 'prompts/list', 'resources/list'].map(each => call(app, each)))
    return results.map(({ result }) => (result.tools ?? result.prompts ?? result.resources).length)
  }

  t.strictSame(await count({ visible: hide }), [0, 1, 1])
  t.strictSame(await count({ visiblePrompt: hide }), [1, 0, 1])
  t.strictSame(await count({ visibleResource: hide }), [1, 1, 0])
})

t.test('what is not visible is unknown to whoever asks for it, whatever the scopes', async t => {
  const app = await serve(t, { visiblePrompt: noBeta })
  const ref = (uri: string) => ({ type: 'ref/resource', uri })
  const argument = { name: 'file', value: '' }
  const requests: [method: string, toParams: (name: string) => object, unknown: string, hidden: string[]][] = [
    ['prompts/get', name => ({ name }), 'nope', ['b_alice', 'c_beta', 'd_scoped']],
    ['resources/read', uri => ({ uri }), 'a://nope', ['a://alice', 'a://scoped', 'u://alice/diary', 'h://1']],
    ['completion/complete', name => ({ ref: { type: 'ref/prompt', name }, argument }), 'nope', ['b_alice', 'd_scoped']],
    [
      'completion/complete',
      uri => ({ ref: ref(uri), argument }),
      'a://nope',
      ['h://{id}', 'h://1', 'u://alice/{file}'],
    ],
  ]

  for (const [method, toParams, name, hidden] of requests) {
    const ask = (of: string) => call(app, method, { ...toParams(of) }, { headers: BOB })
    const unknown = JSON.stringify((await ask(name)).error)
    for (const each of hidden)
      t.equal(JSON.stringify((await ask(each)).error), unknown.replaceAll(name, each), `${method} ${each}`)
  }
})

t.test('what is visible is served, by its scopes', async t => {
  const app = await serve(t)
  const read = async (uri: string, headers: Record<string, string>) => {
    const { result, status } = await call(app, 'resources/read', { uri }, { headers })
    return result?.contents[0].text ?? status
  }

  t.equal(await read('a://alice', ALICE), 'for alice')
  t.equal(await read('u://alice/diary', ALICE), 'diary of alice')
  t.equal(await read('u://bob/diary', BOB), 'diary of bob')
  t.equal(await read('a://scoped', ALICE), 403)
  t.match((await call(app, 'prompts/get', { name: 'b_alice' }, { headers: ALICE })).result, {
    messages: [{ content: { text: 'for alice' } }],
  })
  const ref = { type: 'ref/resource', uri: 'u://{user}/{file}' }
  const completed = await call(
    app,
    'completion/complete',
    { ref, argument: { name: 'file', value: '' } },
    { headers: BOB },
  )
  t.strictSame(completed.result.completion.values, ['secret'])
})

t.test('what a rule hides is not left to a template that serves the same URI', async t => {
  const any = defineResource({ uriTemplate: 'a://{name}', name: 'any', handler: () => 'by the template' })
  const app = await serve(t, { resources: [...resources, any] })

  t.equal((await call(app, 'resources/read', { uri: 'a://alice' }, { headers: BOB })).error.code, -32602)
  t.ok((await call(app, 'resources/read', { uri: 'a://other' }, { headers: BOB })).result)
})

t.test('a rule that fails, or would have to wait, hides what it is for, and the log says why', async t => {
  const broken = () => {
    throw new Error('no claims')
  }
  const waits = (async () => true) as never
  const app = await build(t, {
    prompts: [definePrompt({ name: 'p', visible: broken, handler: () => '' })],
    resources: [defineResource({ uri: 'a://r', name: 'r', visible: waits, handler: () => '' })],
  })

  t.strictSame((await call(app, 'prompts/list')).result.prompts, [])
  t.strictSame((await call(app, 'resources/list')).result.resources, [])
  const told = app.logs.lines.filter(({ msg }) => / hidden, since its visibility rule failed$/.test(String(msg)))
  t.match(told, [
    { level: 50, prompt: 'p', reason: 'no claims' },
    { level: 50, resource: 'r', reason: /cannot wait/ },
  ])
})

t.test('what is no function, or has almost the name, is refused', async t => {
  const prompt = (more: object) => ({ prompts: [{ name: 'p', handler: () => '', ...more } as PromptDefinition] })
  const resource = (more: object) => ({
    resources: [{ uri: 'a://r', name: 'r', handler: () => '', ...more } as ResourceDefinition],
  })
  const refused: [options: ServerOptions, message: RegExp][] = [
    [prompt({ visible: false }), /prompt "p": visible must be a function/],
    [prompt({ visble: () => true }), /did you mean visible\?/],
    [prompt({ visiblePrompt: () => true }), /did you mean visible\?/],
    [resource({ visible: 'no' }), /resource "r": visible must be a function/],
    [resource({ isVisible: () => true }), /did you mean visible\?/],
    [{ visiblePrompt: true as never }, /visiblePrompt: expected a function/],
    [{ visibleResources: (() => true) as never } as never, /visibleResources/],
  ]

  for (const [options, message] of refused) await t.rejects(build(t, options), { message })
})

t.test('subscriptions/listen: who may not see a resource hears nothing of it, nor that it is there', async t => {
  let isVisible = false
  const secret = defineResource({ uri: 'a://secret', name: 's', visible: () => isVisible, handler: () => '' })
  const { app, url } = await listening(t, { resources: [secret, resources[0]!] })
  const resourceSubscriptions = ['a://secret', 'a://nope', 'a://open']
  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { resourceSubscriptions } })
  t.strictSame((await listener.next(0)).params.notifications, { resourceSubscriptions })

  app.toolrack.resourceUpdated('a://secret')
  app.toolrack.resourceUpdated('a://open')
  t.equal((await listener.next(1)).params.uri, 'a://open')
  isVisible = true
  app.toolrack.resourceUpdated('a://secret')
  t.equal((await listener.next(2)).params.uri, 'a://secret')
})

t.test('resources/subscribe: what is not visible is unknown, and its changes are not told', async t => {
  let isVisible = false
  const seen: unknown[] = []
  const secret = defineResource({
    uriTemplate: 'a://secret/{id}',
    name: 's',
    visible: ({ variables }, _caller, { capabilities }) => {
      if (variables !== undefined) seen.push(capabilities.elicitation)
      return isVisible
    },
    handler: () => '',
  })
  const app = await build(t, { resources: [secret, resources[0]!] })
  await listen(app)
  const client = await open(t, app)
  const subscribe = (uri: string) => client.call('resources/subscribe', { uri })
  const unknown = JSON.stringify((await subscribe('a://nope')).error)
  t.equal(JSON.stringify((await subscribe('a://secret/1')).error), unknown.replaceAll('a://nope', 'a://secret/1'))

  isVisible = true
  t.ok((await subscribe('a://secret/1')).result)
  t.ok((await subscribe('a://open')).result)
  isVisible = false
  seen.length = 0
  const news = await client.listen()
  app.toolrack.resourceUpdated('a://secret/1')
  app.toolrack.resourceUpdated('a://open')
  t.match(await news.next(0), { params: { uri: 'a://open' } })
  t.match(seen, [{ form: {} }], 'by what the client of the session has declared')
})

t.test('the page counts what a caller sees, and strangers are told no scopes of it', async t => {
  const known = definePrompt({ name: 'known', scopes: ['known'], handler: () => '' })
  const app = await serve(t, { prompts: [...prompts, known] })
  const offers = async (headers: Record<string, string>) => {
    const { body } = await app.inject({ url: '/', headers: { accept: 'text/html', ...headers } })
    const counts = /<p class="hero-counts">(.*?)<\/p>/.exec(body)?.[1]
    return counts?.replaceAll(/<[^>]*>/g, '')
  }
  const challenge = async (name: string) => {
    const { message, headers } = request('prompts/get', { name })
    const payload = JSON.stringify(message)
    return (await app.inject({ method: 'POST', url: '/mcp', headers, payload })).headers['www-authenticate']
  }

  t.match(await offers(ALICE), /, 4 resources, 3 prompts$/)
  t.match(await offers(BOB), /, 2 resources, 2 prompts$/)
  t.match(await challenge('known'), /scope="known"/)
  t.notMatch(await challenge('d_scoped'), /scope=/)
})
