// Resources, prompts and completion, as every official client sees them.
import t from 'tap'
import { definePrompt, defineResource } from '../../../src/index.ts'
import { EVERY_CLIENT, readPages } from '../../support/clients/every-client.ts'

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
const broken = defineResource({
  uri: 'docs://broken',
  name: 'broken',
  handler() {
    throw new Error('The disk is on fire')
  },
})
const resources = [user, readme, logo, broken]

const review = definePrompt({
  name: 'review',
  title: 'Review',
  description: 'Reviews code',
  arguments: [
    { name: 'code', description: 'What to review', required: true },
    { name: 'language', complete: (value, context) => [`${value}script`, ...Object.keys(context)] },
  ],
  handler: ({ code, language }) => [
    { role: 'user', content: { type: 'text', text: `Review this ${language ?? 'code'}: ${code}` } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
  ],
})

for (const { name, sdk, connect } of EVERY_CLIENT) {
  t.test(name, async t => {
    t.test('resources: listed in order of their URIs, templates apart', async t => {
      const { client } = await connect(t, { resources })

      const listed = await client.listResources()
      const { resourceTemplates } = await client.listResourceTemplates()

      t.strictSame(listed.resources, [
        { uri: 'docs://broken', name: 'broken' },
        { uri: 'docs://logo', name: 'logo', mimeType: 'image/png', size: 3 },
        { uri: 'docs://readme', name: 'readme', title: 'Read me', mimeType: 'text/markdown' },
      ])
      t.strictSame(resourceTemplates, [{ uriTemplate: 'users://{name}/profile', name: 'profile' }])
      if (sdk === 1) t.strictSame(Object.keys(listed), ['resources'])
    })

    t.test('resources: text, bytes, and what a template matches are read', async t => {
      const { client } = await connect(t, { resources })
      const read = async (uri: string) => (await client.readResource({ uri })).contents

      t.strictSame(await read('docs://readme'), [{ uri: 'docs://readme', mimeType: 'text/markdown', text: '# Hello' }])
      t.strictSame(await read('docs://logo'), [{ uri: 'docs://logo', mimeType: 'image/png', blob: 'AQID' }])
      t.strictSame(await read('users://ada%20l/profile'), [
        { uri: 'users://ada%20l/profile', text: 'users://ada%20l/profile is ada l' },
      ])
    })

    t.test('resources: a URI that nothing serves is an error that repeats it', async t => {
      const { client, request } = await connect(t, { resources })
      // Client 2.x gives older codes the newer number.
      const missing = { code: sdk === 1 ? -32002 : -32602, data: { uri: 'docs://nope' } }

      await t.rejects(client.readResource({ uri: 'docs://nope' }), missing)
      if (sdk === 1) await t.rejects(request('resources/subscribe', { uri: 'docs://nope' }), missing)
    })

    t.test('resources: what a handler throws is an error with its text', async t => {
      const { client } = await connect(t, { resources })

      await t.rejects(client.readResource({ uri: 'docs://broken' }), { code: -32603, message: /The disk is on fire/ })
    })

    t.test('prompts: listed without the functions that complete them', async t => {
      const { client } = await connect(t, { prompts: [review] })

      const { prompts } = await client.listPrompts()

      t.strictSame(prompts, [
        {
          name: 'review',
          title: 'Review',
          description: 'Reviews code',
          arguments: [{ name: 'code', description: 'What to review', required: true }, { name: 'language' }],
        },
      ])
    })

    t.test('prompts: got with arguments', async t => {
      const { client } = await connect(t, { prompts: [review] })

      const prompt = await client.getPrompt({ name: 'review', arguments: { code: 'x = 1', language: 'Python' } })

      t.equal(prompt.description, 'Reviews code')
      t.strictSame(prompt.messages, [
        { role: 'user', content: { type: 'text', text: 'Review this Python: x = 1' } },
        { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
      ])
      if (sdk === 1) t.strictSame(Object.keys(prompt).sort(), ['description', 'messages'])
    })

    t.test('prompts: unknown names, missing and unknown arguments are errors', async t => {
      const { client } = await connect(t, { prompts: [review] })
      const unknown = { name: 'review', arguments: { code: '', mood: 'bad' } }

      await t.rejects(client.getPrompt({ name: 'nope' }), { code: -32602, message: /nope/ })
      await t.rejects(client.getPrompt({ name: 'review' }), { code: -32602, message: /code/ })
      await t.rejects(client.getPrompt(unknown), { code: -32602, message: /mood/ })
    })

    t.test('completion: of an argument of a prompt, with what is filled in already', async t => {
      const { client } = await connect(t, { prompts: [review] })

      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: 'Type' },
        context: { arguments: { code: 'x' } },
      })

      t.strictSame(completion, { values: ['Typescript', 'code'], total: 2, hasMore: false })
    })

    t.test('completion: an argument without suggestions has none', async t => {
      const { client } = await connect(t, { prompts: [review] })

      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'code', value: '' },
      })

      t.strictSame(completion.values, [])
    })

    t.test('completion: of a variable of a template', async t => {
      const { client } = await connect(t, { resources })

      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'users://{name}/profile' },
        argument: { name: 'name', value: 'a' },
      })

      t.strictSame(completion.values, ['ada', 'alan'])
    })

    t.test('pages: of resources, templates and prompts', async t => {
      const numbers = [0, 1, 2, 3, 4]
      const { client, http } = await connect(t, {
        pageSize: 2,
        resources: [
          ...numbers.map(n => defineResource({ uri: `n://${n}`, name: `n${n}`, handler: () => '' })),
          ...numbers.map(n => defineResource({ uriTemplate: `t${n}://{x}`, name: `t${n}`, handler: () => '' })),
        ],
        prompts: numbers.map(n => definePrompt({ name: `p${n}`, handler: () => '' })),
      })

      const listed = {
        resources: (await readPages(params => client.listResources(params))).flatMap(page => page.resources),
        templates: (await readPages(params => client.listResourceTemplates(params))).flatMap(
          page => page.resourceTemplates,
        ),
        prompts: (await readPages(params => client.listPrompts(params))).flatMap(page => page.prompts),
      }

      t.equal(listed.resources.map(({ name }) => name).join(), 'n0,n1,n2,n3,n4')
      t.equal(listed.templates.map(({ name }) => name).join(), 't0,t1,t2,t3,t4')
      t.equal(listed.prompts.map(({ name }) => name).join(), 'p0,p1,p2,p3,p4')
      t.equal(http.sent.filter(({ method }) => method?.endsWith('/list')).length, 9)
    })
  })
}
