// Who the server says it is: by options and settings, in each place that tells it.
import { join } from 'node:path'
import t from 'tap'
import { createServer, defineTool, type ServerOptions } from '../../../src/index.ts'
import { META_SERVER } from '../../../src/protocol/schemas/common.ts'
import { build, call } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const ICON = { src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`, mimeType: 'image/svg+xml' }
const INFO = { name: '@acme/prices', title: 'Prices of Acme', version: '2.3.4' }
const MORE = { description: 'Tells the prices of Acme.', websiteUrl: 'https://acme.example/mcp#start' }
const { name: serverName, title: serverTitle, version: serverVersion } = INFO
const { description: serverDescription, websiteUrl: serverWebsiteUrl } = MORE

const probe = defineTool({ name: 'probe', handler: () => 'alive' })

t.test('settings tell it in each place: discovery, handshake, page, console, OpenAPI, metadata', async t => {
  const { path } = tempFolder(t, { 'icon.svg': SVG, 'about.md': 'Ask first.\n' })
  const app = await build(t, {
    tools: [probe],
    ...{
      name: serverName,
      title: serverTitle,
      version: serverVersion,
      description: serverDescription,
      websiteUrl: serverWebsiteUrl,
    },
    icon: join(path, 'icon.svg'),
    instructionsFile: join(path, 'about.md'),
  })
  const get = (url: string, accept = '*/*') => app.inject({ url, headers: { accept } })

  const { result } = await call(app, 'server/discover')
  t.strictSame(result._meta[META_SERVER], { ...INFO, ...MORE, icons: [ICON] })
  t.equal(result.instructions, 'Ask first.')

  const session = await open(t, app)
  t.match(session.opened.result, { serverInfo: { ...INFO, ...MORE, icons: [ICON] }, instructions: 'Ask first.' })

  const { body } = await get('/', 'text/html')
  for (const shown of [serverName, serverTitle, serverVersion, ICON.src, 'Ask first.', ...Object.values(MORE)])
    t.match(body, shown)

  t.match((await get('/console/config.json')).json(), INFO)
  t.match((await get('/openapi.json')).json().info, {
    title: serverTitle,
    version: serverVersion,
    description: `${serverDescription}\n\nAsk first.`,
  })
})

const HANDSHAKES = [
  ['2025-11-25', { ...INFO, ...MORE }],
  ['2025-06-18', INFO],
  ['2025-03-26', { name: serverName, version: serverVersion }],
  ['2024-11-05', { name: serverName, version: serverVersion }],
] as const
for (const [revision, shown] of HANDSHAKES) {
  t.test(`${revision} gets what its schema has`, async t => {
    const app = await build(t, { ...INFO, ...MORE })

    t.strictSame((await open(t, app, { revision })).opened.result.serverInfo, shown)
  })
}

t.test('the metadata of the resource has the title, else the name', async t => {
  const guarded = { jwt: { jwksUrl: 'https://as.example/keys', issuer: 'https://as.example' }, name: serverName }
  for (const [settings, expected] of [
    [{ ...guarded, title: serverTitle }, serverTitle],
    [guarded, serverName],
  ] as const) {
    const app = await build(t, settings)
    t.match((await app.inject('/.well-known/oauth-protected-resource')).json(), { resource_name: expected })
  }
})

t.test('results beside discovery have icons with an address, and none with all their bytes', async t => {
  const linked = { src: 'https://acme.example/one.png' }
  const app = await build(t, { tools: [probe], name: serverName, version: serverVersion, icons: [ICON] })
  const both = await build(t, { tools: [probe], name: serverName, version: serverVersion, icons: [ICON, linked] })

  for (const [method, params] of [
    ['tools/call', { name: 'probe' }],
    ['tools/list', {}],
  ] as const) {
    const { result } = await call(app, method, params)
    t.strictSame(result._meta[META_SERVER], { name: serverName, version: serverVersion }, method)
    const { _meta: meta } = (await call(both, method, params)).result
    t.strictSame(meta[META_SERVER].icons, [linked], method)
  }
})

t.test('options of a program are what the server says of itself', async t => {
  const app = await build(t, {
    ...{ icon: 'https://acme.example/one.png', description: 'Mine.', websiteUrl: 'https://mine.example/' },
    ...{ name: 'mine', title: 'Mine', version: '9', icons: [{ src: 'https://acme.example/mine.png' }] },
  })

  const { result } = await call(app, 'server/discover')
  t.strictSame(result._meta[META_SERVER], {
    ...{ name: 'mine', title: 'Mine', description: 'Mine.', version: '9', websiteUrl: 'https://mine.example/' },
    icons: [{ src: 'https://acme.example/mine.png' }],
  })
})

t.test('what cannot be read stops the start, by the name of the option', async t => {
  const { path } = tempFolder(t, { 'large.md': 'x'.repeat(8193), 'huge.md': 'x'.repeat(33_000), 'empty.md': '\n' })
  const cases: readonly (readonly [ServerOptions, RegExp])[] = [
    [{ websiteUrl: 'acme.example' }, /^websiteUrl: expected an http\(s\) URL$/],
    [{ description: 7 as never }, /^description: expected a text/],
    [{ icon: 'http://x/a.png' }, /^icon: expected an https: or data: URL/],
    [{ icon: join(path, 'large.md') }, /^icon: expected .*not another file$/],
    [{ instructionsFile: join(path, 'large.md') }, /^instructionsFile: expected a text of at most 8192 characters$/],
    [{ instructionsFile: join(path, 'huge.md') }, /^instructionsFile: expected a file of at most 32 KiB$/],
    [{ instructionsFile: join(path, 'empty.md') }, /^instructionsFile: expected a text that is not empty$/],
    [{ instructionsFile: join(path, 'missing.md') }, /^instructionsFile: expected the path of a file .*ENOENT/],
    [
      { instructions: 'x', instructionsFile: join(path, 'large.md') },
      /^instructionsFile: expected either it or instructions, not both$/,
    ],
  ]
  for (const [options, message] of cases) await t.rejects(createServer(options), { name: 'ConfigError', message })
})
