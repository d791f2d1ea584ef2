// docs/guides/sign-in.md: its tools with tokens of one's own, and a sign-in of an official client at a real authorization
// server, by the settings of the page.
import t from 'tap'
import { authorizationServer, REGISTERED } from '../../support/clients/authorization-server.ts'
import { CLIENTS, oauthClient, REDIRECT_URL } from '../../support/clients/oauth-clients.ts'
import { guideProject, readPage } from '../../support/guide.ts'

const page = readPage('docs/guides/sign-in.md')
const ownTokens = page.take('sh', 'export JWT_SECRET')
const callWithToken = page.take('sh', 'npx toolrack list')
const settings = page.take('sh', 'export JWT_ISSUER')
const doctor = page.take('sh', 'npx toolrack doctor')
const FILES = { 'tools/orders.ts': 'orders.ts' }

t.test('with a token of one’s own the caller sees what its scopes allow', async t => {
  const project = await guideProject(t, 'sign-in', FILES)
  await project.start(ownTokens)

  const { stdout, code } = await project.run(callWithToken)

  t.equal(code, 0)
  t.match(stdout, 'find_orders')
  t.notMatch(stdout, 'cancel_order')
  t.match(stdout, '"id":1')
  t.notMatch(stdout, '"id":2')
})

t.test('a user signs in, and grants more when it is needed', async t => {
  const scopes = ['orders:read', 'orders:write']
  const { issuer } = await authorizationServer(t, scopes, REDIRECT_URL)
  const project = await guideProject(t, 'sign-in', FILES)
  const base = `http://127.0.0.1:${project.port}`
  const localize = (block: string) =>
    block.replaceAll('https://mcp.example', base).replace(/https:\/\/TENANT\.eu\.auth0\.com\//, issuer)
  const server = await project.start(localize(settings))

  const examined = await project.run(localize(doctor))
  t.equal(examined.code, 0, examined.stdout + examined.stderr)

  const user = { account: 'alice', grants: scopes }
  const client = oauthClient(t, CLIENTS[0], { url: `${base}/mcp`, user, clientId: REGISTERED })
  const asked = () => client.sent.findLast(({ url }) => url.pathname === '/auth')!.form['scope']
  await t.rejects(client.connect())
  await client.finish()
  t.equal(asked(), 'orders:read')
  t.strictSame(await client.listTools(), ['find_orders'])
  t.match(await client.callTool('find_orders'), [{ text: /"id":1/ }])

  await t.rejects(client.callTool('cancel_order'))
  t.match(
    client.sent.at(-1)?.challenge ?? client.sent.findLast(({ status }) => status === 403)?.challenge,
    'orders:write',
  )
  await client.finish()
  t.match(asked(), 'orders:write')
  await server.stop()
})

t.test('a client that is unknown registers itself', async t => {
  const { issuer } = await authorizationServer(t, ['orders:read', 'orders:write'], REDIRECT_URL)
  const project = await guideProject(t, 'sign-in', FILES)
  const base = `http://127.0.0.1:${project.port}`
  await project.start(
    settings.replaceAll('https://mcp.example', base).replace(/https:\/\/TENANT\.eu\.auth0\.com\//, issuer),
  )
  const client = oauthClient(t, CLIENTS[1], { url: `${base}/mcp`, user: { account: 'alice', grants: ['orders:read'] } })

  await t.rejects(client.connect())
  await client.finish()

  t.strictSame(await client.listTools(), ['find_orders'])
})

t.test('each block of the page was run, but for the command of Claude Code', async t => {
  t.strictSame(page.left(), ['claude mcp add --transport http shop https://mcp.example/mcp\n'])
})
