// How clients start a server themselves: the entry of each that is known, and by what they start it.
import t from 'tap'
import { findLauncher } from '../../../cli/src/connect-program.ts'
import {
  CLIENT_IDS,
  createProgram,
  describeClientProgram,
  PROGRAM_CLIENTS,
  toProgramJson,
} from '../../src/clients/index.ts'

const command = '/usr/bin/node'
const args = ['/srv/toolrack.js', 'start', '--stdio', '/home/ada/my tools', '/srv/tools']
const program = createProgram({ command, args: ['/srv/toolrack.js'] }, ['/home/ada/my tools', '/srv/tools'])
const LINE = "/usr/bin/node /srv/toolrack.js start --stdio '/home/ada/my tools' /srv/tools"

const describe = (id: string, name = 'shop') => describeClientProgram(id, name, program)!
const textOf = (id: string, title: RegExp) => describe(id).steps.find(step => title.test(step.title))?.snippet?.text

t.test('each client has the entry that its documents show', async t => {
  const entries = Object.fromEntries(
    PROGRAM_CLIENTS.map(id => [id, describe(id, 'my shop').file]).filter(([, file]) => file !== undefined),
  )
  const plain = { servers: 'mcpServers', key: 'my-shop', entry: { command, args } }
  const typed = { ...plain, entry: { type: 'stdio', command, args } }
  t.match(entries, {
    'claude-code': typed,
    cursor: typed,
    vscode: { ...typed, servers: 'servers' },
    codex: { ...plain, format: 'toml', servers: 'mcp_servers' },
    'gemini-cli': plain,
    'copilot-cli': { ...plain, entry: { type: 'local', command, args, tools: ['*'] } },
    windsurf: plain,
    zed: { ...plain, servers: 'context_servers' },
    cline: plain,
    'claude-desktop': plain,
  })
  t.equal(Object.keys(entries).length, 10)
})

t.test('others take the entry in a dialog, or a command', async t => {
  const json = { mcpServers: { shop: { command, args } } }
  for (const [id, title] of [
    ['antigravity', /^Write/],
    ['jetbrains', /^Add/],
    ['lm-studio', /^Write/],
  ] as const)
    t.strictSame(JSON.parse(textOf(id, title)!), json, id)
  t.equal(textOf('goose', /^Or keep it/), LINE)
  t.equal(textOf('goose', /^Try/), `goose session --with-extension '${LINE.replaceAll("'", `'\\''`)}'`)
  t.equal(textOf('inspector', /^Or list/), `npx @modelcontextprotocol/inspector --cli ${LINE} --method tools/list`)
  for (const id of ['antigravity', 'jetbrains', 'lm-studio', 'goose', 'inspector']) t.notOk(describe(id).file, id)
  t.equal(PROGRAM_CLIENTS.length, 15)
})

t.test('a command quotes what a shell would take apart', async t => {
  for (const [id, add] of [
    ['claude-code', 'claude mcp add shop --'],
    ['codex', 'codex mcp add shop --'],
    ['copilot-cli', 'copilot mcp add shop --'],
  ] as const)
    t.equal(textOf(id, /^Run the command$/), `${add} ${LINE}`)
})

t.test('what makes the client read its file is a step, and is said once the file is written', async t => {
  const { steps, file } = describe('claude-desktop')
  t.equal(steps.at(-1)?.title, 'Start Claude again')
  t.match(file?.note, /^Start Claude again\. Quit it/)
})

t.test('no entry has a token, or its place', async t => {
  for (const id of PROGRAM_CLIENTS) t.notMatch(JSON.stringify(describe(id)), /token|bearer|env"/i, id)
})

t.test('those who start no program, or whose way is not known, have none', async t => {
  t.strictSame(JSON.parse(toProgramJson('shop', program)), { mcpServers: { shop: { command, args } } })
  for (const id of CLIENT_IDS.filter(each => !PROGRAM_CLIENTS.includes(each)))
    t.equal(describeClientProgram(id, 'shop', program), undefined, id)
  t.equal(describeClientProgram('nothing', 'shop', program), undefined)
})

t.test('clients start this very installation, and by npx what npx has fetched', async t => {
  const installed = '/home/ada/shop/node_modules/.bin/toolrack'
  const fetched = '/home/ada/.npm/_npx/1a2b/node_modules/.bin/toolrack'
  const onWindows =
    'C:\\Users\\Ada\\AppData\\Local\\npm-cache\\_npx\\1a2b\\node_modules\\toolrack\\dist\\src\\server.js'

  t.strictSame(findLauncher(installed, '/home/ada/.nvm/versions/node/v24.1.0/bin/node'), {
    command: '/home/ada/.nvm/versions/node/v24.1.0/bin/node',
    args: [installed],
  })
  t.equal(
    findLauncher(installed, '/opt/homebrew/Cellar/node@24/24.1.0_1/bin/node').command,
    '/opt/homebrew/opt/node@24/bin/node',
  )
  const npx = { command: 'npx', args: ['-y', 'toolrack'] }
  t.strictSame(findLauncher(fetched, command, 'darwin'), npx)
  t.strictSame(findLauncher('/home/ada/.cache/pnpm/dlx/1a/2b/node_modules/toolrack/s.js', command, 'linux'), npx)
  t.strictSame(findLauncher(onWindows, command, 'win32'), { command: 'cmd', args: ['/c', 'npx', ...npx.args] })
})
