// `toolrack start` and `toolrack dev`: every setting is an option, and an option wins over its variable.
import { join } from 'node:path'
import t from 'tap'
import { isFlag, isSecret, SETTINGS, type SettingName } from '../../../../../src/config/settings.ts'
import {
  noTerminal,
  runOnTerminal,
  runPiped,
  startOnTerminal,
  toPlainText,
} from '../../../../../test/support/command-line.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { callOver, start } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { source, tempFolder } from '../../../../../test/support/tools-folder.ts'
import { COMMON_SETTINGS } from '../../../src/common-settings.ts'
import { readSettingOptions } from '../../../src/setting-options.ts'

const NAMES = Object.keys(SETTINGS) as SettingName[]
const toOption = (name: string) => name.toLowerCase().replaceAll('_', '-')

for (const command of ['start', 'dev']) {
  t.test(`${command}: --help is one screen of common options, and says what shows the others`, async t => {
    const { code, stdout, stderr } = await runPiped(t, [command, '--help'])

    t.strictSame([code, stderr], [0, ''])
    const lines = stdout.trimEnd().split('\n')
    t.ok(lines.length >= 24 && lines.length <= 40, `${lines.length} lines`)
    for (const line of lines) t.ok(line.length <= 80, line)
    for (const title of COMMON_SETTINGS.map(each => each.title)) t.match(stdout, `\n${title}:\n`)
    for (const option of ['--port <number>', '--[no-]samples', '--jwt-secret-file <file>'])
      t.ok(stdout.includes(`\n  ${option} `), option)
    t.match(stdout, `toolrack ${command} --help --all`)
  })

  t.test(`${command}: --all is for --help alone`, async t => {
    t.match(await runPiped(t, [command, '--all', '--port', '0']), { code: 2, stdout: '', stderr: /^--all: .*--help/ })
  })

  t.test(`${command}: --help --all has every setting as an option, but for secrets`, async t => {
    const [{ stdout }, other] = await Promise.all([
      runPiped(t, [command, '--help', '--all']),
      runPiped(t, [command, '--all', '--help']),
    ])
    t.equal(other.stdout, stdout)
    for (const line of stdout.split('\n')) t.ok(line.length <= 80, line)

    for (const name of NAMES.filter(each => !isSecret(each))) {
      const option = isFlag(name) ? `--[no-]${toOption(name)}` : `--${toOption(name)} <`
      t.ok(stdout.includes(`\n  ${option}`), option)
    }
    for (const name of NAMES.filter(isSecret)) {
      t.notMatch(stdout, `--${toOption(name)} `)
      t.match(stdout, name)
    }
  })
}

for (const name of NAMES.filter(isSecret)) {
  t.test(`start: --${toOption(name)} is refused, and says where to set it`, async t => {
    t.match(await runPiped(t, ['start', `--${toOption(name)}`, 'x'.repeat(32)]), {
      code: 2,
      stdout: '',
      stderr: `--${toOption(name)}: others can read the arguments of a process; set ${name} in the environment, or --${toOption(name)}-file\n`,
    })
  })
}

t.test('start: options and the folder win over the environment', async t => {
  const { path } = tempFolder(t, { 'probe.ts': source('probe') })
  const settings = { PORT: '1', TOOLS_DIR: '/nowhere', HTTP_SSE: 'true', METRICS: 'false' }
  const args = ['start', path, '--port', '0', '--no-http-sse', '--metrics', '--mcp-path=/other', '--no-watch-tools']

  const server = await start(t, serverProgram(), settings, path, args)

  const url = server.url.replace('/mcp', '/other')
  t.match((await callOver(url, 'probe')).body.result, { content: [{ text: 'probe' }] })
  t.equal((await fetch(new URL('/metrics', url))).status, 200)
  t.equal((await fetch(new URL('/sse', url))).status, 404)
})

t.test('start --samples: in an empty folder the tools that ship are served, and the server is ready', async t => {
  const { path } = tempFolder(t)
  const settings = { NODE_ENV: 'production', SAMPLE_DATABASE: 'false' }

  const server = await start(t, serverProgram(), settings, path, ['start', '--samples'])

  const { body } = await callOver(server.url, 'calculate_sum', { a: 2, b: 3 })
  t.match(body.result, { structuredContent: { sum: 5 } })
  t.equal((await fetch(new URL('/ready', server.url))).status, 200)
  t.strictSame(
    server.lines.filter(({ level }) => level > 30),
    [],
  )
})

t.test('start: without the word it takes folder and options, too', async t => {
  const { path } = tempFolder(t, { 'probe.ts': source('probe') })

  const server = await start(t, serverProgram(), {}, path, ['.', '--no-watch-tools'])

  t.match((await callOver(server.url, 'probe')).body.result, { content: [{ text: 'probe' }] })
})

t.test('start: secrets of files, by an option or a variable, are those of its tokens', async t => {
  const secret = 'a-secret-of-the-test-that-is-long-enough'
  const { path } = tempFolder(t, { 'tools/a.ts': source('a'), jwt: `${secret}\n`, state: secret })
  const settings = {
    STATE_SECRET_FILE: join(path, 'state'),
    WATCH_TOOLS: 'false',
    JWT_AUDIENCE: 'https://x.example/mcp',
  }

  const server = await start(t, serverProgram(), settings, path, ['start', '--jwt-secret-file', 'jwt'])

  t.equal((await callOver(server.url, 'a')).status, 401)
  const env = { JWT_SECRET_FILE: join(path, 'jwt'), JWT_AUDIENCE: 'https://x.example/mcp' }
  const { stdout: token } = await runPiped(t, ['token', '--sub', 'alice', '--raw'], { env })
  const headers = { authorization: `Bearer ${token.trim()}` }
  t.match(await callOver(server.url, 'a', {}, { headers }), { body: { result: { content: [{ text: 'a' }] } } })
  t.notMatch(server.stdout, secret)
})

t.test('start: several folders, also one with a comma in its name', async t => {
  const { path: cwd } = tempFolder(t, { 'one/a.ts': source('a'), 'two,b/b.ts': source('b') })

  const server = await start(t, serverProgram(), {}, cwd, ['start', 'one', 'two,b', '--no-watch-tools'])

  for (const name of ['a', 'b']) t.match((await callOver(server.url, name)).body.result, { content: [{ text: name }] })
})

t.test('TOOLS_DIR names several folders, separated by commas', async t => {
  const { path: cwd } = tempFolder(t, { 'one/a.ts': source('a'), 'two/b.ts': source('b') })

  const server = await start(t, serverProgram(), { TOOLS_DIR: 'one, two', WATCH_TOOLS: 'false' }, cwd)

  for (const name of ['a', 'b']) t.match((await callOver(server.url, name)).body.result, { content: [{ text: name }] })
})

t.test(
  'start: in production a file that does not load keeps it from being ready, until SIGHUP finds it mended',
  async t => {
    const folder = tempFolder(t, { 'a.ts': source('a'), 'b.ts': 'broken' })
    const settings = { NODE_ENV: 'production', TOOLS_DIR: '.' }

    const server = await start(t, serverProgram(), settings, folder.path)
    const ready = () => fetch(new URL('/ready', server.url))
    const refused = await ready()
    t.equal(refused.status, 503)
    t.match(await refused.json(), { status: 'starting', degraded: [/^b\.ts:1: /] })
    t.match((await callOver(server.url, 'a')).body.result, { content: [{ text: 'a' }] })

    folder.write({ 'b.ts': source('b') })
    server.child.kill('SIGHUP')
    await until(async () => (await ready()).status === 200, 'it is ready')
    t.match((await callOver(server.url, 'b')).body.result, { content: [{ text: 'b' }] })
  },
)

for (const [why, args, env, code, expected] of [
  ['an option with a bad value', ['--port', 'x'], {}, 2, '--port: expected an integer from 0 to 65535\n'],
  ['an option without a value', ['--host='], {}, 2, '--host: expected a value\n'],
  ['a bad variable', ['--host', '127.0.0.1'], { PORT: 'x' }, 1, 'PORT: expected an integer from 0 to 65535\n'],
  ['a misspelt variable', ['start'], { JWT_SECRT: 'x' }, 1, 'JWT_SECRT is not a setting; did you mean JWT_SECRET?\n'],
  [
    'a file of a secret that is not there',
    ['start', '--jwt-secret-file', './none'],
    {},
    2,
    '--jwt-secret-file: expected the path',
  ],
  [
    'a secret and its file',
    ['--jwt-secret-file', './none'],
    { JWT_SECRET: 'x'.repeat(32) },
    2,
    '--jwt-secret-file: expected either it or JWT_SECRET',
  ],
  ['the same folder twice', ['start', '.', './.'], {}, 1, 'folder: expected folders apart from each other; . and ./.'],
  ['a folder twice', ['start', '.', '--tools-dir', '.'], {}, 2, '--tools-dir: expected either it or the folder'],
  ['a folder that is missing', ['./nowhere'], {}, 1, 'folder: expected a folder that exists, not ./nowhere\n'],
  ['the default folder by name, if it is missing', ['./tools'], {}, 1, 'folder: expected a folder that exists'],
  ['a command behind its options', ['--port', '0', 'dev'], {}, 2, 'dev: a command comes first'],
  ['an option that needs access control', ['--host', '0.0.0.0'], {}, 1, '--host: 0.0.0.0 is not loopback'],
  ['a variable that needs it', [], { HOST: '0.0.0.0' }, 1, 'HOST: 0.0.0.0 is not loopback'],
  ['a file that cannot be written', ['--audit-file', '/nowhere/a'], {}, 1, '--audit-file: expected a file'],
  ['two options that do not fit', ['--jwt-issuer', 'x'], {}, 2, '--jwt-issuer: expected JWT_JWKS_URL beside it'],
] as const) {
  t.test(`start: ${why} is refused with code ${code}`, async t => {
    const { path } = tempFolder(t)

    const ended = await runPiped(t, args, { cwd: path, env })

    t.equal(ended.code, code)
    t.equal(ended.stdout, '')
    t.ok(ended.stderr.startsWith(expected), ended.stderr)
  })
}

t.test('start: the default folder may be missing: it serves, and says what to do', async t => {
  const { path } = tempFolder(t)

  const server = await start(t, serverProgram(), {}, path, ['start'])

  const told = server.lines.filter(({ msg }) => msg === 'no tools')
  t.equal(told.length, 1)
  t.match(told[0], { reason: 'there is no such folder', hint: /^toolrack init makes .* or set TOOLS_DIR/ })
})

t.test('dev: it reloads and logs for people with stacks, in production and in a pipe, too', async t => {
  const folder = tempFolder(t, {
    'probe.ts': source('probe'),
    'fails.mjs': `export default { name: 'fails', description: 'x', handler() { throw new TypeError('oh no') } }`,
  })
  const settings = { NODE_ENV: 'production' }

  folder.write({ 'broken.ts': 'broken' })
  const server = await start(t, serverProgram(), settings, folder.path, ['dev', '.'])
  t.equal((await fetch(new URL('/ready', server.url))).status, 200, 'it is not strict')
  t.notMatch(server.stdout, /^\{/m)
  folder.write({ 'probe.ts': source('probe', { answer: 'changed' }) })
  await until(() => /tools folder reloaded/.test(server.stdout), 'it reloads')
  t.match((await callOver(server.url, 'probe')).body.result, { content: [{ text: 'changed' }] })
  await callOver(server.url, 'fails')

  await until(() => /at .*fails\.mjs/.test(server.stdout), 'it shows the stack')
})

t.test('dev: WATCH_TOOLS=false counts, and an option more', async t => {
  const defaults = { WATCH_TOOLS: 'true' }
  const read = (options: Record<string, boolean>, environment: Record<string, string>) =>
    readSettingOptions({ options, defaults }, environment).settings.watchTools

  t.equal(read({}, {}), true)
  t.equal(read({}, { WATCH_TOOLS: '' }), true)
  t.equal(read({}, { WATCH_TOOLS: 'false' }), false)
  t.equal(read({ watchTools: true }, { WATCH_TOOLS: 'false' }), true)
})

for (const command of ['start', 'dev']) {
  t.test(`${command}: on a terminal it serves until Ctrl-C`, { skip: noTerminal }, async t => {
    const { path } = tempFolder(t, { 'probe.ts': source('probe') })
    const server = startOnTerminal(t, [command, '.', '--port', '0', '--drain-ms', '0'], { cwd: path })
    await server.shows(/^ {2}Next /m)
    server.type('\x03')
    const { code, stdout } = await server.ended

    t.equal(code, 0)
    t.match(toPlainText(stdout), /^ {2}Tools +1 from \.: probe$/m)
  })
}

t.test('token: on a terminal it prints the token', { skip: noTerminal }, async t => {
  const env = { JWT_SECRET: 'a secret of 32 bytes, or some more' }

  const { code, stdout } = await runOnTerminal(t, ['token', '--sub', 'alice', '--raw'], { env })

  t.equal(code, 0)
  t.match(toPlainText(stdout), /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
})
