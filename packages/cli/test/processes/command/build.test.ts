// What the image runs: dist/, the package's own file and its dependencies, and nothing else of the repository.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { OLD_NODE } from '../../../../../test/support/old-node.ts'
import { until } from '../../../../../test/support/security/hostile.ts'
import { callOver, start } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { html, site } from '../../../../../test/support/tools/web-servers.ts'

// Makes it, unless it is there.
serverProgram()

/** What a package leaves to its user, for REDIS_URL. */
const OPTIONAL = ['bullmq', 'ioredis']

function image(t: Test, { without = [] }: { without?: readonly string[] } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-image-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['dist', 'package.json']) cpSync(name, join(folder, name), { recursive: true })
  const modules = join(folder, 'node_modules')
  if (without.length === 0) {
    symlinkSync(resolve('node_modules'), modules)
    return folder
  }
  mkdirSync(modules)
  for (const name of readdirSync('node_modules').filter(each => !without.includes(each))) {
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  return folder
}

t.test('npm run build: a Node that is too old is told in one line', { skip: OLD_NODE.skip }, async t => {
  const program = join(image(t), 'dist/src/server.js')

  const { status, stdout, stderr } = spawnSync(OLD_NODE.path, [program], { env: {}, encoding: 'utf8' })

  t.equal(status, 1)
  t.equal(stdout, '')
  t.match(stderr, /^toolrack needs Node 22\.19 or newer, and this is \d[^\n]+\n$/)
})

t.test('npm run build: its tools are served, those with helpers, with threads and in isolation too', async t => {
  const folder = image(t)
  const { url: page, host } = await site(t, { '/': html('<title>Herons</title><p>They are back.') })
  const settings = {
    NODE_ENV: 'production',
    TOOLS_DIR: 'dist/tools',
    FILES_DIR: folder,
    EXEC_ALLOW: 'echo',
    SEARCH_URL: page,
    GITHUB_TOKEN: 'ghp_0123456789',
    GITHUB_REPOSITORY: 'octocat/Hello-World',
    FETCH_ALLOW: host,
  }

  const server = await start(t, join(folder, 'dist/src/server.js'), settings, folder)
  const told = async (name: string, args: object) => (await callOver(server.url, name, args)).body.result

  const started = () => server.lines.find(({ msg }) => msg === 'started')
  await until(() => started() !== undefined, 'it has started')
  t.match(started(), { tools: /^15: / })
  t.strictSame(
    server.lines.filter(({ level }) => level >= 40),
    [],
  )
  t.match(await told('analyze_csv', { csv: 'a\n1\n2' }), { structuredContent: { rows: 2 } })
  t.match(await told('query_database', { query: 'SELECT 1 AS one' }), { structuredContent: { rows: [[1]] } })
  t.match(await told('fetch_page', { url: page }), { structuredContent: { title: 'Herons' } })
  t.match(await told('read_file', { path: 'package.json' }), { structuredContent: { path: 'package.json' } })
  t.match(await told('execute_command', { command: 'echo', args: ['x'] }), { structuredContent: { stdout: 'x\n' } })

  const bundle = globSync(join(folder, 'dist/src/*.js')).map(file => readFileSync(file, 'utf8'))
  t.ok(
    bundle.some(code => code.includes('import("@opentelemetry/sdk-node")')),
    'the SDK of OpenTelemetry is the one that is installed',
  )
})

t.test(
  'npm run build: without ioredis and bullmq it remembers in memory, and REDIS_URL says what to install',
  async t => {
    const folder = image(t, { without: OPTIONAL })
    const program = join(folder, 'dist/src/server.js')
    const settings = { NODE_ENV: 'production', TOOLS_DIR: 'dist/tools' }
    const redisUrl = 'redis://127.0.0.1:1'
    const run = (args: readonly string[], more: object) =>
      spawnSync(process.execPath, args, {
        cwd: folder,
        env: { ...settings, ...more },
        encoding: 'utf8',
        timeout: 20_000,
      })

    const server = await start(t, program, settings, folder)
    const { body } = await callOver(server.url, 'analyze_csv', { csv: 'a\n1' })
    t.match(body.result, { structuredContent: { rows: 1 } })

    const refused = run([program], { REDIS_URL: redisUrl })
    const expected = 'is set, but ioredis and bullmq are not installed: npm install ioredis bullmq'
    t.equal(refused.status, 1)
    t.match(refused.stdout + refused.stderr, `REDIS_URL ${expected}`)

    const code = `import('./dist/src/index.js')
    .then(({ createServer }) => createServer({ redis: { url: '${redisUrl}' } }))
    .catch(error => console.log(error.name + ': ' + error.message))`
    t.equal(run(['-e', code], {}).stdout, `ConfigError: redis.url ${expected}\n`)
  },
)
