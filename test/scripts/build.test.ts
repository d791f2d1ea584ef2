// What the image runs: dist/, the package's own file and its dependencies, and nothing else of the repository.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { OLD_NODE } from '../old-node.ts'
import { until } from '../security/hostile.ts'
import { callOver, start } from '../security/own-process.ts'
import { html, site } from '../tools/web-servers.ts'

function image(t: Test): string {
  // Without what tap has every child load, which the compiler does not bear.
  execFileSync('env', ['-u', 'NODE_OPTIONS', process.execPath, 'scripts/build.ts'])
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-image-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['dist', 'package.json']) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
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
