// `toolrack init` and `npm create toolrack`: the project that they write works as it is.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readPackageVersion } from '../../../../../src/config/environment.ts'
import { noTerminal, runOnTerminal, runPiped, toPlainText } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { OLD_NODE } from '../../../../../test/support/old-node.ts'
import { installPacked, packedEnv, unpackPackage } from '../../../../../test/support/packed-package.ts'
import { callOver, start } from '../../../../../test/support/servers/own-process.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const FILES = [
  'package.json',
  'tsconfig.json',
  'tools/greet.ts',
  'tools/greet.test.ts',
  'Dockerfile',
  '.dockerignore',
  '.gitignore',
  'README.md',
]

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

t.test('init: the project has its types, its test, its check and its server, from the packed package', async t => {
  const { path: base } = tempFolder(t)
  const folder = join(base, 'my-tools')
  const made = await runPiped(t, ['init', 'my-tools'], { cwd: base })
  t.match(made, { code: 0, stderr: '' })
  t.match(made.stdout, /\nNext:\n {2}cd my-tools\n {2}npm install\n {2}npm run dev\n$/)
  for (const file of FILES) t.ok(existsSync(join(folder, file)), file)
  installPacked(t, folder)

  const npm = (...args: string[]) => spawnSync('npm', args, { cwd: folder, env: packedEnv, encoding: 'utf8' })
  const check = npm('run', 'check')
  t.equal(check.status, 0, check.stdout + check.stderr)
  t.match(check.stdout, /^\+ {2}tool {2}greet {2}tools\/greet\.ts$/m)
  const test = npm('test')
  t.equal(test.status, 0, test.stdout + test.stderr)
  t.match(test.stdout, /pass 2\b/)

  const server = await start(t, join(folder, 'node_modules/.bin/toolrack'), {}, folder)
  const { body } = await callOver(server.url, 'greet', { name: 'Ada' })
  t.match(body.result, { structuredContent: { greeting: 'Hello, Ada!' } })

  const [, healthcheck = '[]'] = /^HEALTHCHECK .*\\\n *CMD (\[.*\])$/m.exec(read(folder, 'Dockerfile')) ?? []
  const [program, ...args]: string[] = JSON.parse(healthcheck)
  const checkHealth = (port: number) =>
    spawnSync(program!, args, { env: { PATH: process.env['PATH'], PORT: `${port}` } })
  t.equal(program, 'bash', 'no Node process each time')
  t.equal(checkHealth(server.port).status, 0)
  t.equal(checkHealth(await freePort()).status, 1)
})

t.test('init: versions are those of this package, and of what it is checked with', async t => {
  const folder = join(tempFolder(t).path, 'my-tools')
  await runPiped(t, ['init', folder])

  const made = JSON.parse(read(folder, 'package.json'))
  const { devDependencies, engines } = JSON.parse(read('package.json'))
  t.match(made, { name: 'my-tools', type: 'module', engines, dependencies: { toolrack: `^${readPackageVersion()}` } })
  for (const [name, range] of Object.entries(made.devDependencies)) t.equal(range, devDependencies[name], name)
  for (const script of ['start', 'dev', 'test', 'check']) t.ok(made.scripts[script], script)
})

t.test('init: it overwrites nothing, unless it is forced', async t => {
  const { path: folder } = tempFolder(t, { 'tools/greet.ts': 'mine' })

  const refused = await runPiped(t, ['init', '.', '--name', 'mine'], { cwd: folder })
  t.match(refused, { code: 1, stdout: '', stderr: /^\. has tools\/greet\.ts already; nothing is written/ })
  for (const file of FILES) t.match(refused.stderr, file)
  t.equal(read(folder, 'tools/greet.ts'), 'mine')
  t.notOk(existsSync(join(folder, 'package.json')))

  const forced = await runPiped(t, ['init', '.', '--name', 'mine', '--force', '--json'], { cwd: folder })
  t.strictSame(JSON.parse(forced.stdout), { folder: '.', name: 'mine', files: FILES })
  t.match(read(folder, 'tools/greet.ts'), 'defineTool')
})

for (const [why, args, code, expected] of [
  ['a folder that is no package name', ['My Tools'], 2, /^"My Tools": expected the name of the folder .*--name/],
  ['a name that is none', ['x', '--name', '../x'], 2, /^"\.\.\/x": expected --name/],
  ['the name of the package itself', ['toolrack'], 2, /^"toolrack": expected .*not taken/],
  ['two folders', ['one', 'two'], 2, /^too many arguments/],
  ['an empty name', [''], 2, /^folder: expected a name/],
  ['a file', ['file.txt'], 1, /^file\.txt exists and is not a folder/],
  ['a folder in a file', ['file.txt/tools'], 1, /file\.txt exists and is not a folder/],
  ['a link to nothing', ['dead'], 1, /^dead is a link to nothing/],
] as const) {
  t.test(`init: ${why} is refused with code ${code}`, async t => {
    const { path: folder } = tempFolder(t, { 'file.txt': '' })
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dead'))

    t.match(await runPiped(t, ['init', ...args], { cwd: folder }), { code, stdout: '', stderr: expected })
    t.notOk(existsSync(join(folder, 'package.json')))
  })
}

t.test('init: on a terminal it says the same, in colour', { skip: noTerminal }, async t => {
  const { path: folder } = tempFolder(t)

  const { code, stdout } = await runOnTerminal(t, ['init', 'my-tools'], { cwd: folder, env: { NO_COLOR: undefined } })

  t.equal(code, 0)
  t.match(toPlainText(stdout), /^\+ tools\/greet\.ts$/m)
  t.match(stdout, '\x1b[')
})

t.test('npm create toolrack: the packed package needs no other, and writes the same', async t => {
  const { path: folder } = tempFolder(t)
  const packed = unpackPackage(t, folder, 'packages/create')
  const manifest = JSON.parse(read(packed, 'package.json'))
  t.equal(manifest.version, readPackageVersion())
  t.notOk(manifest.dependencies)
  t.equal(read(packed, 'LICENSE'), read('LICENSE'))
  t.match(read(packed, 'dist/LICENSES.txt'), /^commander /m, 'the licences of what is bundled')
  const program = join(packed, manifest.bin['create-toolrack'])

  const created = await runPiped(t, ['a-tools'], { cwd: folder, program })
  await runPiped(t, ['init', 'b-tools'], { cwd: folder })

  t.match(created, { code: 0, stderr: '' })
  for (const file of FILES)
    t.equal(read(folder, 'a-tools', file).replaceAll('a-tools', 'b-tools'), read(folder, 'b-tools', file), file)
  t.match(await runPiped(t, ['a-tools'], { cwd: folder, program }), { code: 1, stderr: 'nothing is written' })
  t.match(await runPiped(t, ['--help'], { program }), {
    code: 0,
    stdout: /^Usage: create-toolrack .*npm create toolrack/s,
  })
  t.match(await runPiped(t, ['--nmae', 'x'], { program }), {
    code: 2,
    stderr: "unknown option '--nmae' (did you mean --name?); create-toolrack --help shows what there is\n",
  })
  if (OLD_NODE.skip) return
  const old = spawnSync(OLD_NODE.path, [program], { env: {}, encoding: 'utf8' })
  t.match(old, { status: 1, stdout: '', stderr: /^toolrack needs Node 22\.19 or newer/ })
})
