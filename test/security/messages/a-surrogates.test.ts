// Half of a surrogate pair, which only an escape can bring. UTF-8 cannot carry it back, so that an
// identifier would return as another: it is refused wherever it stands.
import t from 'tap'
import { listening } from '../../support/app.ts'
import { inject } from '../../support/client/transport.ts'
import { connect } from '../../support/legacy/http-sse-client.ts'
import { attack, echoCall, recorder, target } from '../../support/security/probe.ts'
import { attackIn, BATCHES, callOf, handshake, inSession, OLDER } from '../../support/security/sessions.ts'

const LONE = { status: 400, message: { error: { code: -32600, message: /lone surrogate/ } } }

/** A right call of `echo` in which a part is another. */
function tampered(from: string, to: string): string {
  const body = echoCall()
  if (!body.includes(from)) throw new Error(`${from} is not in ${body}`)
  return body.replace(from, to)
}

t.test('A18: a lone surrogate is refused in whatever comes back, and in what a tool is given', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })

  const bodies = {
    id: tampered('"id":1', '"id":"a\\ud800"'),
    'the other half': tampered('"id":1', '"id":"\\udc00"'),
    'progress token': tampered('"_meta":{', '"_meta":{"progressToken":"\\ud800",'),
    'an argument': tampered('"x"', '"a\\ud800b"'),
    'deep in an argument': tampered('"x"', '[{"a":["\\uDFFF"]}]'),
    'the name of an argument': tampered('"message":"x"', '"m\\ud800":"x"'),
    'the name of a tool': tampered('"name":"echo"', '"name":"echo\\ud800"'),
    'a method': tampered('"tools/call"', '"tools/\\ud800"'),
    state: tampered('"_meta":{', '"requestState":"\\ud800","_meta":{'),
    'an answer': tampered(
      '"_meta":{',
      '"inputResponses":{"a":{"action":"accept","content":{"b":"\\ud800"}}},"_meta":{',
    ),
    'a member that nobody reads': tampered('"_meta":{', '"_meta":{"vendor/x":"\\ud800",'),
  }
  for (const [what, body] of Object.entries(bodies)) t.match(await attack(app, { body }), LONE, what)
  t.same(received, [])
})

t.test('A18: a cursor, a URI and a reference with one are refused', async t => {
  const app = await target(t)
  const asked = {
    'tools/list': '"cursor":"\\ud800"',
    'resources/read': '"uri":"shop://\\ud800"',
    'completion/complete': '"ref":{"type":"ref/resource","uri":"\\ud800"},"argument":{"name":"a","value":""}',
    'tasks/get': '"taskId":"\\ud800"',
  }

  for (const [method, params] of Object.entries(asked)) {
    const body = echoCall().replace('"tools/call"', `"${method}"`).replace('"name":"echo"', params)
    t.match(await attack(app, { body, headers: { 'mcp-method': method, 'mcp-name': undefined } }), LONE, method)
  }
})

t.test('A18: a character that is written as its two halves comes back whole', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })

  const got = await attack(app, {
    body: tampered('"id":1', '"id":"\\ud83d\\ude00"').replace('"x"', '"\\ud83d\\ude00"'),
  })

  t.match(got, { status: 200, message: { id: '😀', result: { content: [{ text: '😀' }] } } })
  t.same(received, ['😀'])
})

for (const revision of OLDER) {
  t.test(`A18: in a session of ${revision} a lone surrogate is refused, and the session goes on`, async t => {
    const { app, session, received } = await inSession(t, revision)
    const right = JSON.stringify(callOf('echo', { message: 'x' }, 'id'))
    const bodies = [
      right.replace('"id":"id"', '"id":"\\ud800"'),
      right.replace('"x"', '"\\ud800"'),
      right.replace('"arguments"', '"_meta":{"progressToken":"\\ud800"},"arguments"'),
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\ud800"}}',
      '{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"\\ud800"}}}',
      JSON.stringify(handshake(revision)).replace('"attacker"', '"\\ud800"'),
    ]

    const raw = (body: string) => ({ session, body, headers: { 'content-type': 'application/json' } })
    for (const body of bodies) t.match(await attackIn(app, raw(body), revision), LONE, body)
    t.same(received, [])
    t.equal((await inject(app).send({ session, body: callOf('echo', { message: 'x' }) })).status, 200)
  })
}

t.test('A18: a batch with one in any of its messages is refused whole', async t => {
  const { app, session, received } = await inSession(t, BATCHES)
  const body = JSON.stringify([callOf('echo', { message: 'x' }, 1), callOf('echo', { message: 'y' }, 2)])

  t.match(await attackIn(app, { session, body: body.replace('"y"', '"\\ud800"') }, BATCHES), LONE)
  t.same(received, [])
})

t.test('A18: HTTP+SSE refuses one too', async t => {
  const { url } = await listening(t, { httpSse: true })
  const { address } = await connect(t, url)

  const body = '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'
  const reply = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  t.equal(reply.status, 400)
  t.match(await reply.json(), LONE.message)
})

t.test('A18: a name in a header is UTF-8, where there is no half of a character', async t => {
  const app = await target(t, { tools: [recorder().tool] })
  const half = Buffer.from([0xed, 0xa0, 0x80]).toString('base64')

  const got = await attack(app, { body: echoCall(), headers: { 'mcp-name': `=?base64?${half}?=` } })

  t.match(got, { status: 400, message: { error: { code: -32020 } } })
})
