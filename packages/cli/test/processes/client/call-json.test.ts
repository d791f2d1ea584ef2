// `--json`: whatever happens, stdout has one JSON document, and stderr the words for people.
import t from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { fakeServer } from '../../../../../test/support/broken-servers.ts'
import { callable } from '../../../../../test/support/callable-tools.ts'
import { noTerminal, runOnTerminal, runPiped, startOnTerminal } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'

t.setTimeout(300_000)
const withNote = defineTool({
  name: 'noted',
  handler: () => ({ content: [{ type: 'text', text: 'a summary' }], structuredContent: { n: 1 } }),
})
const { url } = await listening(t, { tools: [...callable, withNote] as typeof callable, rateLimit: { max: 100_000 } })
const ERAS = [[], ['--revision', '2025-11-25']] as const

for (const era of ERAS) {
  const name = era[1] ?? 'auto'
  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runPiped(t, ['call', ...words, '--json', ...era])
    return { code, document: JSON.parse(stdout), stderr }
  }

  t.test(`${name}: a result is its structure, or the whole if it has more`, async t => {
    t.strictSame(await run(url, 'get_price', 'sku=1'), { code: 0, document: { price: 3 }, stderr: '' })
    t.match((await run(url, 'noted')).document, {
      content: [{ type: 'text', text: 'a summary' }],
      structuredContent: { n: 1 },
    })
  })

  t.test(`${name}: a failed tool, a question, a refusal`, async t => {
    const failed = await run(url, 'fails')
    t.match(failed, { code: 1, document: { isError: true }, stderr: 'There is no such order.\n' })
    const asked = await run(url, 'order')
    t.match(asked, { code: 3, document: { questions: [{ requestedSchema: { required: ['size', 'count', 'gift'] } }] } })
    t.match(asked.stderr, '--answer size=')
    t.match((await run(url, 'pay')).document, { questions: [{ mode: 'url', url: 'https://pay.example/1' }] })
    t.match(await run(url, 'asking_job'), { code: 3, document: { questions: [{ message: 'Are you sure?' }] } })
    const fault = 'the server has no tool "get_prise"; did you mean get_price?'
    t.match(await run(url, 'get_prise'), { code: 2, document: { error: { message: fault } }, stderr: `${fault}\n` })
    t.match(await run(url, 'get_price'), { code: 2, document: { error: { message: /^sku is required; / } } })
  })
}

t.test('an error of the server has its code and data', async t => {
  const error = { code: -32042, message: 'not today', data: { until: 'Monday' } }
  const server = await fakeServer(
    t,
    { 'tools/list': () => ({ tools: [{ name: 'any', inputSchema: { type: 'object' } }] }) },
    ({ message, response }) => {
      if (message.method !== 'tools/call') return false
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
      return true
    },
  )

  const { code, stdout, stderr } = await runPiped(t, ['call', server, 'any', '--json'])
  t.equal(code, 1)
  t.strictSame(JSON.parse(stdout), { error })
  t.match(stderr, 'not today')
})

t.test('nobody who answers, arguments that are no JSON', async t => {
  const nobody = `http://127.0.0.1:${await freePort()}/mcp`
  for (const [words, expected, message] of [
    [['call', nobody, 'say'], 1, /nothing listens there/],
    [['list', nobody], 1, /nothing listens there/],
    [['list', url, 'none_*'], 1, /^no tool matches none_\*/],
    [['call', url, 'say', '--args', '['], 2, /^--args: not valid JSON/],
    [['call', url, 'say', '--revison', '2025-11-25'], 2, /^unknown option '--revison' \(did you mean --revision\?\)/],
    [['list', url, '--timeout', 'soon'], 2, /^--timeout: expected a time/],
    [['login', url, '--port', 'x'], 2, /^--port: expected a number/],
    [['call', url, 'picture', '-o', '-'], 2, /^--output - and --json: expected one of them/],
    [['read', url, 'x:y', '-o', '-'], 2, /^--output - and --json: expected one of them/],
  ] as const) {
    const { code, stdout } = await runPiped(t, [...words, '--json'])
    t.equal(code, expected, words.join(' '))
    t.match(JSON.parse(stdout), { error: { message } })
  }
})

t.test('on a terminal: the same document, beside the words', { skip: noTerminal }, async t => {
  const failed = await runOnTerminal(t, ['call', url, 'get_prise', '--json'], { columns: 80 })
  t.equal(failed.code, 2)
  t.match(failed.stdout, '"message": "the server has no tool \\"get_prise\\"; did you mean get_price?"')

  const asked = startOnTerminal(t, ['call', url, 'order', '--json'])
  await asked.shows('How large')
  asked.type('\u0004')
  const { code, stdout } = await asked.ended
  t.equal(code, 3)
  t.match(stdout, '"questions": [')
})
