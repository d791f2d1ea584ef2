// `toolrack list`, `call` and `read` with servers that answer wrongly, late, or with less than others.
import t, { type Test } from 'tap'
import { fakeServer, INITIALIZED, send } from '../../../../../test/support/broken-servers.ts'
import { noTerminal, runPiped, startOnTerminal, startPiped } from '../../../../../test/support/command-line.ts'

t.setTimeout(300_000)
const listOne = (name: string, inputSchema: object = { type: 'object' }) => ({ tools: [{ name, inputSchema }] })
const HUGE = '[1.0,12345678901234567890]'

/** Answers one method with a text, in which `ID` stands for the id. */
const answering = (t: Test, method: string, body: string) =>
  fakeServer(t, { 'tools/list': () => listOne('any') }, ({ message, response }) => {
    if (message.method !== method) return false
    send(response, 200, body.replace('ID', JSON.stringify(message.id)), 'application/json')
    return true
  })

t.test('--timeout counts for lists, too', async t => {
  const server = await fakeServer(t, {}, ({ message }) => message.method === 'tools/list')
  for (const words of [
    ['list', server],
    ['call', server, 'any'],
  ]) {
    const startMs = performance.now()
    const { code, stderr } = await runPiped(t, [...words, '--timeout', '1s'])
    t.equal(code, 1)
    t.ok(performance.now() - startMs < 60_000, 'not the time that there is without the option')
    t.match(stderr, /did not answer in time; --timeout 5m waits longer\n$/, words[0]!)
  }
})

t.test('list: a session is ended, also by Ctrl-C', async t => {
  const ended: unknown[] = []
  const asked = Promise.withResolvers<void>()
  const server = await fakeServer(t, {}, ({ message, request, response }) => {
    if (message.method === 'initialize') response.setHeader('mcp-session-id', 'one')
    if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id'])
    if (message.method === 'tools/list') asked.resolve()
    return message.method === 'tools/list'
  })
  const running = startPiped(t, ['list', server])
  await asked.promise
  running.child.kill('SIGINT')

  t.match(await running.ended, { code: 130, stdout: '' })
  t.strictSame(ended, ['one'])
})

t.test('list --resources: a server without templates has its resources listed', async t => {
  const server = await fakeServer(t, {
    initialize: () => ({ ...INITIALIZED, capabilities: { resources: {} } }),
    'resources/list': () => ({ resources: [{ uri: 'note://a', name: 'a' }] }),
  })

  t.match(await runPiped(t, ['list', server, '--resources']), { code: 0, stdout: 'note://a\t\ta\n' })
})

for (const [what, body] of [
  ['a result that is a number', '{"jsonrpc":"2.0","id":ID,"result":42}'],
  ['JSON without JSON-RPC', '{"ok":true}'],
] as const) {
  t.test(`${what} is one line`, async t => {
    const server = await answering(t, 'tools/call', body)
    const { code, stdout, stderr } = await runPiped(t, ['call', server, 'any', '--json', '--timeout', '5s'])

    t.equal(code, 1)
    t.match(stderr, /^http\S+ does not answer as an MCP server does; toolrack doctor http\S+ says more\n$/)
    t.match(JSON.parse(stdout).error.message, 'does not answer as an MCP server does')
  })
}

t.test('a page in place of MCP is one line', async t => {
  const server = await fakeServer(t, {}, ({ response }) => {
    send(response, 200, '<html>', 'text/html')
    return true
  })

  const { code, stderr } = await runPiped(t, ['list', server])
  t.equal(code, 1)
  t.match(
    stderr,
    /^http\S+ does not answer as an MCP server does \(.*text\/html\)?\); toolrack doctor http\S+ says more\n$/,
  )
})

t.test('--json: the data of an error has its numbers as written', async t => {
  const server = await answering(
    t,
    'tools/call',
    `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no","data":{"list":${HUGE}}}}`,
  )

  const { code, stdout } = await runPiped(t, ['call', server, 'any', '--json'])
  t.equal(code, 1)
  t.equal(stdout.replace(/\s/g, ''), `{"error":{"code":-1,"message":"no","data":{"list":${HUGE}}}}`)
})

t.test('a schema whose title and description are objects is asked for by name', { skip: noTerminal }, async t => {
  const property = { type: 'string', title: { toString: 1 }, description: { toString: 1 } }
  const schema = { type: 'object', properties: { place: property }, required: ['place'] }
  const server = await fakeServer(t, {
    'tools/list': () => listOne('any', schema),
    'tools/call': ({ message }) => ({ content: [{ type: 'text', text: `at ${message.params.arguments.place}` }] }),
  })

  const running = startOnTerminal(t, ['call', server, 'any'])
  await running.shows('? place')
  running.type('home\r')
  t.match(await running.ended, { code: 0, stdout: /at home/ })
})
