// Hostile names and URLs: each snippet is read by a real parser, which finds exactly what was meant.
import { execFileSync } from 'node:child_process'
import { Script } from 'node:vm'
import { transformSync } from 'esbuild'
import { parse as parseToml } from 'smol-toml'
import t from 'tap'
import { type Client, describeClients, findDeepLink, type Snippet } from '../../src/clients/index.ts'
import { toBase64, toShell, toToml, toTs } from '../../src/clients/quote.ts'

const TEXTS = [
  `'"; touch /tmp/owned; echo "`,
  `$(id) \`id\` ${'$'}{HOME} $HOME`,
  '"]\n[mcp_servers.evil]\ncommand = "sh"',
  '\\\' \\" \\u0000',
  '\u0000\u001b]8;;https://evil.example\u0007\u007f\u2028\u2029',
  '</script><img src=x onerror=alert(1)>',
  '名前 🦊 é',
  '--help',
  '',
  '__proto__',
]

const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$/
const toFacts = (text: string, access: 'open' | 'token') => ({
  url: `https://mcp.example/${text}?q=${text}&x='"\`$(id)\${HOME}$HOME{}#${text}`,
  name: text,
  access,
  authorizationServers: [],
  plainHttp: { url: `https://mcp.example/${text}/tools`, isOn: true },
  exampleTool: {
    name: text,
    inputSchema: { properties: { [text]: { default: text }, a: { default: text } }, required: [text, 'a'] },
  },
})

/** What a real shell makes of a command: its words. */
const shellWords = (command: string): readonly string[] =>
  execFileSync(
    'sh',
    ['-c', `${command.replace(/^(?:npx|npm|code|claude|codex|gemini|goose|curl) /, "printf '%s\\0' ")}`],
    {
      env: { TOKEN: 'a token' },
    },
  )
    .toString()
    .split('\0')
    .slice(0, -1)

const PARSERS: Readonly<Record<Snippet['language'], (text: string) => unknown>> = {
  env: text => text.split('\n'),
  json: text => JSON.parse(text),
  toml: text => parseToml(text),
  sh: shellWords,
  // An import is a statement of modules, which `Script` does not read; the rest is a function.
  ts: text => {
    const body = transformSync(text, { loader: 'ts', format: 'esm' }).code.replace(/^import .*$/gm, '')
    new Script(`async () => {${body}}`)
    return [...body.matchAll(/(["'])(?:(?!\1)[^\\]|\\.)*\1/g)].map(([literal]) => new Script(literal).runInNewContext())
  },
}

const strings = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => [key, ...strings(each)])
      : []

/** The URL as every client has to see it. */
const findUrl = ({ steps }: Client) => JSON.stringify(steps).match(/URL `([^`]+)`/)![1]!

/** What curl sends: JSON, or fields. */
function readData(words: readonly string[]): unknown {
  const json = words[words.indexOf('--json') + 1]!
  if (words.includes('--json')) return JSON.parse(json)
  const fields = words.filter((_, index) => /^(?:-d|--data-urlencode)$/.test(words[index - 1] ?? ''))
  return Object.fromEntries(fields.map(field => [field.split('=', 1)[0], field.slice(field.indexOf('=') + 1)]))
}

const findSnippets = ({ steps }: Client): readonly Snippet[] => steps.flatMap(({ snippet }) => snippet ?? [])

for (const [index, text] of TEXTS.entries()) {
  for (const access of ['open', 'token'] as const) {
    t.test(`D21: text ${index}, ${access}: a parser finds the URL and nothing else`, async t => {
      const clients = describeClients(toFacts(text, access))
      const url = findUrl(clients.find(({ id }) => id === 'claude')!)
      t.match(url, /^https:\/\/mcp\.example\/[^\s'"`${}\\<>]*$/)
      t.equal(new URL(url).href, url, 'it is a URL, and normal')

      for (const client of clients) {
        for (const snippet of findSnippets(client)) {
          const found = strings(PARSERS[snippet.language](snippet.text))
          const isUrl = (each: string) =>
            each === url || (each.startsWith('{') && strings(JSON.parse(each)).includes(url))
          const isOther = client.id === 'curl' || snippet.text.startsWith('npm install') || snippet.language === 'env'
          t.ok(isOther || found.some(isUrl), `${client.id}: ${snippet.text}`)
          t.notMatch(snippet.text, /(?!\n)[\p{Cc}\u2028\u2029]/u)
        }
      }
      const [call] = findSnippets(clients.find(({ id }) => id === 'curl')!)
      const [program, ...words] = PARSERS.sh(call!.text) as string[]
      t.match(words.find(each => each.startsWith('https:')) ?? program, /^https:\/\/mcp\.example\/[^\s'"]*\/tools\//)
      t.strictSame(readData(words), JSON.parse(JSON.stringify({ [text]: text, a: text })))
    })
  }
}

t.test('the name becomes a key that every client takes', async t => {
  for (const text of TEXTS) {
    const snippets = findSnippets(describeClients(toFacts(text, 'open')).find(({ id }) => id === 'cursor')!)
    const { mcpServers } = JSON.parse(snippets[0]!.text) as { mcpServers: object }
    const [key, ...others] = Object.keys(mcpServers)
    t.match(key, KEY)
    t.strictSame(others, [])
  }
})

t.test('links carry the same entry as the files', async t => {
  for (const text of TEXTS) {
    const clients = describeClients(toFacts(text, 'token'))
    const cursor = clients.find(({ id }) => id === 'cursor')!
    const { name, config } = Object.fromEntries(new URL(findDeepLink(cursor)!).searchParams) as Record<string, string>
    const entry = JSON.parse(Buffer.from(config!, 'base64').toString()) as unknown
    t.strictSame({ mcpServers: { [name!]: entry } }, JSON.parse(findSnippets(cursor)[0]!.text))

    const vsCode = clients.find(({ id }) => id === 'vscode')!
    t.match(findDeepLink(vsCode), /^vscode:mcp\/install\?[\w%.!~*'()-]+$/)
    const install = JSON.parse(decodeURIComponent(findDeepLink(vsCode)!.split('?')[1]!)) as Record<string, unknown>
    const file = JSON.parse(findSnippets(vsCode)[0]!.text) as { servers: Record<string, object>; inputs: unknown }
    t.strictSame({ ...file.servers[install['name'] as string], name: install['name'], inputs: file.inputs }, install)
  }
})

t.test('D21: every text comes out of its parser as it went in', async t => {
  for (const text of TEXTS) {
    t.equal((parseToml(`a = ${toToml(text)}`) as { a: string }).a, text, 'TOML')
    t.equal(new Script(toTs(text)).runInNewContext(), text, 'TypeScript')
    t.equal(Buffer.from(toBase64(text), 'base64').toString(), text, 'base64')
    // No argument can hold a NUL.
    const word = text.replaceAll('\0', '')
    t.equal(execFileSync('sh', ['-c', `printf %s ${toShell(word)}`]).toString(), word, 'a shell')
  }
})
