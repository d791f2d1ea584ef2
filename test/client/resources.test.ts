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

t.test('completion: of a variable of a template', async t => {
  const { client } = await connect(t, { resources })

  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'users://{name}/profile' },
    argument: { name: 'name', value: 'a' },
  })

  t.strictSame(completion.values, ['ada', 'alan'])
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
