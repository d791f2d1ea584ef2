// A refusal has the id of its request if the server can read it, from headers or the first bytes.
// Spec: JSON-RPC 2.0, "Response object". Of an unknown caller's body the server reads little.
import net from 'node:net'
import t from 'tap'
import { secretTarget } from '../../support/auth/attack-tokens.ts'
import { bearer } from '../../support/auth/guarded.ts'
import { inject } from '../../support/client/transport.ts'
import { until } from '../../support/eventually.ts'
import { attack, ECHO_HEADERS, echoCall, recorder, send, target } from '../../support/security/probe.ts'
import { attackIn, callOf, handshake, inSession, NEWEST, OLDER } from '../../support/security/sessions.ts'
import { open, rawCall, talk } from '../../support/security/socket.ts'

const ID = 'the id "of" it'
const call = (args: object = { message: 'x' }) => echoCall(args).replace('"id":1', `"id":${JSON.stringify(ID)}`)

/** A body of about so many bytes, its id at the end. */
function long(bytes: number): string {
  const { id, ...rest } = JSON.parse(call({ message: 'x'.repeat(bytes) }))
  return JSON.stringify({ ...rest, id })
}

const REFUSED: [what: string, headers: Record<string, string>, status: number][] = [
  ['text/plain', { 'content-type': 'text/plain' }, 415],
  ['another charset', { 'content-type': 'application/json; charset=utf-16' }, 415],
  ['a type that is none', { 'content-type': 'application/json\ta' }, 415],
  ['an answer that is no JSON', { accept: 'text/html' }, 406],
]

for (const [what, headers, status] of REFUSED) {
  t.test(`${status} names the request: ${what}`, async t => {
    const app = await target(t, { tools: [recorder().tool] })

    t.match(await attack(app, { body: call(), headers }), {
      status,
      message: { id: ID, error: { code: status * 100 } },
    })
    t.match(await attack(app, { body: long(500_000), headers }), { status, message: { id: ID } }, 'a long one')
    for (const body of ['{', 'id=1', '[]', '', call().replace(JSON.stringify(ID), 'null'), `[${call()}]`]) {
      const { status: got, message } = await attack(app, { body, headers })
      t.match({ status: got, hasId: 'id' in message! }, { status, hasId: false }, body.slice(0, 20))
    }
  })
}

t.test('401 names the request, with a bad token and without any', async t => {
  const { app, received } = await secretTarget(t)

  for (const authorization of [undefined, 'Bearer x', 'Basic eDp5', bearer().authorization]) {
    const got = await attackOnly(call(), { authorization })
    t.match(got, { status: 401, message: { id: ID, error: { code: 40100 } } }, `${authorization}`)
    t.match(got.headers['www-authenticate'], /^Bearer /)
  }
  for (const contentType of ['text/plain', undefined])
    t.match(await attackOnly(call(), { 'content-type': contentType }), { status: 401, message: { id: ID } })
  t.same(received, [])

  async function attackOnly(body: string, headers: Record<string, string | undefined>) {
    const audited = app.audit.lines.length
    const got = await send(app, { body, headers })
    t.equal(app.audit.lines.length, audited + 1, 'one line in the audit')
    return got
  }
})

t.test('B22: of a stranger no more than 8 KiB is read, and nothing whose length is not announced', async t => {
  const { app } = await secretTarget(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as net.AddressInfo
  const body = call()
  const inChunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

  t.match((await send(app, { body: long(7000) })).message, { id: ID })
  const tooLong = await send(app, { body: long(8 * 1024) })
  t.match([tooLong.status, 'id' in tooLong.message!], [401, false])
  const chunked = await talk(
    port,
    rawCall(['transfer-encoding: chunked'], inChunks).replace(/content-length.*\r\n/, ''),
    1,
  )
  t.match(JSON.parse(chunked.responses[0]!.body), { error: { code: 40100 }, id: undefined })
})

t.test('B22: a stranger whose body does not come is answered all the same', async t => {
  const { app } = await secretTarget(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as net.AddressInfo

  const heard = await talk(port, rawCall([`content-length: ${call().length}`], call().slice(0, 40)), 1)

  t.equal(heard.responses[0]!.status, 401)
  t.notOk('id' in JSON.parse(heard.responses[0]!.body))
})

t.test('B22: a stranger that leaves before its body has come leaves one line in the audit', async t => {
  const { app } = await secretTarget(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as net.AddressInfo
  const socket = net.connect(port, '127.0.0.1')
  const reached = new Promise(resolve => app.server.once('request', resolve))
  socket.write(rawCall([`content-length: ${call().length}`], call().slice(0, 40)))
  await reached
  socket.destroy()

  await until(() => app.audit.lines.length === 1, 'it is audited')

  t.match(app.audit.lines, [{ status: 401 }])
  t.equal((await send(app, { body: call() })).status, 401)
})

t.test('a body that comes in pieces, or in chunks, is waited for; its connection is used again', async t => {
  const { port } = await open(t)
  const refused = rawCall(['content-type: text/plain'], call())
  const inChunks = `${call().length.toString(16)}\r\n${call()}\r\n0\r\n\r\n`
  const chunked = rawCall(['content-type: text/plain', 'transfer-encoding: chunked'], inChunks)

  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', chunk => (text += chunk))
  socket.write(refused.slice(0, -20))
  setImmediate(() =>
    socket.write(refused.slice(-20) + chunked.replace(/content-length.*\r\n/, '') + rawCall([], echoCall())),
  )
  await until(() => text.includes('"content"'), 'all three are answered')
  socket.destroy()

  t.match(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415', 'HTTP/1.1 415', 'HTTP/1.1 200'])
  t.equal(text.split(JSON.stringify(JSON.stringify(ID)).slice(1, -1)).length + text.split(JSON.stringify(ID)).length, 4)
})

t.test('a body past the bound of the route is not read for its id', async t => {
  const app = await target(t, { limits: { maxBodyBytes: 2000 } })

  const { status, message } = await attack(app, { body: long(3000), headers: { 'content-type': 'text/plain' } })

  t.match([status, 'id' in message!], [415, false])
})

const BROKEN: [what: string, body: string][] = [
  ['a key twice', call().replace('"message"', '"message":1,"message"')],
  ['a member twice', call().replace('"method"', '"method":"x","method"')],
  ['half of a character', call().replace('"x"', '"\\ud800"')],
  ['a prototype', call().replace('"message"', '"__proto__":1,"message"')],
  ['too deep', call().replace('"x"', `${'['.repeat(100)}${']'.repeat(100)}`)],
  ['too many elements', call().replace('"x"', `[${'0,'.repeat(20_000)}0]`)],
]

t.test('what is refused for what its bytes hold is named, but where its id is the trouble', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  for (const [what, body] of BROKEN)
    t.match(await attack(app, { body }), { status: 400, message: { id: ID, error: { code: -32600 } } }, what)
  for (const body of [
    call().replace('"id"', '"id":1,"id"'),
    call().replace(JSON.stringify(ID), '"\\ud800"'),
    call().slice(0, -1),
  ]) {
    const { status, message } = await attack(app, { body })
    t.match([status, 'id' in message!], [400, false], body.slice(0, 60))
  }
})

for (const revision of OLDER) {
  t.test(`in a session of ${revision} a refusal names its request too`, async t => {
    const { app, session } = await inSession(t, revision)
    const right = JSON.stringify(callOf('echo', { message: 'x' }, ID))
    const json = { 'content-type': 'application/json' }
    const refused: [body: string, headers: Record<string, string>, status: number][] = [
      [right, { 'content-type': 'text/plain' }, 415],
      [right, { ...json, accept: 'text/html' }, 406],
      [right.replace('"message"', '"message":1,"message"'), json, 400],
      [right.replace('"x"', '"\\ud800"'), json, 400],
    ]

    for (const [body, headers, status] of refused)
      t.match(await attackIn(app, { session, body, headers }, revision), { status, message: { id: ID } }, body)
  })
}

t.test('401 names a handshake, and a message of HTTP+SSE', async t => {
  const { app } = await secretTarget(t, { httpSse: true })
  const hello = handshake(NEWEST)

  t.match(await inject(app).send({ body: hello }), { status: 401, message: { id: hello.id } })
  t.match(await inject(app).send({ body: hello, path: '/messages?sessionId=x' }), {
    status: 401,
    message: { id: hello.id },
  })
})

t.test('HTTP+SSE names what it refuses', async t => {
  const app = await target(t, { httpSse: true })
  const url = '/messages?sessionId=x'

  t.match(await send(app, { body: call(), url, headers: { 'content-type': 'text/plain' } }), {
    status: 415,
    message: { id: ID },
  })
  t.match(await send(app, { body: call().replace('"message"', '"message":1,"message"'), url }), {
    status: 400,
    message: { id: ID },
  })
  t.notOk('id' in (await send(app, { body: '{"id":1,', url })).message!)
})

t.test('a flood of strangers is refused without a look at what they send', async t => {
  const { app } = await secretTarget(t, { rateLimit: { max: 2 } })
  const answers = []
  for (let turn = 0; turn < 4; turn++) answers.push(await send(app, { body: call(), headers: ECHO_HEADERS }))

  t.match(
    answers.map(({ status, message }) => [status, message?.id]),
    [
      [401, ID],
      [401, ID],
      [429, undefined],
      [429, undefined],
    ],
  )
})
