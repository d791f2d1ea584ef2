// Each command of the program once in a pipe and once on a terminal of 80 columns: the same outcome,
// no colours in the pipe, and lines that fit the terminal.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listening } from '../../../../../test/support/app.ts'
import { callable } from '../../../../../test/support/callable-tools.ts'
import {
  type Ended,
  noTerminal,
  runOnTerminal,
  runPiped,
  toPlainText,
} from '../../../../../test/support/command-line.ts'

interface Row {
  readonly command: string
  readonly args: readonly string[]
  readonly code?: number
  readonly shows: RegExp
  /** Lines that are data, such as a URL or a schema, and may be longer than the terminal. */
  readonly hasLongLines?: boolean
}

const URL_HERE = 'URL'
const ROWS: readonly Row[] = [
  { command: 'init', args: ['init', 'made'], shows: /tools\/greet\.ts/ },
  { command: 'check', args: ['check', 'made/tools'], shows: /1 definition|greet/, hasLongLines: true },
  { command: 'list', args: ['list', URL_HERE], shows: /get_price\(sku: string/, hasLongLines: true },
  { command: 'call', args: ['call', URL_HERE, 'get_price', 'sku=a'], shows: /"price":\s*\d/ },
  { command: 'read', args: ['read', URL_HERE, 'none://such'], code: 2, shows: /no resource "none:\/\/such"/ },
  { command: 'prompt', args: ['prompt', URL_HERE, 'none'], code: 2, shows: /no prompt "none"/ },
  { command: 'doctor', args: ['doctor', URL_HERE], shows: /no problems, 1 warning/ },
  {
    command: 'connect',
    args: ['connect', 'claude-code', '--url', URL_HERE],
    shows: /claude mcp add/,
    hasLongLines: true,
  },
  { command: 'login', args: ['login', URL_HERE], code: 1, shows: /asks for no token/, hasLongLines: true },
  { command: 'logout', args: ['logout', URL_HERE], code: 1, shows: /nobody is signed in/, hasLongLines: true },
  { command: 'server', args: ['server', 'add', 'here', URL_HERE], shows: /here/ },
  { command: 'server', args: ['server', 'list'], shows: /here/ },
  { command: 'server', args: ['server', 'remove', 'here'], shows: /here/ },
  { command: 'token', args: ['token', '--sub', 'ada'], shows: /eyJ/, hasLongLines: true },
  { command: 'key', args: ['key', 'create', '--sub', 'ci', '--file', 'keys.json'], shows: /trk_/, hasLongLines: true },
  { command: 'key', args: ['key', 'list', '--file', 'keys.json'], shows: /ci.*valid/ },
  { command: 'completion', args: ['completion', 'bash'], shows: /complete/, hasLongLines: true },
  { command: 'audit', args: ['audit', 'verify', 'none.log'], code: 1, shows: /none\.log/ },
  { command: 'start', args: ['start', '--port', 'x'], code: 2, shows: /PORT|port/ },
  { command: 'dev', args: ['dev', '--port', 'x'], code: 2, shows: /PORT|port/ },
]

const COLOUR = /\u001b\[/

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'toolrack-each-'))
  t.teardown(() => rmSync(path, { recursive: true }))
  mkdirSync(join(path, 'config'))
  return path
}

type Run = (t: Test, args: readonly string[], options: object) => Promise<Ended>

async function runAll(t: Test, run: Run, look: (row: Row, text: string) => void) {
  const { url } = await listening(t, { tools: callable })
  const cwd = folder(t)
  const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), JWT_SECRET: 'x'.repeat(64), NO_COLOR: undefined }
  for (const row of ROWS) {
    const args = row.args.map(word => (word === URL_HERE ? url : word))
    const { code, stdout, stderr } = await run(t, args, { cwd, env, columns: 80 })
    const text = stdout + stderr
    const name = args.slice(0, 2).join(' ')
    t.equal(code, row.code ?? 0, `${name}: ${text}`)
    t.match(toPlainText(text), row.shows, name)
    t.notMatch(text, /\n\s+at .*:\d+:\d+/, `${name} has no stack`)
    look(row, text)
  }
}

t.test('each command in a pipe', async t => {
  await runAll(t, runPiped, ({ command }, text) => t.notMatch(text, COLOUR, command))
})

t.test('each command on a terminal of 80 columns', { skip: noTerminal }, async t => {
  await runAll(t, runOnTerminal, ({ command, hasLongLines = false }, text) => {
    for (const line of hasLongLines ? [] : toPlainText(text).split('\n')) t.ok(line.length <= 80, `${command}: ${line}`)
  })
})

t.test('no command is left out', async t => {
  const { stdout } = await runPiped(t, ['--help'])
  const [, list = ''] = /^Commands:\n(.*?)\n\n/ms.exec(stdout) ?? []
  const commands = [...list.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
  const known = new Set([...ROWS.map(({ command }) => command), 'help'])
  t.ok(commands.length > 12, stdout)
  t.strictSame(
    commands.filter(name => !known.has(name)),
    [],
  )
})
