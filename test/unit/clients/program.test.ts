// How clients start a server themselves: the entry of each that is known.
import t from 'tap'
import { createProgram, describeClientProgram, PROGRAM_CLIENTS, toProgramJson } from '../../../src/clients/index.ts'

const program = createProgram(['/home/ada/my tools', '/srv/tools'])
const args = ['-y', 'toolrack', 'start', '--stdio', '/home/ada/my tools', '/srv/tools']

t.test('each client has the entry that its documents show', async t => {
  const entries = Object.fromEntries(
    PROGRAM_CLIENTS.map(id => [id, describeClientProgram(id, 'my shop', program)!.file]),
  )
  t.match(entries, {
    'claude-code': { servers: 'mcpServers', key: 'my-shop', entry: { type: 'stdio', command: 'npx', args } },
    cursor: { servers: 'mcpServers', entry: { type: 'stdio', command: 'npx', args } },
    vscode: { servers: 'servers', entry: { type: 'stdio', command: 'npx', args } },
    'claude-desktop': { servers: 'mcpServers', entry: { command: 'npx', args } },
    'gemini-cli': { servers: 'mcpServers', entry: { command: 'npx', args } },
  })
  t.equal(Object.keys(entries).length, 5)
})

t.test('a command quotes what a shell would take apart', async t => {
  const { steps } = describeClientProgram('claude-code', 'shop', program)!
  t.equal(
    steps[0]?.snippet?.text,
    "claude mcp add shop -- npx -y toolrack start --stdio '/home/ada/my tools' /srv/tools",
  )
})

t.test('others have the entry that most clients take, or none', async t => {
  t.strictSame(JSON.parse(toProgramJson('shop', program)), { mcpServers: { shop: { command: 'npx', args } } })
  t.equal(describeClientProgram('chatgpt', 'shop', program), undefined)
  t.equal(describeClientProgram('nothing', 'shop', program), undefined)
})
