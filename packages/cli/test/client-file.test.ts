// The file of a client: where it is on each system, and how an entry gets into what is there.
import { join, resolve } from 'node:path'
import t from 'tap'
import { type ClientFile, describeClients, type ServerFacts } from '../../console/src/clients/index.ts'
import { editFile } from '../src/client-file/edit.ts'
import { findPath } from '../src/client-file/path.ts'

const entry = { type: 'http', url: 'https://mcp.example/mcp' }
const json: ClientFile = { format: 'json', path: '.mcp.json', servers: 'mcpServers', key: 'shop', entry, also: {} }
const toml: ClientFile = {
  format: 'toml',
  path: '~/.codex/config.toml',
  servers: 'mcp_servers',
  key: 'shop',
  entry: { url: 'https://mcp.example/mcp', bearer_token_env_var: 'TOOLRACK_TOKEN' },
  also: {},
}
const started: ClientFile = { ...toml, entry: { command: '/usr/bin/node', args: ['a b', 'say "x"', 'C:\\tools'] } }
const STARTED = '[mcp_servers.shop]\ncommand = "/usr/bin/node"\nargs = ["a b", "say \\"x\\"", "C:\\\\tools"]\n'
const CANNOT =
  'f: [mcp_servers.shop] cannot be added to the entries of the file; write it by hand, or pass another --name, so nothing is written'
const ADDED = `    "shop": {
      "type": "http",
      "url": "https://mcp.example/mcp"
    }`
const TABLE = '[mcp_servers.shop]\nurl = "https://mcp.example/mcp"\nbearer_token_env_var = "TOOLRACK_TOKEN"\n'

for (const [what, file, before, after] of [
  ['no file', json, '', `{\n  "mcpServers": {\n${ADDED}\n  }\n}\n`],
  ['an empty object', json, '{}\n', `{\n  "mcpServers": {\n${ADDED}\n  }\n}\n`],
  [
    'comments, a trailing comma and another server',
    json,
    '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, // first\n  },\n}\n',
    `{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }, // first\n${ADDED}\n  },\n}\n`,
  ],
  [
    'a comment behind the last server',
    json,
    '{\n  "mcpServers": {\n    "a": {} /* first */\n  }\n}\n',
    `{\n  "mcpServers": {\n    "a": {}, /* first */\n${ADDED}\n  }\n}\n`,
  ],
  [
    'tabs',
    json,
    '{\n\t"theme": "dark"\n}\n',
    '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"shop": {\n\t\t\t"type": "http",\n\t\t\t"url": "https://mcp.example/mcp"\n\t\t}\n\t}\n}\n',
  ],
  ['the same entry', json, `{ "mcpServers": { "shop": ${JSON.stringify(entry)} } }`, undefined],
  ['a byte order mark', json, '\ufeff{}\n', `\ufeff{\n  "mcpServers": {\n${ADDED}\n  }\n}\n`],
  ['no file of TOML', toml, '', TABLE],
  [
    'comments and other tables of TOML',
    toml,
    'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "y"',
    `model = "x" # mine\n\n[mcp_servers.a]\ncommand = "y"\n\n${TABLE}`,
  ],
  ['line ends of Windows', toml, 'a = 1\r\n', `a = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
  ['the same table', toml, TABLE, undefined],
  [
    'another table of that name, between two',
    toml,
    'a = 1\n\n[mcp_servers.shop]\nurl = "old"\n\n# of b\n[mcp_servers.b]\nstartup_timeout_sec = 5\n',
    `a = 1\n\n${TABLE}\n# of b\n[mcp_servers.b]\nstartup_timeout_sec = 5\n`,
  ],
  ['another table of that name, at the end', toml, '[b]\n[mcp_servers.shop]\nurl = [\n  "old",\n]', `[b]\n${TABLE}`],
  ['a list of TOML', started, 'model = "x" # mine\n', `model = "x" # mine\n\n${STARTED}`],
] as const) {
  t.test(`client file: ${what}`, async t => {
    t.equal(editFile(before, file, 'x'), after ?? before)
    // Once more changes nothing.
    t.equal(editFile(after ?? before, file, 'x'), after ?? before)
  })
}

t.test('client file: an entry with other content is replaced, and all else stays', async t => {
  const before = '{\r\n    "mcpServers": { "shop": { "url": "old" }, "b": {} } // end\r\n}\r\n'
  const after = editFile(before, json, 'x')

  t.match(after, /"b": \{\}/)
  t.match(after, '// end\r\n}\r\n')
  t.notMatch(after, 'old')
  t.notMatch(after.replaceAll('\r\n', ''), '\n')
})

t.test('client file: an input is added once, beside others', async t => {
  const file: ClientFile = { ...json, servers: 'servers', also: { inputs: [{ id: 'token' }] } }
  const once = editFile('{ "inputs": [{ "id": "mine" }] }', file, 'x')

  t.match(JSON.parse(once), { inputs: [{ id: 'mine' }, { id: 'token' }], servers: { shop: entry } })
  t.equal(editFile(once, file, 'x'), once)
})

for (const [what, file, before, message] of [
  ['JSON that ends too early', json, '{\n  "a": 1,\n  "b": ', 'f:3:8: value expected; expected JSON'],
  ['no JSON', json, '{\n  bad\n}', 'f:2:3: invalid symbol; expected JSON'],
  ['a list', json, '[]', 'f: it is not a JSON object'],
  ['servers that are a list', json, '{"mcpServers": []}', 'f: "mcpServers" is not an object'],
  ['a member twice', json, '{"mcpServers": {}, "mcpServers": {}}', 'f: "mcpServers" stands there twice'],
  [
    'inputs that are no list',
    { ...json, also: { inputs: [{ id: 'a' }] } },
    '{"inputs": 1}',
    'f: "inputs" is not a list',
  ],
  ['no TOML', toml, 'a = 1\nb = ', /^f:2:\d+: .*; expected TOML, so nothing is written$/],
  ['a table by dots', toml, 'mcp_servers.shop.url = "x"\n', CANNOT],
  ['a table that has others', toml, '[mcp_servers.shop]\nurl = "x"\n[mcp_servers.shop.env]\nA = "1"\n', CANNOT],
  ['a text that looks like a table', toml, '[mcp_servers.shop]\nurl = """\n[a]\n"""\n', CANNOT],
  ['servers of TOML that are a text', toml, 'mcp_servers = "x"\n', 'f: mcp_servers is not a table'],
  ['an inline table, which cannot be extended', toml, 'mcp_servers = { a = { url = "x" } }\n', CANNOT],
] as const) {
  t.test(`client file: ${what} is refused`, async t => {
    t.throws(() => editFile(before, file as ClientFile, 'f'), { name: 'CommandError', message })
  })
}

const facts: ServerFacts = {
  url: 'https://mcp.example/mcp',
  name: 'shop',
  access: 'token',
  authorizationServers: [],
  plainHttp: { url: 'https://mcp.example/tools', isOn: true },
}

t.test('client file: the text of a step is what is written into an empty file', async t => {
  for (const { id, file, steps } of describeClients(facts).filter(each => each.file !== undefined)) {
    const snippets = steps.flatMap(({ snippet }) => (snippet?.file === undefined ? [] : [snippet.text]))
    t.ok(snippets.includes(editFile('', file!, 'x').trimEnd()), id)
  }
})

t.test('client file: no token is in it, and what has one is named', async t => {
  for (const { id, file } of describeClients(facts).filter(each => each.file !== undefined)) {
    t.match(file!.note, /TOOLRACK_TOKEN|asks for the token/, id)
  }
})

t.test('client file: of several places it is the first whose folder is there', async t => {
  const win32 = ['%LOCALAPPDATA%/Packages/App_1/config.json', '%APPDATA%/App/config.json']
  const path = { linux: '~/l', darwin: '~/d', win32 }
  const environment = { LOCALAPPDATA: t.testdir({ Packages: { App_1: {} } }), APPDATA: '/r' }

  t.equal(findPath({ path }, environment, 'win32'), join(environment.LOCALAPPDATA, 'Packages/App_1/config.json'))
  t.equal(findPath({ path }, { ...environment, LOCALAPPDATA: '/nowhere' }, 'win32'), join('/r/App/config.json'))
})

for (const [path, platform, environment, expected] of [
  ['.mcp.json', 'linux', {}, resolve('.mcp.json')],
  ['~/.codex/config.toml', 'darwin', { HOME: '/Users/a' }, '/Users/a/.codex/config.toml'],
  ['~/.config/zed/settings.json', 'linux', { HOME: '/home/a', XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json'],
  ['~/.config/zed/settings.json', 'freebsd', { HOME: '/home/a' }, '/home/a/.config/zed/settings.json'],
  ['%APPDATA%/Zed/settings.json', 'win32', { APPDATA: '/r' }, '/r/Zed/settings.json'],
  ['%APPDATA%/Zed/settings.json', 'win32', { HOME: '/h' }, '/h/AppData/Roaming/Zed/settings.json'],
  [{ linux: '~/l', darwin: '~/d', win32: '%APPDATA%/w' }, 'darwin', { HOME: '/h' }, '/h/d'],
  [{ linux: '~/l', darwin: '~/d', win32: '%APPDATA%/w' }, 'win32', { APPDATA: '/r' }, '/r/w'],
] as const) {
  t.test(`client file: ${JSON.stringify(path)} on ${platform}`, async t => {
    t.equal(findPath({ path }, environment, platform), join(expected))
  })
}
