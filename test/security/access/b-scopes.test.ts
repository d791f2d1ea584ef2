// What a caller without a scope is told, and what no caller is told.
import t from 'tap'
import { definePrompt, defineTool } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { bearer, guarded, METADATA, TOOLS } from '../../support/auth/guarded.ts'
import { inject } from '../../support/client/transport.ts'
import { callOf, openSession } from '../../support/security/sessions.ts'

const calling = (name: string, scope: string) =>
  [
    { name, arguments: {} },
    { headers: bearer(scope), id: 7 },
  ] as const

t.test('B18: a call without a scope is 403, with the error, ALL scopes it needs, and where to get them', async t => {
  const app = await guarded(t)

  const { status, headers, error } = await call(app, 'tools/call', ...calling('doubly', 'read'))

  t.match(
    { status, error },
    { status: 403, error: { code: 40300, message: 'Insufficient scope: doubly needs read write' } },
  )
  t.equal(
    headers['www-authenticate'],
    `Bearer error="insufficient_scope", error_description="doubly needs read write", resource_metadata="${METADATA}", scope="read write"`,
  )
})

t.test('B18: a session is told the same, and goes on', async t => {
  const app = await guarded(t)
  const session = await openSession(app, undefined, { headers: bearer('read') })

  const refused = await inject(app).send({ session, body: callOf('doubly'), headers: bearer('read') })

  t.match(refused, { status: 403, message: { id: 1, error: { code: 40300 } } })
  t.match(refused.headers['www-authenticate'], /^Bearer error="insufficient_scope".*scope="read write"$/)
  t.equal((await inject(app).send({ session, body: callOf('closed'), headers: bearer('read') })).status, 200)
})

t.test('B18: no name can break the header', async t => {
  const app = await guarded(t, { tools: [] })
  for (const scope of ['a"b', 'a\\b', 'a\r\nx: y', 'a b', '', 'ä', '\u0000']) {
    t.throws(() => app.toolrack.add(defineTool({ name: 'bad', scopes: [scope], handler: () => 'x' })), /scopes/)
  }
  const name = 'doc:"quoted\\'
  app.toolrack.add(definePrompt({ name, scopes: ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~"], handler: () => '' }))

  const { status, headers } = await call(
    app,
    'prompts/get',
    { name },
    { headers: { ...bearer(), 'mcp-name': sentinel(name) } },
  )

  t.equal(status, 403)
  const quoted = /^Bearer (?:[a-z_]+="[^"\\\r\n]*"(?:, )?){4}$/
  t.match(headers['www-authenticate'], quoted)
  t.ok(String(headers['www-authenticate']).endsWith(`scope="!#$%&'()*+,-./:;<=>?@[]^_\`{|}~"`))
})

const sentinel = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

t.test('SCOPE_DENIAL=result: the same refusal as a result, in both eras', async t => {
  const app = await guarded(t, { scopes: { denial: 'result' } })
  const session = await openSession(app, undefined, { headers: bearer() })

  const modern = await call(app, 'tools/call', ...calling('doubly', 'read'))
  const legacy = await inject(app).send({ session, body: callOf('doubly'), headers: bearer() })

  for (const reply of [modern, { ...legacy, ...legacy.message! }]) {
    t.equal(reply.status, 200)
    t.match(reply.result, { isError: true, content: [{ text: /^Not allowed: doubly needs the scopes read write/ }] })
    t.equal(reply.headers['www-authenticate'], undefined)
  }
})

t.test(
  'SCOPE_HIERARCHY: the broader scope stands for the narrower, to list and to call, and not the other way',
  async t => {
    const app = await guarded(t, { scopes: { hierarchy: 'admin>write>read' } })
    const listed = async (scope: string) => {
      const { result } = await call(app, 'tools/list', {}, { headers: bearer(scope) })
      return result.tools.map(({ name }: { name: string }) => name)
    }

    t.strictSame(await listed('admin'), ['asks', 'closed', 'doubly', 'free'])
    t.strictSame(await listed('write'), ['asks', 'closed', 'doubly', 'free'])
    t.strictSame(await listed('read'), ['asks', 'closed', 'free'])
    t.equal((await call(app, 'tools/call', ...calling('doubly', 'admin'))).status, 200)
    t.equal((await call(app, 'tools/call', ...calling('doubly', 'read'))).status, 403)
  },
)

// The specification asks for 403 where a scope is missing, so that a client can step up: that a tool is there is then
// no secret. What nobody may know is what was there: removed, or refused when it was registered.
t.test(
  'B20: a tool that is gone, one that was refused and one that never was are answered byte for byte the same',
  async t => {
    const refused = {
      name: 'refused',
      scopes: ['read'],
      inputSchema: { $ref: 'https://evil.example' },
      handler: () => '',
    }
    const app = await guarded(t, {
      tools: [...TOOLS, defineTool({ name: 'removed', scopes: ['x'], handler: () => '' })],
    })
    t.throws(() => app.toolrack.add(refused as never), { name: 'RegistrationError' })
    const before = await call(app, 'tools/call', ...calling('removed', 'read'))
    app.toolrack.remove('removed')
    const session = await openSession(app, undefined, { headers: bearer('read') })

    const answers = async (name: string) => {
      const { status, headers, error } = await call(app, 'tools/call', ...calling(name, 'read'))
      const legacy = await inject(app).send({ session, body: callOf(name), headers: bearer('read') })
      const text = JSON.stringify([status, { ...headers, date: '' }, error, legacy.status, legacy.text])
      return text.replaceAll(name, 'NAME').replaceAll(/"content-length":"\d+"/g, '')
    }
    const never = await answers('neverwas')

    t.equal(before.status, 403)
    t.match(never, /Unknown tool: NAME/)
    for (const name of ['removed', 'refused']) t.equal(await answers(name), never, name)
  },
)
