// `toolrack list` and `toolrack call`: real processes against a real server, piped and on a terminal.
import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { listening } from '../../../../../test/support/app.ts'
import { fakeServer } from '../../../../../test/support/broken-servers.ts'
import { callable, HOSTILE, seen } from '../../../../../test/support/callable-tools.ts'
import {
  type Ended,
  noTerminal,
  runPiped,
  startOnTerminal,
  startPiped,
} from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { freePort } from '../../../../../test/support/free-port.ts'

// Many processes, one after the other.
t.setTimeout(900_000)
const { url, port } = await listening(t, { tools: [...callable], tasks: { inlineMs: 0 }, rateLimit: { max: 100_000 } })

const call = (t: Test, ...words: readonly string[]): Promise<Ended> => runPiped(t, ['call', url, ...words])
/** The eras: by itself the client takes the newest. */
const ERAS = [[], ['--revision', '2025-11-25']] as const

/** Ctrl-C on a terminal once it shows this: the call ends with code 130, and its tool is aborted. */
async function interrupt(t: Test, tool: string, { era, shows }: { era: readonly string[]; shows: string }) {
  const { aborted } = seen
  const called = startOnTerminal(t, ['call', url, tool, ...era])
  await called.shows(shows)
  called.type('\u0003')
  t.match(await called.ended, { code: 130 })
  await until(() => seen.aborted > aborted, `${tool} was cancelled`)
}

/** The list of a server with one tool, which takes anything. */
const listOne = (name: string) => () => ({ tools: [{ name, inputSchema: { type: 'object' } }] })

t.test('list: one line for each tool when piped, with its signature, marks and first sentence', async t => {
  const { code, stdout, stderr } = await runPiped(t, ['list', url])

  t.equal(code, 0)
  t.equal(stderr, '')
  t.ok(
    stdout
      .split('\n')
      .includes(
        'get_price(sku: string, n?: integer, tags?: string[]) → { price: number }\tread-only\tFinds the price of an article.',
      ),
    stdout,
  )
  t.equal(stdout.split('\n').length, callable.length + 1)
  t.notMatch(stdout, /[\u0007\u001b\u009b\u202e]/)
})

t.test('list: on a terminal two lines', { skip: noTerminal }, async t => {
  const { code, stdout } = await startOnTerminal(t, ['list', url, '{get_price,hostile}']).ended

  t.equal(code, 0)
  t.match(stdout, 'get_price(sku: string, n?: integer, tags?: string[]) → { price: number } [read-only]\r\n')
  t.match(stdout, '    Finds the price of an article.\r\n')
})

t.test('list: --json has the whole definitions, and a pattern chooses', async t => {
  const { code, stdout } = await runPiped(t, ['list', url, 'get_*', '--json'])

  t.equal(code, 0)
  t.match(JSON.parse(stdout), [{ name: 'get_price', inputSchema: { required: ['sku'] } }])
  t.match(await runPiped(t, ['list', url, 'nope_*']), { code: 1, stdout: '', stderr: /^no tool matches nope_\*; / })
})

t.test('list: resources and prompts', async t => {
  t.match(await runPiped(t, ['list', url, '--resources']), {
    code: 0,
    stdout: '',
    stderr: 'The server has no resources',
  })
  t.match(await runPiped(t, ['list', url, '--prompts', '--json']), { code: 0, stdout: '[]\n' })
  t.match(await runPiped(t, ['list', url, '--prompts', '--resources']), { code: 2, stderr: /cannot be used with/ })
})

t.test('list: the server of the settings, a URL without a path, one without a scheme', async t => {
  const env = { PORT: String(port) }
  for (const words of [['list'], ['list', `http://127.0.0.1:${port}`], ['list', `127.0.0.1:${port}`]]) {
    t.match(await runPiped(t, words, { env }), { code: 0, stdout: /^get_price\(/m }, words.join(' '))
  }
})

t.test('what cannot be reached is one line that says what to do', async t => {
  const nobody = `http://127.0.0.1:${await freePort()}/mcp`
  for (const [words, fault] of [
    [['list', nobody], /^http:\S+: nothing listens there; start a server with `toolrack`[^\n]+\n$/],
    [['call', nobody, 'say'], /nothing listens there/],
    [
      ['list', `http://127.0.0.1:${port}/none`],
      /has no MCP endpoint at this path; most servers have it at \/mcp \(404\)/,
    ],
    [['list', `https://127.0.0.1:${port}/mcp`], /does not speak TLS; write http|the connection was cut/],
  ] as const) {
    t.match(await runPiped(t, words), { code: 1, stdout: '', stderr: fault }, words.join(' '))
  }
  for (const [words, fault] of [
    [['list', 'ftp://example.com/'], /^expected a URL/],
    [['list', 'https://user:secret@example.com/'], /^the URL has a password in it/],
    [['list', url, '--header', 'nonsense'], /^--header: expected a name, a colon and a value/],
    [['list', url, '--timeout', 'soon'], /--timeout: expected a time/],
    [['list', url, '--revision', '2000-01-01'], /'--revision <date>' argument '2000-01-01' is invalid/],
    [['call', url], /^the name of the tool is missing/],
    [['call'], /^the name of the tool is missing/],
  ] as const) {
    t.match(await runPiped(t, words), { code: 2, stdout: '', stderr: fault }, words.join(' '))
  }
})

t.test('a token: from the environment or the option, never shown', async t => {
  const { url: guarded } = await listening(t, {
    tools: [...callable],
    jwt: { secret: 'a secret of 32 bytes, or some more' },
  })

  t.match(await runPiped(t, ['list', guarded]), {
    code: 1,
    stderr:
      /needs an access token or an API key: sign in by toolrack login \S+, or set TOOLRACK_TOKEN .*`toolrack key create`/,
  })
  const env = { TOOLRACK_TOKEN: 'not.a.token' }
  const refused = await runPiped(t, ['list', guarded], { env })
  t.match(refused, { code: 1, stderr: /refuses the access token/ })
  t.notMatch(refused.stderr, 'not.a.token')
  const broken = await runPiped(t, ['list', guarded, '--token', 'se\ncret'])
  t.match(broken, { code: 2, stderr: /^the token has characters/ })
  t.notMatch(broken.stderr, 'cret"')
})

for (const era of ERAS) {
  const name = era[1] ?? 'auto'

  t.test(`${name}: call prints structured results, for scripts and for people`, async t => {
    seen.called.length = 0
    const piped = await call(t, 'get_price', 'sku=ABC-1234', 'n=3', 'tags=a', 'tags=b', ...era)
    const json = await call(t, 'get_price', 'sku=1', '--json', ...era)

    t.match(piped, { code: 0, stdout: '{"price":3}\n', stderr: '' })
    t.strictSame(JSON.parse(json.stdout), { price: 3 })
    t.strictSame(seen.called[0], { sku: 'ABC-1234', n: 3, tags: ['a', 'b'] })
    if (noTerminal) return
    const shown = await startOnTerminal(t, ['call', url, 'get_price', 'sku=1', ...era]).ended
    t.equal(shown.stdout, '{\r\n  "price": 3\r\n}\r\n')
  })

  t.test(`${name}: a failed tool says why on stderr, with code 1`, async t => {
    t.match(await call(t, 'fails', ...era), { code: 1, stdout: '', stderr: 'There is no such order.\n' })
    const { code, stdout } = await call(t, 'fails', '--json', ...era)
    t.equal(code, 1)
    t.match(JSON.parse(stdout), { isError: true })
  })

  t.test(`${name}: questions are answered by options`, async t => {
    const answers = ['--answer', 'size=large', '--answer', 'count=3', '--answer', 'gift=false']
    t.match(await call(t, 'order', ...answers, ...era), {
      code: 0,
      stdout: 'accept {"size":"large","count":3,"gift":false}',
    })
    t.match(await call(t, 'order', '--answer', 'size=large', '--answer', 'count=3', '--yes', ...era), {
      code: 0,
      stdout: 'accept {"size":"large","count":3,"gift":true}',
    })
    t.match(await call(t, 'pay', '--yes', ...era), { code: 0, stdout: 'accept', stderr: /https:\/\/pay\.example\/1/ })
  })

  t.test(`${name}: without a terminal and an answer a question is code 3, and its form`, async t => {
    const { code, stdout, stderr } = await call(t, 'order', '--answer', 'count=3', ...era)
    t.equal(code, 3)
    t.equal(stdout, '')
    t.match(stderr, '--answer size=<"small" | "large"> --answer gift=<boolean> --answer note=<string, optional>')
    t.notMatch(stderr, /[\u0007\u001b]/)
    t.match(await call(t, 'pay', ...era), {
      code: 3,
      stderr: /the tool needs a page to be opened: https:\/\/pay\.example\/1/,
    })
    t.match(await call(t, 'order', '--answer', 'count=many', ...era), {
      code: 2,
      stderr: /--answer count: expected integer/,
    })
    t.match(await call(t, 'order', '--answer', 'size=large', '--answer', 'count=0', '--yes', ...era), {
      code: 2,
      stderr: /--answer count: must be >= 1/,
    })
  })

  t.test(`${name}: questions are asked in the terminal`, { skip: noTerminal }, async t => {
    const asked = startOnTerminal(t, ['call', url, 'order', ...era])
    await asked.shows('How large')
    asked.type('\u001b[B\r')
    await asked.shows('count')
    asked.type('2\r')
    await asked.shows('gift')
    asked.type('n\r')
    await asked.shows('note')
    asked.type('\r')
    await asked.shows('Send this answer?')
    asked.type('\r')

    const { code, stdout } = await asked.ended
    t.equal(code, 0)
    t.match(stdout, 'accept {"size":"large","count":2,"gift":false}')
    t.notMatch(stdout, 'Fulfilling')
  })

  t.test(`${name}: Ctrl-C at a question ends the call`, { skip: noTerminal }, async t => {
    const asked = startOnTerminal(t, ['call', url, 'order', ...era])
    await asked.shows('How large')
    asked.type('\u0003')
    t.match(await asked.ended, { code: 130 })
  })

  t.test(`${name}: Ctrl-D at a question is no answer`, { skip: noTerminal }, async t => {
    for (const [tool, shown] of [
      ['order', 'How large'],
      ['pay', 'Is it done?'],
      ['asking_job', '? sure'],
    ] as const) {
      const asked = startOnTerminal(t, ['call', url, tool, ...era])
      await asked.shows(shown)
      asked.type('\u0004')
      const { code, stdout } = await asked.ended
      t.equal(code, 3, tool)
      t.match(stdout, 'the input ended (Ctrl-D) before the question was answered')
      t.notMatch(stdout, 'accept')
    }
  })

  t.test(`${name}: sampling is refused in plain words`, async t => {
    t.match(await call(t, 'imagine', ...era), { code: 1, stdout: '', stderr: /sampling/ })
  })

  t.test(`${name}: progress and log messages go to stderr`, async t => {
    const piped = await call(t, 'walk', ...era)
    t.match(piped, { code: 0, stdout: 'there', stderr: /warning (?:walk: )?walked 1\n[\s\S]*walked 4\n/ })
    t.notMatch(piped.stderr, '█')
    t.match(await call(t, 'walk', '--log-level', 'none', ...era), { code: 0, stdout: 'there' })
    if (noTerminal) return
    const { stdout } = await startOnTerminal(t, ['call', url, 'walk', ...era]).ended
    t.match(stdout, /█{10}░{10} 50% step 2/)
    t.match(stdout, /there\r\n$/)
  })

  t.test(`${name}: Ctrl-C cancels the call, with code 130`, async t => {
    const { begun, aborted } = seen
    const piped = startPiped(t, ['call', url, 'wait', ...era])
    await until(() => seen.begun > begun, 'the tool runs')
    piped.child.kill('SIGINT')
    t.match(await piped.ended, { code: 130, stdout: '', stderr: '' })
    await until(() => seen.aborted > aborted, 'the tool was cancelled')

    if (!noTerminal) await interrupt(t, 'wait', { era, shows: 'waiting' })
  })

  t.test(`${name}: tasks are followed to their end, asked and cancelled`, async t => {
    t.match(await call(t, 'job', ...era), { code: 0, stdout: 'job done', stderr: 'info job: half way {"left":3}\n' })
    t.match(await call(t, 'asking_job', '--yes', ...era), { code: 0, stdout: 'accept {"sure":true}' })
    t.match(await call(t, 'asking_job', ...era), { code: 3, stderr: /--answer sure=<boolean>/ })
    if (!noTerminal) await interrupt(t, 'long_job', { era, shows: '██████████░░░░░░░░░░ 50% waiting' })
  })
}

t.test('the time that a person takes for an answer does not count', { skip: noTerminal }, async t => {
  const asked = startOnTerminal(t, ['call', url, 'pay', '--timeout', '3s', '--revision', '2025-11-25'])
  await asked.shows('Is it done?')
  const begunMs = performance.now()
  await until(() => performance.now() - begunMs > 3200, 'more than the timeout has passed')
  asked.type('\r')

  t.match(await asked.ended, { code: 0, stdout: /accept\r\n$/ })
})

t.test('a tool that does not answer in time is cancelled', async t => {
  const { aborted } = seen
  const { code, stderr } = await call(t, 'wait', '--timeout', '1500ms', '--revision', '2025-11-25')

  t.equal(code, 1)
  t.equal(stderr, 'the server did not answer in time; --timeout 5m waits longer\n')
  await until(() => seen.aborted > aborted, 'the tool was cancelled')
})

t.test('arguments that the schema refuses are not sent', async t => {
  seen.called.length = 0
  const signature = /expected get_price\(sku: string, n\?: integer, tags\?: string\[\]\) → \{ price: number \}\n$/
  for (const [words, fault] of [
    [['get_price'], /^sku is required; /],
    [['get_price', 'sku=1', 'n=many'], /^n: expected integer, not "many"; /],
    [['get_price', 'sku'], /^"sku": write arguments as name=value/],
    [['get_price', 'sku:=3'], /^sku must be string; /],
  ] as const) {
    const ended = await call(t, ...words)
    t.match(ended, { code: 2, stdout: '', stderr: fault })
    t.match(ended.stderr, signature)
  }
  t.match(await call(t, 'get_prise'), { code: 2, stderr: /no tool "get_prise"; did you mean get_price\?/ })
  t.match(await call(t, 'get_price', '--args', '[]'), { code: 2, stderr: /^--args: expected a JSON object/ })
  t.strictSame(seen.called, [])
})

t.test('a URL that ends with /sse is HTTP+SSE', async t => {
  const { url } = await listening(t, { tools: [...callable], httpSse: true })
  const sse = url.replace('/mcp', '/sse')

  t.match(await runPiped(t, ['list', sse, 'get_*']), { code: 0, stdout: /^get_price\(/, stderr: '' })
  t.match(await runPiped(t, ['call', sse, 'say']), { code: 0, stdout: 'two\nlines', stderr: '' })
  t.match(await runPiped(t, ['list', `http://127.0.0.1:${port}/sse`]), { code: 1, stderr: /\(404\)\n$/ })
  const nobody = `http://127.0.0.1:${await freePort()}/sse`
  t.match(await runPiped(t, ['list', nobody]), { code: 1, stderr: `${nobody}: nothing listens there; ` })
})

t.test('the URL comes first, also without a scheme', async t => {
  t.match(await runPiped(t, ['call', 'say', url]), { code: 2, stderr: /^the URL comes first: toolrack call http/ })
  t.match(await runPiped(t, ['call', 'nobody.invalid/mcp', 'say']), {
    code: 1,
    stderr: /^https:\/\/nobody\.invalid\/mcp: /,
  })
  t.match(await runPiped(t, ['list', 'http:/127.0.0.1']), { code: 2, stderr: /^expected a URL/ })
})

t.test('a name that looks misspelt is told, if the schema takes every name', async t => {
  const inputSchema = { type: 'object', properties: { name: { type: 'string' }, city: { type: 'string' } } }
  const list = (required: readonly string[]) => () => ({
    tools: [{ name: 'greet', inputSchema: { ...inputSchema, required } }],
  })
  const answers = { 'tools/call': () => ({ content: [{ type: 'text', text: 'hi' }] }) }
  const strict = await fakeServer(t, { ...answers, 'tools/list': list(['name']) })
  const free = await fakeServer(t, { ...answers, 'tools/list': list([]) })

  const fault = 'nam is not an argument of the tool; did you mean name?'
  t.match(await runPiped(t, ['call', strict, 'greet', 'nam=x']), {
    code: 2,
    stderr: `name is required; ${fault}; expected greet(`,
  })
  t.match(await runPiped(t, ['call', free, 'greet', 'nam=x']), {
    code: 0,
    stdout: 'hi',
    stderr: `Warning: ${fault}\n`,
  })
  t.match(await runPiped(t, ['call', free, 'greet', 'planet=x']), { code: 0, stderr: /^$/ })
})

const LOST = [
  ['a stream that breaks', (response: ServerResponse) => response.socket?.destroy()],
  ['a stream that ends', (response: ServerResponse) => response.end()],
] as const
for (const [what, lose] of LOST) {
  t.test(`${what} in mid-call fails the call at once`, async t => {
    const server = await fakeServer(t, {
      'tools/list': listOne('slow'),
      'tools/call': ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n', () => lose(response))
        return undefined
      },
    })

    t.match(await runPiped(t, ['call', server, 'slow']), {
      code: 1,
      stderr: /^http\S+: the connection ended before the answer came; [^\n]+\n$/,
    })
  })
}

for (const [what, status, body, headers, expected] of [
  ['no JSON', 200, '', { 'content-type': 'application/json' }, 'does not answer with JSON'],
  ['a fault', 500, 'oh', {}, 'has failed; its log says why (500)'],
  [
    'no scope',
    403,
    '',
    { 'www-authenticate': 'Bearer error="insufficient_scope", scope="a:b"' },
    'with the scope a:b: toolrack login http',
  ],
] as const) {
  t.test(`a server that answers with ${what} is one line`, async t => {
    const server = await fakeServer(t, { 'tools/list': listOne('any') }, ({ message, response }) => {
      if (message.method !== 'tools/call') return false
      response.writeHead(status, headers).end(body)
      return true
    })

    const { code, stderr } = await runPiped(t, ['call', server, 'any'])
    t.equal(code, 1)
    t.ok(stderr.includes(expected), stderr)
    t.equal(stderr.split('\n').length, 2, stderr)
  })
}

t.test('a default of a hostile question is not shown to the terminal', { skip: noTerminal }, async t => {
  const server = await hostileQuestion(t, { name: { type: 'string', default: 'a\u001b]0;owned\u0007b' } })

  const asked = startOnTerminal(t, ['call', server, 'ask'])
  await asked.shows('name')
  asked.type('\u0003')
  const { stdout } = await asked.ended

  t.notMatch(stdout, 'owned')
})

/** A server of sessions whose tool asks for this. */
function hostileQuestion(t: Test, properties: object): Promise<string> {
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties } }
  return fakeServer(t, {
    'tools/list': listOne('ask'),
    'tools/call': ({ response }) => {
      const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(question)}\n\n`)
      return undefined
    },
  })
}

t.test('arguments from stdin and --args', async t => {
  seen.called.length = 0
  await runPiped(t, ['call', url, 'get_price', '-', 'n=2'], { input: '{"sku":"a","n":1}' })
  await call(t, 'get_price', '--args', '{"sku":"b"}')
  t.strictSame(seen.called, [{ sku: 'a', n: 2 }, { sku: 'b' }])
})

t.test('D20: text is as it is when piped, and harmless on a terminal', async t => {
  t.match(await call(t, 'say'), { code: 0, stdout: 'two\nlines', stderr: '' })
  const piped = await call(t, 'hostile')
  t.equal(piped.stdout, HOSTILE)

  if (noTerminal) return
  const { stdout } = await startOnTerminal(t, ['call', url, 'hostile']).ended
  t.match(stdout, '\\x1b[31mred\\x1b[2J')
  t.notMatch(stdout, /[\u0007\u001b\u009b\u202e]/)
})
