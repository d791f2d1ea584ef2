// `toolrack check`: each fault has its file, line and column, and the exit code says whether there is one.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import {
  noTerminal,
  runOnTerminal,
  runPiped,
  startOnTerminal,
  startPiped,
  toPlainText,
} from '../../../../../test/support/command-line.ts'
import { OLD_NODE } from '../../../../../test/support/old-node.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

serverProgram()

const GOOD = { 'good.mjs': `export default { name: 'good', description: 'Is good.', handler: () => 'x' }` }
const BAD = {
  ...GOOD,
  'refused.mjs': `export default {
  desciption: 'x', name: 'refused', handler: () => 'x' }`,
  'syntax.mjs': `export default {
  name: 'syntax', handler( { return 1 } }`,
  'thrown.mjs': `setInterval(() => {}, 1000)
  throw new Error('no\\nway')`,
  'late.mjs': `Promise.reject(new Error('late'))
export default { name: 'late', description: 'Is late.', handler: () => 1 }`,
  'warned.mjs': `export default { name: 'warned', handler: () => 1 }`,
}

t.test('check: a folder that loads has code 0, and names each definition', async t => {
  const { path } = tempFolder(t, GOOD)

  const { code, stdout, stderr } = await runPiped(t, ['check', path])

  t.equal(code, 0)
  t.equal(stderr, '')
  t.match(stdout, /^\+ {2}tool {2}good {2}\S*good\.mjs\n1 definition, 0 errors, 0 warnings\n$/)
})

t.test('check: settings of access control, whichever need one another, are of no concern', async t => {
  const { path } = tempFolder(t, GOOD)
  const env = {
    ...{ JWT_SECRET: 'x'.repeat(32), JWT_ISSUER: 'https://as.example', JWT_AUDIENCE: 'api', JWT_CLIENT_IDS: 'app' },
    ...{ JWT_ALGORITHMS: 'HS256', JWT_SCOPE_CLAIMS: 'scope', JWT_SCOPE_PREFIX: 'a/', JWT_CLAIMS: 'tenant=tid' },
    ...{ RATE_LIMIT_CLAIM: 'tenant', TOKEN_EXCHANGE_CLIENT_ID: 'us', TOKEN_EXCHANGE_CLIENT_SECRET: 'the secret' },
  }

  const { code, stderr } = await runPiped(t, ['check', path], { env })

  t.equal(code, 0, stderr)
})

t.test('check: what does not load has code 1, and file, line and column', async t => {
  const { path } = tempFolder(t, BAD)

  const { code, stdout } = await runPiped(t, ['check', '.'], { cwd: path })

  t.equal(code, 1)
  const lines = stdout.split('\n')
  const has = (line: string) => t.ok(lines.includes(line), `${line}\n---\n${stdout}`)
  has('refused.mjs:2:26  tool "refused": desciption is not a known property; did you mean description?')
  t.match(stdout, /^syntax\.mjs:2:37 {2}\S/m)
  has('thrown.mjs:2:9  no way')
  has('late.mjs:1:16  late')
  t.match(stdout, /^warned\.mjs:1:24 {2}warning: warned: has no description/m)
  has('3 definitions, 4 errors, 1 warning')
})

t.test('check: --json has all of it, whatever the files print', async t => {
  const { path } = tempFolder(t, { ...BAD, 'loud.mjs': `console.log('loud')\n${BAD['warned.mjs']}` })

  const { code, stdout, stderr } = await runPiped(t, ['check', '--json'], { cwd: path, env: { TOOLS_DIR: '.' } })

  t.equal(code, 1)
  t.match(stderr, 'loud')
  const { errors, warnings, entries } = JSON.parse(stdout)
  t.ok(errors.length >= 4)
  t.match(
    errors.find((each: { file: string }) => each.file === 'thrown.mjs'),
    { line: 2, column: 9, message: 'no way' },
  )
  t.match(warnings[0], { message: /has no description/ })
  t.match(entries[0], { kind: 'tool', lacks: [], isLeftOut: false })
})

t.test('check: the tools that ship are not checked, whatever SAMPLES is', async t => {
  const { path } = tempFolder(t, { 'one.mjs': `export default { name: 'one', description: 'Is one.', handler() {} }` })

  const { code, stdout } = await runPiped(t, ['check', path, '--json'], { env: { SAMPLES: 'true' } })

  t.equal(code, 0)
  t.match(JSON.parse(stdout).entries, { length: 1 })
})

t.test('check: with --strict a warning is a fault', async t => {
  const { path } = tempFolder(t, { 'warned.mjs': BAD['warned.mjs'] })
  const [lax, strict] = await Promise.all([runPiped(t, ['check', path]), runPiped(t, ['check', path, '--strict'])])

  t.equal(lax.code, 0)
  t.equal(strict.code, 1)
})

t.test('check: a tool that lacks a variable is told, and is no fault', async t => {
  const { path } = tempFolder(t, {
    'needy.mjs': `export default { name: 'needy', description: 'x', requires: ['NEEDED_HERE'], handler: () => 1 }`,
  })
  const { code, stdout } = await runPiped(t, ['check', path])

  t.equal(code, 0)
  t.match(stdout, /needy\.mjs {2}\(not served: it needs NEEDED_HERE\)/)
  t.match(await runPiped(t, ['check', path, '--contract']), {
    code: 1,
    stderr: /^needy: it needs NEEDED_HERE/,
  })
})

t.test('check: hooks that do not load are a fault', async t => {
  const { path } = tempFolder(t, { ...GOOD, '_hooks.mjs': 'export const visibel = () => true' })

  const { code, stdout } = await runPiped(t, ['check', '.'], { cwd: path })

  t.equal(code, 1)
  t.match(stdout, /^_hooks\.mjs:1:1 {2}exports visibel, .*did you mean visible/m)
})

t.test('check: rules in a place where they hold for nothing are a fault, also with --strict', async t => {
  const rule = 'export const visible = () => false'
  const beside = tempFolder(t, { 'admin/index.mjs': GOOD['good.mjs'], 'admin/_hooks.mjs': rule })
  const forAll = tempFolder(t, { ...GOOD, '_hooks.tsx': rule })

  const one = await runPiped(t, ['check', '.'], { cwd: beside.path })
  const two = await runPiped(t, ['check', '.', '--strict'], { cwd: forAll.path })

  t.strictSame([one.code, two.code], [1, 1])
  t.match(one.stdout, /^admin\/index\.mjs:1:1 {2}its rules in _hooks\.mjs hold for nothing; write export \* from /m)
  t.match(two.stdout, /^_hooks\.tsx:1:1 {2}hooks are read from _hooks\.ts only; rename it to that/m)
})

t.test('check: --contract compares with the file, which --update writes', async t => {
  const folder = tempFolder(t, { 'greet.mjs': greet('name') })
  const check = (...args: string[]) => runPiped(t, ['check', '.', ...args], { cwd: folder.path })
  const file = join(folder.path, 'tools.contract.json')

  t.match(await check('--contract'), { code: 1, stderr: 'tools.contract.json is missing: --update' })
  t.notOk(existsSync(file))
  t.match(await check('--contract', '--update'), { code: 0, stdout: /^tools\.contract\.json is written/m })
  const written = readFileSync(file, 'utf8')
  t.match(JSON.parse(written), { tools: { greet: { inputSchema: { required: ['name'] } } } })
  t.match(await check('--contract'), { code: 0, stdout: /^tools\.contract\.json: nothing breaks$/m })

  folder.write({ 'more.mjs': GOOD['good.mjs'] })
  t.match(await check('--contract'), { code: 0, stdout: 'is out of date, though nothing breaks' })
  t.match(await check('--contract', '--strict'), { code: 1 })

  folder.write({ 'greet.mjs': greet('who') })
  const broken = await check('--contract', 'tools.contract.json')
  t.equal(broken.code, 1)
  t.match(broken.stdout, /^tools\.contract\.json: callers break:\n- greet: .*/m)
  t.match(JSON.parse((await check('--contract', '--json')).stdout), { contract: { breaks: [/^greet: /] } })
  t.equal(readFileSync(file, 'utf8'), written)
})

const greet = (argument: string) => `export default {
  name: 'greet', description: 'Greets.', handler: () => 'x',
  inputSchema: { type: 'object', properties: { ${argument}: { type: 'string' } }, required: ['${argument}'] },
}`

for (const [why, args, code, expected] of [
  ['a folder that is missing', ['nowhere'], 1, /^folder: expected a folder that exists, not nowhere\n$/],
  ['--update without --contract', ['--update'], 2, /^--update: expected --contract beside it/],
  ['a file that is no contract', ['.', '--contract', 'good.mjs'], 1, /^good\.mjs is not a contract: /],
] as const) {
  t.test(`check: ${why} is refused with code ${code}`, async t => {
    const { path } = tempFolder(t, GOOD)

    t.match(await runPiped(t, ['check', ...args], { cwd: path }), { code, stdout: '', stderr: expected })
  })
}

t.test('check: several folders of the same name, and each fault in the right one', async t => {
  const { path: cwd } = tempFolder(t, { 'here/.keep': '' })
  const [one, two] = [tempFolder(t, { 'a.mjs': `throw new Error('no')` }), tempFolder(t, GOOD)]
  const path = relative(join(cwd, 'here'), join(one.path, 'a.mjs'))

  const { code, stdout } = await runPiped(t, ['check', one.path, two.path], { cwd: join(cwd, 'here') })

  t.equal(code, 1)
  t.match(stdout, `${path}:1:7  no\n`)
  t.match(stdout, relative(join(cwd, 'here'), join(two.path, 'good.mjs')))
})

t.test('check: a folder without tools says what makes one', async t => {
  const { path } = tempFolder(t)

  t.match(await runPiped(t, ['check', path]), { code: 1, stderr: /has no file of a tool.*toolrack init/ })
})

for (const [what, hang] of [
  ['waits', 'await new Promise(() => {})'],
  ['has an endless loop', 'for (;;) {}'],
] as const) {
  t.test(`check: Ctrl-C ends it with 130 while a file ${what}`, { skip: noTerminal }, async t => {
    const { path } = tempFolder(t, { 'hangs.mjs': `console.error('begun')\n${hang}` })

    const check = startOnTerminal(t, ['check', path])
    await check.shows('begun')
    check.type('\u0003')

    t.match(await check.ended, { code: 130 })
  })
}

t.test('check: who closes the pipe early is no error', async t => {
  const { path } = tempFolder(t, { 'good.mjs': `console.error('begun')\n${GOOD['good.mjs']}` })

  const check = startPiped(t, ['check', path])
  await check.shows('begun')
  check.child.stdout!.destroy()

  t.match(await check.ended, { code: 0, stderr: /^begun\n$/ })
})

t.test('check: on a terminal it has colours, unless NO_COLOR is set', { skip: noTerminal }, async t => {
  const { path } = tempFolder(t, BAD)
  const [coloured, bare] = await Promise.all([
    runOnTerminal(t, ['check', '.'], { cwd: path, env: { NO_COLOR: undefined } }),
    runOnTerminal(t, ['check', '.'], { cwd: path }),
  ])

  t.equal(coloured.code, 1)
  t.match(coloured.stdout, '\x1b[')
  t.notMatch(bare.stdout, '\x1b')
  t.match(toPlainText(coloured.stdout), /^thrown\.mjs:2:9 {2}no way$/m)
})

for (const command of ['start', 'dev', 'init', 'check', 'token']) {
  t.test(`${command}: a Node that is too old is told in one line`, { skip: OLD_NODE.skip }, async t => {
    const { status, stdout, stderr } = spawnSync(OLD_NODE.path, [serverProgram(), command], {
      env: {},
      encoding: 'utf8',
    })

    t.equal(status, 1)
    t.equal(stdout, '')
    t.match(stderr, /^toolrack needs Node 22\.19 or newer, and this is \d[^\n]+\n$/)
  })
}
