// The commands of the README, in a clone: start, call, a tool of one's own, curl, connect.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { noTerminal } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { OLD_NODE } from '../../../../../test/support/old-node.ts'
import { openShell } from '../../../../../test/support/shell.ts'

// The console is built, and two servers start.
t.setTimeout(300_000)

const run = promisify(execFile)
const ENVIRONMENT = { PATH: process.env['PATH']!, HOME: process.env['HOME'] ?? '/', NO_COLOR: '1' }

/** What git has, with changes that are not committed, and nothing that was built. */
async function clone(t: Test): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-clone-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of listed.stdout.split('\0').filter(each => each !== '' && !each.startsWith('test/'))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

/** What the README has one paste, and save as a file. */
const BLOCKS = [...readFileSync('README.md', 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
)
/** Ends only with Ctrl-C. */
const isServer = (command: string) => command.startsWith('npm start')

t.test('each command of the README does what it says, pasted in its order', { skip: noTerminal }, async t => {
  const cwd = await clone(t)
  const port = await freePort()
  const atPort = (text: string) => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
  const env = { ...ENVIRONMENT, PORT: String(port) }
  const first = await openShell(t, { cwd, env, answers: [] })
  const second = await openShell(t, { cwd, env, answers: [] })
  let shown = ''
  let isServed = false
  const all: string[] = []

  for (const { language, code } of BLOCKS) {
    if (language === 'ts') {
      const [, file = ''] = /^\/\/ (\S+)\n/.exec(code)!
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), code)
    }
    if (language === 'json') t.match(shown, code.trim(), 'the answer is that of the page')
    if (language !== 'sh') continue
    // The clone is made, and its packages are there.
    const commands = code.split(/(?<=\n)/).filter(line => !/^git clone |^npm install\n/.test(line))
    for (const command of commands) {
      if (!isServer(command)) shown = await second.paste(atPort(command))
      else {
        if (isServed) await first.interrupt()
        shown = await first.begin(command, /^ {2}Next .*\n/m)
        isServed = true
        t.equal((await fetch(`http://127.0.0.1:${port}/console/`)).status, 200, 'the console is built')
      }
      all.push(shown)
    }
  }

  const text = all.join('')
  t.match(text, /Tools +\d+ from \.\/tools/)
  t.match(text, /calculate_sum a=2 b=3\n\{\n {2}"sum": 5\n\}/)
  t.match(text, 'Tools       1 from ./my-tools: get_price')
  t.match(text, `claude mcp add --transport http toolrack http://127.0.0.1:${port}/mcp`)
})

t.test('npm install on Node 20 prints a handful of lines', { skip: OLD_NODE.skip }, async t => {
  const env = { ...ENVIRONMENT, PATH: `${dirname(OLD_NODE.path)}:/usr/bin:/bin` }

  const { stdout, stderr } = await run('npm', ['install', '--dry-run', '--offline', '--no-audit', '--no-fund'], { env })

  t.equal(stderr, '')
  t.ok(stdout.split('\n').length < 15, 'a handful of lines')
})
