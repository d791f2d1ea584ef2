// What stands behind the name of the program: help, version, and nothing that it does not know.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { readPackageVersion } from '../../../src/config/environment.ts'
import { explainUnsupportedNode, MIN_NODE } from '../../../src/config/node-version.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { OLD_NODE } from '../../support/old-node.ts'

interface Ended {
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

/** With a port that nobody may have, so that what serves all the same is seen. */
function run(...args: string[]): Promise<Ended> {
  const options = { env: { ...process.env, PORT: 'none' }, timeout: 60_000, killSignal: 'SIGKILL' } as const
  return promisify(execFile)(process.execPath, ['src/server.ts', ...args], options).catch(error => error)
}

t.test('--help shows the usage, the most used settings and where the docs are, on one screen', async t => {
  const [long, short] = await Promise.all([run('--help'), run('-h', '--version')])

  t.notOk(long.code)
  t.equal(long.stderr, '')
  t.equal(short.stdout, long.stdout)
  const lines = long.stdout.trimEnd().split('\n')
  t.match(lines[0], /^Usage: toolrack /)
  t.ok(lines.length <= 24, `${lines.length} lines`)
  for (const line of lines.slice(0, -1)) t.ok(line.length <= 80, line)
  const settings = long.stdout.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
  t.ok(settings.length > 6)
  t.strictSame(
    settings.filter(name => !(name in SETTINGS)),
    [],
  )
  const [, docs] = / (\/\S*README\.md)$/.exec(lines.at(-1)!) ?? []
  t.ok(docs !== undefined && existsSync(docs), String(docs))
})

t.test('--version shows the version of the package', async t => {
  t.match(await run('--version'), { stdout: `${readPackageVersion()}\n`, stderr: '' })
})

for (const [args, fault] of [
  [['--prot', '8080'], "Unknown option '--prot'"],
  [['serve'], "Unexpected argument 'serve'"],
  [['--help=yes'], /Option '.*--help' does not take an argument/],
  [['--\nx'], /Unknown option '-- x'/],
] as const) {
  t.test(`${JSON.stringify(args)} is refused with one line and code 2`, async t => {
    const { code, stdout, stderr } = await run(...args)

    t.equal(code, 2)
    t.equal(stdout, '')
    t.match(stderr, fault)
    t.match(stderr, /^[^\n]+; toolrack --help shows what there is\n$/)
  })
}

t.test('without arguments it serves: a bad setting is told, with code 1', async t => {
  t.match(await run(), { code: 1, stderr: /^PORT: expected an integer/ })
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
  t.equal(prestart, 'node scripts/check-node.mjs')
  const env = { PATH: process.env['PATH'] }

  const run = (node: string): Promise<Ended> =>
    promisify(execFile)(node, ['scripts/check-node.mjs'], { env }).catch(error => error)
  const [old, present] = await Promise.all([run(OLD_NODE.path), run(process.execPath)])

  t.match(old, { code: 1, stdout: '', stderr: /^toolrack needs Node 22\.19 or newer, and this is \d\S+; [^\n]+\n$/ })
  t.match(present, { stdout: '', stderr: '' })
  t.notOk(present.code)
})
