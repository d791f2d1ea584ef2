// What is said of each client: the same rows for every server, problems first, honest features.
import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import {
  CLIENT_IDS,
  type Client,
  describeClients,
  describeWay,
  groupClients,
  type ServerFacts,
} from '../../src/clients/index.ts'

const local: ServerFacts = {
  url: 'http://127.0.0.1:3000/mcp',
  name: 'toolrack',
  access: 'open',
  authorizationServers: [],
  plainHttp: { url: 'http://127.0.0.1:3000/tools', isOn: true },
}
const open = { ...local, url: 'https://mcp.example/mcp', plainHttp: { url: 'https://mcp.example/tools', isOn: true } }
const byToken: ServerFacts = { ...open, access: 'token' }
const bySignIn: ServerFacts = { ...byToken, authorizationServers: ['https://as.example'] }

const find = (facts: ServerFacts, id: string): Client => {
  const client = describeClients(facts).find(each => each.id === id)
  if (client === undefined) throw new Error(`no client ${id}`)
  return client
}
const textOf = (facts: ServerFacts, id: string) => JSON.stringify(find(facts, id))

t.test('every client has an id of its own, steps, a page of documents and its limits', async t => {
  const clients = describeClients(local)

  t.strictSame(
    clients.map(({ id }) => id),
    CLIENT_IDS,
  )
  t.equal(new Set(CLIENT_IDS).size, CLIENT_IDS.length)
  for (const { id, steps, limits, docs, seen } of clients) {
    t.match(seen.day, /^2026-\d\d-\d\d$/, id)
    for (const source of seen.sources ?? []) t.equal(new URL(source).protocol, 'https:', id)
    t.match(id, /^[a-z][a-z0-9-]*$/)
    t.ok(steps.length > 0 && limits.length > 0, id)
    t.match(new URL(docs).protocol, 'https:', id)
  }
})

t.test('texts and limits are sentences, headings of steps are not', async t => {
  for (const facts of [local, open, byToken, bySignIn]) {
    for (const { id, steps, limits, problems } of describeClients(facts)) {
      const texts = steps.flatMap(({ text }) => text ?? [])
      for (const sentence of [...texts, ...limits, ...problems.flatMap(({ title, text }) => [title, text])]) {
        t.match(sentence, /^[A-Z`m].*\.$/u, id)
        t.equal(sentence.split('`').length % 2, 1, 'backticks come in pairs')
      }
      for (const { title } of steps) t.match(title, /^[A-Z][^.`]*$/, id)
    }
  }
})

t.test('every client is given the URL, and curl that of plain HTTP', async t => {
  for (const client of describeClients(open)) {
    const url = client.id === 'curl' ? 'https://mcp.example/tools' : 'https://mcp.example/mcp'
    t.match(JSON.stringify(client.steps), url, client.id)
  }
})

const CHAT_APPS = ['claude-desktop', 'lm-studio', 'mcp-remote', 'claude', 'chatgpt', 'gemini-apps']

t.test('groups in the order of what can reach the URL, and in a group the same', async t => {
  const groups = (facts: ServerFacts) =>
    groupClients(describeClients(facts)).map(({ title, clients }) => [title, clients.map(({ id }) => id)])

  t.strictSame(groups(local), [
    [
      'Editors and terminals',
      [
        ...['claude-code', 'vscode', 'cursor', 'codex', 'gemini-cli', 'copilot-cli', 'antigravity', 'windsurf', 'zed'],
        ...['jetbrains', 'cline', 'goose', 'inspector'],
      ],
    ],
    ['Frameworks', ['ai-sdk', 'openai-agents', 'langchain', 'n8n']],
    ['Chat apps', CHAT_APPS],
    ['APIs', ['curl', 'anthropic-api', 'openai-responses']],
  ])
  t.strictSame(groups(byToken).at(-1), ['Chat apps', CHAT_APPS])
  const noPlainHttp = { ...open, plainHttp: { ...open.plainHttp, isOn: false } }
  t.strictSame(groups(noPlainHttp).at(-1), ['APIs', ['anthropic-api', 'openai-responses', 'curl']])
})

t.test('a card says how, or what is missing', async t => {
  t.equal(describeWay(find(local, 'claude-code')), 'One command')
  t.equal(describeWay(find(local, 'claude')), 'Needs a public HTTPS URL')
  t.equal(describeWay(find(open, 'claude')), 'As a connector')
  t.equal(describeWay(find(byToken, 'claude')), 'Needs a sign-in by OAuth')
})

t.test('what cannot reach the URL begins with how to give it one, and goes on with that', async t => {
  const { steps } = find(local, 'claude')
  const texts = steps.map(({ snippet, text }) => snippet?.text ?? text)

  t.equal(texts[0], 'cloudflared tunnel --url http://127.0.0.1:3000')
  t.equal(texts[1], 'PUBLIC_URL=https://name.trycloudflare.com/mcp\nJWT_ISSUER=https://login.example')
  t.match(texts[2], /the URL `https:\/\/name\.trycloudflare\.com\/mcp`/)
  const api = find(local, 'anthropic-api')
  t.match(api.steps[1]?.snippet?.text, /API_KEYS_FILE=/, 'an API can send a token')
  t.match(JSON.stringify(api), 'process.env.TOOLRACK_TOKEN')
})

t.test('curl calls a tool of the server with what its schema suggests', async t => {
  const call = (inputSchema: object, access: 'open' | 'token' = 'open') =>
    find({ ...local, access, exampleTool: { name: 'count', inputSchema } }, 'curl').line

  const url = 'curl http://127.0.0.1:3000/tools/count'
  const properties = {
    n: { type: 'integer', minimum: 3 },
    text: { type: 'string' },
    name: { type: 'string', examples: ["Ada's & co"] },
    kind: { enum: ['a', 'b'] },
    list: { type: 'array' },
    hidden: { const: 'a\u202eb' },
  }
  t.equal(call({ properties, required: ['n'] }), `${url} -d n=3`)
  t.equal(call({ properties, required: ['text', 'kind'] }), `${url} -d text=text -d kind=a`)
  t.equal(call({ properties, required: ['name'] }), `${url} --data-urlencode 'name=Ada'\\''s & co'`)
  t.equal(call({ properties, required: ['list', 'n'] }), `${url} --json '{"list":[],"n":3}'`)
  t.equal(call({ properties, required: ['hidden'] }), `${url} --json '{"hidden":"a\\u202eb"}'`)
  t.equal(call({}), `${url} --json '{}'`)
  t.equal(call({ properties, required: ['n'] }, 'token'), `${url} -H "Authorization: Bearer $TOKEN" -d n=3`)
})

t.test('without plain HTTP curl names the setting', async t => {
  const { problems, steps } = find({ ...local, plainHttp: { ...local.plainHttp, isOn: false } }, 'curl')

  t.match(problems, [{ title: 'Plain HTTP is off.', text: /`PLAIN_HTTP=true`/ }])
  t.equal(steps[0]?.snippet?.text, 'PLAIN_HTTP=true')
})

t.test('the settings of a plugin are its options', async t => {
  const OPTIONS = 'Options of the plugin'
  const facts = { ...local, plainHttp: { ...local.plainHttp, isOn: false }, isPlugin: true }
  const { problems, steps } = find(facts, 'curl')
  const settings = (id: string) =>
    find(facts, id).steps.flatMap(({ snippet }) => (snippet?.file === OPTIONS ? snippet.text : []))

  t.match(problems, [{ short: 'Needs plainHttp: true', text: /`plainHttp: true`/ }])
  t.match(steps[0]?.snippet, { file: OPTIONS, text: 'plainHttp: true' })
  t.strictSame(settings('anthropic-api'), [
    "publicUrl: 'https://name.trycloudflare.com/mcp',\napiKeysFile: './keys.json',",
  ])
  t.notMatch(JSON.stringify(describeClients(facts)), /PUBLIC_URL|PLAIN_HTTP|JWT_ISSUER|API_KEYS_FILE/)
})

t.test('clients whose vendor connects need a public HTTPS URL, and say so with the fix', async t => {
  const remote = ['claude', 'chatgpt', 'gemini-apps', 'anthropic-api', 'openai-responses'].sort()
  const withProblem = (url: string) =>
    describeClients({ ...open, url })
      .filter(({ problems }) => problems.length > 0)
      .map(({ id }) => id)
      .sort()

  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3', '192.168.0.4', '172.20.0.1', 'box.local', 'nas']) {
    t.strictSame(withProblem(`https://${host}/mcp`), remote, host)
  }
  t.strictSame(withProblem('http://mcp.example/mcp'), remote, 'no HTTPS')
  for (const host of ['mcp.example', '172.32.0.1', '8.8.8.8', '[2606:4700::1111]', '127.example']) {
    t.strictSame(withProblem(`https://${host}/mcp`), [], host)
  }
  t.match(find(local, 'claude').problems, [
    { title: 'Claude.ai cannot reach this address.', text: /only this machine can open `127\.0\.0\.1`/ },
  ])
})

t.test('clients that only sign in need an authorization server', async t => {
  const told = describeClients(byToken).filter(({ problems }) => problems.length > 0)

  t.strictSame(
    told.map(({ id }) => id),
    ['claude', 'chatgpt', 'gemini-apps'],
  )
  t.match(told[0]!.steps[0]?.snippet?.text, /AUTHORIZATION_SERVERS/)
  t.ok(describeClients(bySignIn).every(({ problems }) => problems.length === 0))
})

t.test('an open server is connected without a token', async t => {
  for (const { id, steps } of describeClients(open)) {
    t.notMatch(JSON.stringify(steps), /TOKEN|Authorization|Bearer/, id)
  }
})

t.test('a token is read from the environment, or its place is named', async t => {
  const own: Record<string, RegExp> = {
    'claude-code': /Bearer \$\{TOOLRACK_TOKEN\}/,
    'claude-desktop': /Bearer <TOOLRACK_TOKEN>/,
    cursor: /Bearer \$\{env:TOOLRACK_TOKEN\}/,
    vscode: /Bearer \$\{input:toolrack-token\}/,
    codex: /--bearer-token-env-var TOOLRACK_TOKEN/,
    'gemini-cli': /Bearer \$TOOLRACK_TOKEN/,
    inspector: /Bearer \$TOKEN/,
    'mcp-remote': /Bearer <TOOLRACK_TOKEN>/,
  }
  for (const [id, expected] of Object.entries(own)) {
    t.match(textOf(byToken, id), expected, id)
    t.notMatch(JSON.stringify(find(bySignIn, id).steps), /Bearer|Authorization/, `${id} signs in`)
  }
  for (const id of ['anthropic-api', 'openai-responses', 'openai-agents', 'ai-sdk', 'langchain']) {
    for (const facts of [byToken, bySignIn]) t.match(textOf(facts, id), /process\.env\.TOOLRACK_TOKEN/, id)
  }
})

t.test('a URL that is not of HTTP is refused', async t => {
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'no url']) {
    t.throws(() => describeClients({ ...open, url }), TypeError)
  }
})

t.test('credentials and fragments of a URL are not handed on', async t => {
  const clients = describeClients({ ...open, url: 'https://user:hidden@mcp.example/mcp#hidden' })

  t.notMatch(JSON.stringify(clients), /hidden/)
})

t.test('the room imports nothing but itself, so that a browser can', async t => {
  for (const file of globSync('packages/console/src/clients/*.ts')) {
    const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name]) => name!)
    t.strictSame(
      imports.filter(name => !/^\.\/[a-z-]+\.ts$/.test(name) && !isSnippet(name)),
      [],
      file,
    )
  }
})

/** Packages that snippets import, in their text. */
const isSnippet = (name: string) => JSON.stringify(describeClients(local)).includes(`from '${name}'`)
