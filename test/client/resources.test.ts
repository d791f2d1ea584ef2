import t from 'tap'
import { definePrompt, defineResource } from '../../src/index.ts'
import { connect } from './connect.ts'

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
    {
      name: 'language',
      complete: (value, context) => [`${value}script`, ...Object.keys(context)],
    },
  ],
  handler: ({ code, language }) => [
    { role: 'user', content: { type: 'text', text: `Review this ${language ?? 'code'}: ${code}` } },
    { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
  ],
})

t.test('resources: listed in order of their URIs, without templates', async t => {
  const { client } = await connect(t, { resources })

  const listed = await client.listResources()

  t.strictSame(listed.resources, [
    { uri: 'docs://broken', name: 'broken' },
    { uri: 'docs://logo', name: 'logo', mimeType: 'image/png', size: 3 },
    { uri: 'docs://readme', name: 'readme', title: 'Read me', mimeType: 'text/markdown' },
  ])
})

t.test('resources: templates are listed', async t => {
  const { client } = await connect(t, { resources })

  const listed = await client.listResourceTemplates()

  t.strictSame(listed.resourceTemplates, [{ uriTemplate: 'users://{name}/profile', name: 'profile' }])
})

t.test('resources: text, bytes, and what a template matches are read', async t => {
  const { client } = await connect(t, { resources })

  const text = await client.readResource({ uri: 'docs://readme' })
  const bytes = await client.readResource({ uri: 'docs://logo' })
  const matched = await client.readResource({ uri: 'users://ada%20l/profile' })

  t.strictSame(text.contents, [{ uri: 'docs://readme', mimeType: 'text/markdown', text: '# Hello' }])
  t.strictSame(bytes.contents, [{ uri: 'docs://logo', mimeType: 'image/png', blob: 'AQID' }])
  t.strictSame(matched.contents, [{ uri: 'users://ada%20l/profile', text: 'users://ada%20l/profile is ada l' }])
})

t.test('resources: a URI that nothing serves is an error that repeats it', async t => {
  const { client } = await connect(t, { resources })

  await t.rejects(client.readResource({ uri: 'docs://nope' }), { code: -32602, data: { uri: 'docs://nope' } })
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

  t.match(prompt, {
    description: 'Reviews code',
    messages: [
      { role: 'user', content: { type: 'text', text: 'Review this Python: x = 1' } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
    ],
  })
})

t.test('prompts: unknown names, missing and unknown arguments are errors', async t => {
  const { client } = await connect(t, { prompts: [review] })

  await t.rejects(client.getPrompt({ name: 'nope' }), { code: -32602, message: /nope/ })
  await t.rejects(client.getPrompt({ name: 'review' }), { code: -32602, message: /code/ })
  await t.rejects(client.getPrompt({ name: 'review', arguments: { code: '', mood: 'bad' } }), {
    code: -32602,
    message: /mood/,
  })
})

t.test('prompts: one may ask the user', async t => {
  const ask = definePrompt({
    name: 'ask',
    async handler(_args, ctx) {
      const { content } = await ctx.elicit('topic', {
        message: 'About what?',
        requestedSchema: { type: 'object', properties: { topic: { type: 'string' } } },
      })
      return `Write about ${content?.['topic']}`
    },
  })
  const { client } = await connect(t, { prompts: [ask] }, { capabilities: { elicitation: {} } }, client =>
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { topic: 'ferns' } })),
  )

  const { messages } = await client.getPrompt({ name: 'ask' })

  t.match(messages, [{ role: 'user', content: { text: 'Write about ferns' } }])
})

t.test('completion: of a prompt argument, with what is filled in already', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'language', value: 'Type' },
    context: { arguments: { code: 'x' } },
  })

  t.strictSame(completion, { values: ['Typescript', 'code'], total: 2, hasMore: false })
})

t.test('completion: of a variable of a template', async t => {
  const { client } = await connect(t, { resources })

  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'users://{name}/profile' },
    argument: { name: 'name', value: 'a' },
  })

  t.strictSame(completion.values, ['ada', 'alan'])
})

t.test('completion: an argument without suggestions has none', async t => {
  const { client } = await connect(t, { prompts: [review] })

  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'code', value: '' },
  })

  t.strictSame(completion.values, [])
})

t.test('pages: resources, templates and prompts too', async t => {
  const numbers = [0, 1, 2, 3, 4]
  const { client, sent } = await connect(t, {
    pageSize: 2,
    resources: [
      ...numbers.map(n => defineResource({ uri: `n://${n}`, name: `n${n}`, handler: () => '' })),
      ...numbers.map(n => defineResource({ uriTemplate: `t${n}://{x}`, name: `t${n}`, handler: () => '' })),
    ],
    prompts: numbers.map(n => definePrompt({ name: `p${n}`, handler: () => '' })),
  })

  const [{ resources }, { resourceTemplates }, { prompts }] = [
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.listPrompts(),
  ]

  t.strictSame(
    [resources, resourceTemplates, prompts].map(list => list.map(({ name }) => name).join()),
    ['n0,n1,n2,n3,n4', 't0,t1,t2,t3,t4', 'p0,p1,p2,p3,p4'],
  )
  t.equal(sent.filter(({ method }) => method.endsWith('/list')).length, 9)
})
