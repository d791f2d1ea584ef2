// What the objects of the specification do not name is sent to no client, whatever an author writes into them. Here that
// is a member `own`; the clients check each message against the official schema of their revision, closed.
import t, { type Test } from 'tap'
import { definePrompt, defineResource, defineTool, type ServerOptions, text } from '../../../src/index.ts'
import { call, listening } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { ABLE } from '../../support/client/client.ts'
import { tool } from '../../support/steered-tools.ts'
import { LEGACY_VERSIONS } from '../../support/wire/legacy.ts'

const own = { own: 'OWN' }
const icons = [{ src: 'https://example.com/icon.png', ...own }]
const _meta = { 'example.com/trace': 'a1' }

const form = {
  message: 'Your name?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string', title: 'Name', examples: ['Ann'], ...own } },
    additionalProperties: false,
    ...own,
  },
  _meta,
  ...own,
}
const sampling = {
  messages: [{ role: 'user', content: { ...text('Listen'), ...own }, ...own }],
  maxTokens: 10,
  modelPreferences: { hints: [{ name: 'small', ...own }], ...own },
  _meta,
  ...own,
}

// As an author in JavaScript may write them.
const options = {
  icons,
  tools: [
    defineTool({
      name: 'told',
      icons,
      annotations: { readOnlyHint: true, ...own },
      handler: () => [
        { ...text('a text'), ...own },
        text('for whom', { annotations: { audience: ['user'], ...own } }),
        { type: 'resource_link', uri: 'a:b', name: 'b', icons, ...own },
        { type: 'resource', resource: { uri: 'a:b', text: 'within', ...own }, ...own },
      ],
    }),
    tool('elicit', ctx => ctx.elicit('q', form as never)),
    tool('sample', ctx => ctx.sample('q', sampling as never)),
  ],
  prompts: [
    definePrompt({
      name: 'told',
      icons,
      arguments: [{ name: 'who' }],
      handler: () => ({
        messages: [{ role: 'user', content: { ...text('a text'), ...own }, ...own }],
        description: 'Greets',
        resultType: 'input_required',
        ...own,
      }),
    }),
  ],
  resources: [
    defineResource({
      uri: 'a:b',
      name: 'b',
      icons,
      annotations: { priority: 1, ...own },
      handler: () => ({ contents: [{ uri: 'a:b', text: 'a text', ...own }] }),
    }),
  ],
} as unknown as ServerOptions

const REQUESTS: readonly [method: string, params?: object][] = [
  ['tools/list'],
  ['prompts/list'],
  ['resources/list'],
  ['tools/call', { name: 'told' }],
  ['prompts/get', { name: 'told' }],
  ['resources/read', { uri: 'a:b' }],
]

function assertTold(t: Test, method: string, { result }: { result?: object }): void {
  t.ok(result, method)
  t.notMatch(JSON.stringify(result), /own|OWN/, method)
}

for (const revision of LEGACY_VERSIONS) {
  t.test(`${revision}: what the specification does not name is not sent`, async t => {
    const { app } = await listening(t, options)
    const client = await open(t, app, { revision })

    for (const [method, params] of REQUESTS) assertTold(t, method, await client.call(method, params))
    for (const name of revision >= '2025-06-18' ? ['elicit', 'sample'] : ['sample']) {
      const question = await (await client.postTool(name)).next(0)
      t.notMatch(JSON.stringify(question.params), /own|OWN|examples/, name)
      t.equal('_meta' in question.params, revision === '2025-11-25', `${name}: metadata where it is named`)
    }
    t.notMatch(client.opened.text, /own|OWN/)
  })
}

t.test('2026-07-28: what the specification does not name is not sent', async t => {
  const { app } = await listening(t, options)

  for (const [method, params] of REQUESTS) assertTold(t, method, await call(app, method, params as never))
  for (const name of ['elicit', 'sample']) {
    const { result } = await call(app, 'tools/call', { name }, { capabilities: ABLE })
    assertTold(t, name, { result })
    t.notOk('_meta' in result.inputRequests.q.params)
  }
})

t.test('what the handler of a prompt says of its result changes no member of the protocol', async t => {
  const { app } = await listening(t, options)

  const { result } = await call(app, 'prompts/get', { name: 'told' })

  t.match(result, {
    resultType: 'complete',
    description: 'Greets',
    messages: [{ role: 'user', content: text('a text') }],
  })
})
