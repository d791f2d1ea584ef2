// What is said of each client: the same rows for every server, problems first, honest features.
import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { CLIENT_IDS, type Client, describeClients, type ServerFacts } from '../../../src/clients/index.ts'

const local: ServerFacts = {
  url: 'http://127.0.0.1:3000/mcp',
  name: 'toolrack',
  access: 'open',
  authorizationServers: [],
}
const open = { ...local, url: 'https://mcp.example/mcp' }
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
  for (const { id, steps, limits, docs } of clients) {
    t.match(id, /^[a-z][a-z-]*$/)
    t.ok(steps.length > 0 && limits.length > 0, id)
    t.match(new URL(docs).protocol, 'https:', id)
  }
})

t.test('steps and limits are sentences', async t => {
  for (const facts of [local, open, byToken, bySignIn]) {
    for (const { id, steps, limits, problems } of describeClients(facts)) {
      for (const sentence of [...steps, ...limits, ...problems.flatMap(({ text, fix }) => [text, fix])]) {
        t.match(sentence, /^[A-Z`].*(?:\.|https?:\S+)$/u, id)
      }
    }
  }
})

t.test('every client is given the URL', async t => {
  for (const client of describeClients(open)) t.match(JSON.stringify(client), 'https://mcp.example/mcp', client.id)
})

t.test('clients whose vendor connects need a public HTTPS URL, and say so with the fix', async t => {
  const remote = ['claude', 'chatgpt', 'anthropic-api', 'openai-responses']
  const withProblem = (url: string) =>
    describeClients({ ...open, url })
      .filter(({ problems }) => problems.length > 0)
      .map(({ id }) => id)

  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3', '192.168.0.4', '172.20.0.1', 'box.local', 'nas']) {
    t.strictSame(withProblem(`https://${host}/mcp`), remote, host)
  }
  t.strictSame(withProblem('http://mcp.example/mcp'), remote, 'no HTTPS')
  for (const host of ['mcp.example', '172.32.0.1', '8.8.8.8', '[2606:4700::1111]', '127.example']) {
    t.strictSame(withProblem(`https://${host}/mcp`), [], host)
  }
  t.match(find(local, 'claude').problems, [{ text: /127\.0\.0\.1:3000\/mcp; only this machine/, fix: /PUBLIC_URL/ }])
})

t.test('clients that only sign in need an authorization server', async t => {
  const told = describeClients(byToken).filter(({ problems }) => problems.length > 0)

  t.strictSame(
    told.map(({ id }) => id),
    ['claude', 'chatgpt'],
  )
  t.match(told[0]!.problems, [{ fix: /AUTHORIZATION_SERVERS/ }])
  t.ok(describeClients(bySignIn).every(({ problems }) => problems.length === 0))
})

t.test('an open server is connected without a token', async t => {
  for (const { id, snippets, steps } of describeClients(open)) {
    t.notMatch(JSON.stringify([snippets, steps]), /TOOLRACK_TOKEN|Authorization|Bearer/, id)
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
    inspector: /Bearer \$TOOLRACK_TOKEN/,
    'mcp-remote': /Bearer <TOOLRACK_TOKEN>/,
  }
  for (const [id, expected] of Object.entries(own)) {
    t.match(textOf(byToken, id), expected, id)
    const { snippets, deepLink } = find(bySignIn, id)
    t.notMatch(JSON.stringify([snippets, deepLink ?? '']), /Bearer|Authorization/, `${id} signs in`)
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
  for (const file of globSync('src/clients/*.ts')) {
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
