// `toolrack connect CLIENT --write`: the change is shown, the user is asked, and the file is replaced whole.
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { noTerminal, runPiped, startOnTerminal, toPlainText } from '../../../../../test/support/command-line.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'
import { CLIENT_IDS, describeClients } from '../../../../console/src/clients/index.ts'

/** Nobody listens there, so that what is written depends on nothing. */
const URL = 'http://127.0.0.1:9/mcp'
const ENTRY = { mcpServers: { toolrack: { type: 'http', url: URL } } }

interface Place {
  readonly cwd: string
  readonly file: string
  read(): string
  write(...args: readonly string[]): ReturnType<typeof runPiped>
}

function place(t: Test, text?: string): Place {
  const { path: cwd } = tempFolder(t)
  const file = join(cwd, '.mcp.json')
  if (text !== undefined) writeFileSync(file, text)
  return {
    cwd,
    file,
    read: () => readFileSync(file, 'utf8'),
    write: (...args) =>
      runPiped(t, ['connect', 'claude-code', '--url', URL, '--write', ...args], { cwd, env: { HOME: cwd } }),
  }
}

t.test('connect --write: in a pipe it shows the change, and writes nothing', async t => {
  const { write, file } = place(t)
  const { code, stdout, stderr } = await write()

  t.equal(code, 3)
  t.match(stdout, /^--- \.mcp\.json\n\+\+\+ \.mcp\.json\n@@ .* @@\n\+\{\n/)
  t.match(stdout, `+      "url": "${URL}"\n`)
  t.match(stderr, 'nothing is written; --yes writes it\n')
  t.notOk(existsSync(file))
})

t.test('connect --write --yes: makes the file, and once more changes nothing', async t => {
  const { write, read, file, cwd } = place(t)

  t.match(await write('--yes'), { code: 0, stdout: /\nMade \.mcp\.json\.\n$/ })
  t.strictSame(JSON.parse(read()), ENTRY)
  t.equal(statSync(file).mode & 0o777, 0o644)
  t.match(await write('--yes'), { code: 0, stdout: '.mcp.json has it already.\n' })
  t.match(await write(), { code: 0, stdout: '.mcp.json has it already.\n' })
  t.strictSame(readdirSync(cwd), ['.mcp.json'])
})

t.test('connect --write --yes: comments, mode and a link stay', async t => {
  const { write, read, file, cwd } = place(t)
  const real = join(cwd, 'real.json')
  writeFileSync(real, '{\n  // mine\n  "mcpServers": {}\n}\n', { mode: 0o600 })
  symlinkSync(real, file)

  t.match(await write('--yes'), { code: 0, stdout: /\n(?: .*\n)*[\s\S]*Changed \.mcp\.json\.\n$/ })
  t.match(read(), '  // mine\n')
  t.ok(lstatSync(file).isSymbolicLink())
  t.equal(statSync(real).mode & 0o777, 0o600)
})

t.test('connect --write: a file that is not understood is refused, and stays', async t => {
  const { write, read } = place(t, '{\n  "a": \n')
  t.match(await write('--yes'), {
    code: 1,
    stdout: '',
    stderr: /\n?\.mcp\.json:\d:\d+: .*; expected JSON, so nothing is written\n$/,
  })
  t.equal(read(), '{\n  "a": \n')
})

t.test('connect --write: a file that is not UTF-8 is refused, since its bytes would be lost', async t => {
  const { write, file } = place(t)
  const before = Buffer.from('{ "name": "caf\u00e9" }', 'latin1')
  writeFileSync(file, before)

  t.match(await write('--yes'), { code: 1, stderr: '.mcp.json: expected text in UTF-8, so nothing is written\n' })
  t.strictSame(readFileSync(file), before)
})

t.test('connect --write: what does not fit together is refused', async t => {
  for (const [args, message] of [
    [['connect', '--write'], /^--write: expected a client before it/],
    [['connect', 'codex', '--write', '--json'], /^--write and --json: expected one of them/],
    [['connect', 'codex', '--yes'], /^--yes: expected with --write/],
    [['connect', 'codex', '--file', 'x'], /^--file: expected with --write/],
    [['connect', 'curl', '--url', URL, '--write'], /--write: curl has no file to write; without --write this shows/],
    [['connect', 'goose', '--stdio', 'tools', '--write'], /--write: Goose has no file to write; without --write/],
  ] as const)
    t.match(await runPiped(t, args), { code: 2, stdout: '', stderr: message }, args.join(' '))
})

t.test('connect --write: a folder that is missing is made, and every client with a file is written', async t => {
  const { path: home } = tempFolder(t)
  const plainHttp = { url: 'http://127.0.0.1:9/tools', isOn: true }
  const facts = { url: URL, name: 'toolrack', access: 'open' as const, authorizationServers: [], plainHttp }
  const files = describeClients(facts).filter(({ file }) => file !== undefined)
  t.ok(files.length >= 6)
  for (const { id } of files) {
    const { code, stdout } = await runPiped(t, ['connect', id, '--url', URL, '--write', '--yes'], {
      cwd: home,
      env: { HOME: home },
    })
    t.equal(code, 0, id)
    t.match(stdout, /\nMade \S.*\.\n$/, id)
    t.match(stdout, URL, id)
  }
  t.ok(CLIENT_IDS.length > files.length)
})

t.test('connect --write --file: another file', async t => {
  const { write, cwd, file } = place(t)
  t.match(await write('--yes', '--file', 'deep/other.json'), { code: 0, stdout: /Made deep\/other\.json\.\n$/ })
  t.strictSame(JSON.parse(readFileSync(join(cwd, 'deep/other.json'), 'utf8')), ENTRY)
  t.notOk(existsSync(file))
})

t.test('connect --write on a terminal: asks, and Yes writes', { skip: noTerminal }, async t => {
  const { cwd, read } = place(t)
  const args = ['connect', 'claude-code', '--url', URL, '--write']
  const running = startOnTerminal(t, args, { cwd, env: { HOME: cwd } })
  await running.shows('Write .mcp.json?')
  running.type('y\r')

  const { code, stdout } = await running.ended
  t.equal(code, 0)
  t.match(toPlainText(stdout), /\+ +"url"[\s\S]*Made \.mcp\.json\./)
  t.strictSame(JSON.parse(read()), ENTRY)
})

for (const [what, keys, code] of [
  ['No', 'n\r', 1],
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 3],
] as const) {
  t.test(`connect --write on a terminal: ${what} writes nothing`, { skip: noTerminal }, async t => {
    const { cwd, file } = place(t)
    const args = ['connect', 'claude-code', '--url', URL, '--write']
    const running = startOnTerminal(t, args, { cwd, env: { HOME: cwd } })
    await running.shows('Write .mcp.json?')
    running.type(keys)

    t.equal((await running.ended).code, code)
    t.notOk(existsSync(file))
  })
}

t.test(
  'connect --write on a terminal: a file that changes meanwhile is not overwritten',
  { skip: noTerminal },
  async t => {
    const { cwd, file, read } = place(t)
    const args = ['connect', 'claude-code', '--url', URL, '--write']
    const running = startOnTerminal(t, args, { cwd, env: { HOME: cwd } })
    await running.shows('Write .mcp.json?')
    writeFileSync(file, '{}')
    running.type('y\r')

    const { code, stdout } = await running.ended
    t.equal(code, 1)
    t.match(toPlainText(stdout), 'has changed meanwhile; run this again')
    t.equal(read(), '{}')
  },
)
