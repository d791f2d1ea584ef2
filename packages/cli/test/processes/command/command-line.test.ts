// What stands behind the name of the program: help, version, and nothing that it does not know.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { readPackageVersion } from '../../../../../src/config/environment.ts'
import { explainUnsupportedNode, MIN_NODE } from '../../../../../src/config/node-version.ts'
import { SETTINGS } from '../../../../../src/config/settings.ts'
import { type Ended, runPiped } from '../../../../../test/support/command-line.ts'
import { OLD_NODE } from '../../../../../test/support/old-node.ts'

/** With a port that nobody may have, so that what serves all the same is seen. */
const run = (t: Test, ...args: readonly string[]): Promise<Ended> =>
  runPiped(t, args, { program: 'src/server.ts', env: { PORT: 'none' } })

/** Those whose help has an example. */
const COMMANDS = [
  'start',
  'dev',
  'init',
  'check',
  'list',
  'call',
  'read',
  'prompt',
  'doctor',
  'connect',
  'login',
  'logout',
  'token',
]

t.test('--help shows the commands, the most used settings and where the docs are, on one screen', async t => {
  const [long, short] = await Promise.all([run(t, '--help'), run(t, '-h')])

  t.notOk(long.code)
  t.equal(long.stderr, '')
  t.equal(short.stdout, long.stdout)
  const lines = long.stdout.trimEnd().split('\n')
  t.match(lines[0], /^Usage: toolrack /)
  t.ok(lines.length <= 36, `${lines.length} lines`)
  for (const line of lines.slice(0, -1)) t.ok(line.length <= 80, line)
  for (const name of [...COMMANDS, 'completion']) t.match(long.stdout, new RegExp(`^  ${name}\\b`, 'm'))
  const settings = long.stdout.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
  t.ok(settings.length > 6)
  t.strictSame(
    settings.filter(name => !(name in SETTINGS)),
    [],
  )
  const [, docs] = / (\/\S*README\.md)$/.exec(lines.at(-1)!) ?? []
  t.ok(docs !== undefined && existsSync(docs), String(docs))
})

for (const command of COMMANDS) {
  t.test(`${command} --help has an example, in lines of at most 80 characters`, async t => {
    const [long, other] = await Promise.all([run(t, command, '--help'), run(t, 'help', command)])

    t.notOk(long.code)
    t.equal(long.stderr, '')
    t.equal(other.stdout, long.stdout)
    t.match(long.stdout, new RegExp(`^Usage: toolrack ${command} `))
    t.match(long.stdout, /^Examples:\n {2}.*toolrack/m)
    for (const line of long.stdout.split('\n')) t.ok(line.length <= 80, line)
  })
}

for (const command of ['key create', 'key list', 'key revoke', 'audit verify', 'server add', 'server list']) {
  t.test(`${command} --help has lines of at most 80 characters`, async t => {
    const { code, stdout } = await run(t, ...command.split(' '), '--help')
    t.notOk(code)
    for (const line of stdout.split('\n')) t.ok(line.length <= 80, line)
  })
}

t.test('--version shows the version of the package', async t => {
  t.match(await run(t, '--version'), { stdout: `${readPackageVersion()}\n`, stderr: '' })
})

for (const [args, fault, help] of [
  [['--prot', '8080'], "unknown option '--prot' (did you mean --port?)", 'toolrack --help'],
  [['start', '--prot', '8080'], "unknown option '--prot' (did you mean --port?)", 'toolrack start --help'],
  [['--help=yes'], "unknown option '--help=yes'", 'toolrack --help'],
  [['--\nx'], "unknown option '-- x'", 'toolrack --help'],
  [['serve'], "unknown command 'serve'", 'toolrack --help'],
  [['chekc', '--strict'], "unknown command 'chekc' (did you mean check?)", 'toolrack --help'],
  [['test', '--strict'], "unknown option '--strict'", 'toolrack --help'],
  [['chekc'], "unknown command 'chekc' (did you mean check?)", 'toolrack --help'],
  [['start', '--port'], "option '--port <number>' argument missing", 'toolrack start --help'],
  [['init', 'one', 'two'], "too many arguments for 'init'. Expected 1 argument but got 2", 'toolrack init --help'],
] as const) {
  t.test(`${JSON.stringify(args)} is refused with one line and code 2`, async t => {
    const { code, stdout, stderr } = await run(t, ...args)

    t.equal(code, 2)
    t.equal(stdout, '')
    t.ok(stderr.startsWith(fault), stderr)
    t.match(stderr, new RegExp(`^[^\\n]+; ${help} shows what there is\\n$`))
  })
}

t.test('without arguments it serves: a bad setting is told, with code 1', async t => {
  t.match(await run(t), { code: 1, stderr: /^PORT: expected an integer/ })
})

t.test('the least Node is that of the package', async t => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.equal(engines.node, `>=${MIN_NODE}`)

  for (const good of ['22.19.0', '22.20.1', '24.0.0', '100.1.2']) t.equal(explainUnsupportedNode(good), undefined, good)
  for (const old of ['8.17.0', '20.20.2', '22.18.9', '22.2.0'])
    t.match(explainUnsupportedNode(old), `toolrack needs Node 22.19 or newer, and this is ${old}`)
})

t.test('npm start with a Node that is too old says so in one line', { skip: OLD_NODE.skip }, async t => {
  const { prestart } = JSON.parse(readFileSync('package.json', 'utf8')).scripts
  t.match(prestart, /^node scripts\/check-node\.mjs && /)
  const env = { PATH: process.env['PATH'] }

  const run = (node: string): Promise<Ended> =>
    promisify(execFile)(node, ['scripts/check-node.mjs'], { env }).catch(error => error)
  const [old, present] = await Promise.all([run(OLD_NODE.path), run(process.execPath)])

  t.match(old, { code: 1, stdout: '', stderr: /^toolrack needs Node 22\.19 or newer, and this is \d\S+; [^\n]+\n$/ })
  t.match(present, { stdout: '', stderr: '' })
  t.notOk(present.code)
})
