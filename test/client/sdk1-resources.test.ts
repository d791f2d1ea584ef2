import t from 'tap'
import { definePrompt, defineResource } from '../../src/index.ts'
import { serveSdk1, TRANSPORTS } from './connect-sdk1.ts'

const readme = defineResource({
  uri: 'docs://readme',
  name: 'readme',
  title: 'Read me',
  mimeType: 'text/markdown',
  handler: () => '# Hello',
})
const logo = defineResource({
  uri: 'docs://logo',
  name: 'logo',
  mimeType: 'image/png',
  size: 3,
  handler: () => new Uint8Array([1, 2, 3]),
})
const user = defineResource({
  uriTemplate: 'users://{name}/profile',
  name: 'profile',
  complete: { name: value => ['ada', 'alan', 'grace'].filter(name => name.startsWith(value)) },
  handler: (uri, { name }) => `${uri} is ${name}`,
})
const resources = [user, readme, logo]

const review = definePrompt({
  name: 'review',
  description: 'Reviews code',
  arguments: [
    { name: 'code', required: true },
    { name: 'language', complete: (value, context) => [`${value}script`, ...Object.keys(context)] },
  ],
  handler: ({ code, language }) => [
    { role: 'user', content: { type: 'text', text: `Review this ${language ?? 'code'}: ${code}` } },
  ],
})

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    t.test('resources: listed, templates apart', async t => {
      const { client } = await serveSdk1(t, { resources }, { over })

      const listed = await client.listResources()
      const { resourceTemplates } = await client.listResourceTemplates()

      t.strictSame(listed, {
        resources: [
          { uri: 'docs://logo', name: 'logo', mimeType: 'image/png', size: 3 },
          { uri: 'docs://readme', name: 'readme', title: 'Read me', mimeType: 'text/markdown' },
        ],
      })
      t.strictSame(resourceTemplates, [{ uriTemplate: 'users://{name}/profile', name: 'profile' }])
    })

    t.test('resources: text, bytes, and what a template matches are read', async t => {
      const { client } = await serveSdk1(t, { resources }, { over })
      const read = async (uri: string) => (await client.readResource({ uri })).contents

      t.strictSame(await read('docs://readme'), [{ uri: 'docs://readme', mimeType: 'text/markdown', text: '# Hello' }])
      t.strictSame(await read('docs://logo'), [{ uri: 'docs://logo', mimeType: 'image/png', blob: 'AQID' }])
      t.strictSame(await read('users://ada/profile'), [
        { uri: 'users://ada/profile', text: 'users://ada/profile is ada' },
      ])
    })

    t.test('resources: a URI that nothing serves is an error that repeats it', async t => {
      const { client } = await serveSdk1(t, { resources }, { over })
      const missing = { code: -32002, data: { uri: 'docs://nope' } }

      await t.rejects(client.readResource({ uri: 'docs://nope' }), missing)
      await t.rejects(client.subscribeResource({ uri: 'docs://nope' }), missing)
    })

    t.test('prompts: listed, and got with arguments', async t => {
      const { client } = await serveSdk1(t, { prompts: [review] }, { over })

      const { prompts } = await client.listPrompts()
      const prompt = await client.getPrompt({ name: 'review', arguments: { code: 'x = 1', language: 'Python' } })

      t.strictSame(prompts, [
        {
          name: 'review',
          description: 'Reviews code',
          arguments: [{ name: 'code', required: true }, { name: 'language' }],
        },
      ])
      t.strictSame(prompt, {
        description: 'Reviews code',
        messages: [{ role: 'user', content: { type: 'text', text: 'Review this Python: x = 1' } }],
      })
    })

    t.test('prompts: unknown names and missing arguments are errors', async t => {
      const { client } = await serveSdk1(t, { prompts: [review] }, { over })

      await t.rejects(client.getPrompt({ name: 'nope' }), { code: -32602, message: /nope/ })
      await t.rejects(client.getPrompt({ name: 'review' }), { code: -32602, message: /code/ })
    })

    t.test('completion: of an argument of a prompt, and of a variable of a template', async t => {
      const { client } = await serveSdk1(t, { prompts: [review], resources }, { over })

      const ofPrompt = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: 'Type' },
        context: { arguments: { code: 'x' } },
      })
      const ofTemplate = await client.complete({
        ref: { type: 'ref/resource', uri: 'users://{name}/profile' },
        argument: { name: 'name', value: 'a' },
      })

      t.strictSame(ofPrompt, { completion: { values: ['Typescript', 'code'], total: 2, hasMore: false } })
      t.strictSame(ofTemplate.completion.values, ['ada', 'alan'])
    })

    t.test('pages: of resources, templates and prompts', async t => {
      const numbers = [0, 1, 2]
      const { client } = await serveSdk1(
        t,
        {
          pageSize: 2,
          resources: [
            ...numbers.map(n => defineResource({ uri: `n://${n}`, name: `n${n}`, handler: () => '' })),
            ...numbers.map(n => defineResource({ uriTemplate: `t${n}://{x}`, name: `t${n}`, handler: () => '' })),
          ],
          prompts: numbers.map(n => definePrompt({ name: `p${n}`, handler: () => '' })),
        },
        { over },
      )
      const secondOf = async <T extends { nextCursor?: string }>(list: (params?: { cursor: string }) => Promise<T>) =>
        list({ cursor: (await list()).nextCursor! })

      const { resources } = await secondOf(params => client.listResources(params))
      const { resourceTemplates } = await secondOf(params => client.listResourceTemplates(params))
      const { prompts } = await secondOf(params => client.listPrompts(params))

      t.strictSame(
        [resources, resourceTemplates, prompts].map(list => list.map(({ name }) => name).join()),
        ['n2', 't2', 'p2'],
      )
    })
  })
}
