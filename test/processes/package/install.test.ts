// The package in an empty project: what npm brings, and what each Node makes of it.
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import * as testing from '../../../packages/testing/src/index.ts'
import * as door from '../../../packages/toolrack/door.ts'
import * as source from '../../../packages/toolrack/source.ts'
import * as sqlite from '../../../packages/toolrack/sqlite.ts'
import * as state from '../../../packages/toolrack/state.ts'
import * as main from '../../../src/index.ts'
import { until } from '../../support/eventually.ts'
import { createProject, findOldestNode, installAlone, run, THIS_NODE } from '../../support/installed-package.ts'
import { callOver, start } from '../../support/servers/own-process.ts'
import { json, upstream } from '../../support/tools/shipped.ts'
import { html, site } from '../../support/tools/web-servers.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const NODES = [THIS_NODE, findOldestNode()]

/** What an empty project may grow by, bytes. */
const MAX_INSTALLED_BYTES = 35_000_000

const exported = {
  toolrack: Object.keys(main).sort(),
  'toolrack/door': Object.keys(door).sort(),
  'toolrack/source': Object.keys(source).sort(),
  'toolrack/sqlite': Object.keys(sqlite).sort(),
  'toolrack/state': Object.keys(state).sort(),
  'toolrack/testing': Object.keys(testing).sort(),
}
const imports = (line: (name: string) => string) => Object.keys(exported).map(line).join('\n')

const CHECK = `console.log(JSON.stringify(Object.fromEntries(
  Object.entries(all).map(([name, each]) => [name, Object.keys(each).filter(key => !/^(?:__esModule|module\\.exports)$/.test(key)).sort()])
)))`
const FILES = {
  'esm.mjs': `const all = {}\n${imports(name => `all['${name}'] = await import('${name}')`)}\n${CHECK}`,
  'common.cjs': `const all = {}\n${imports(name => `all['${name}'] = require('${name}')`)}\n${CHECK}`,
  'typed.mts': `import toolrack, { createServer, defineTool, type Static, type ToolContext, Type } from 'toolrack'
import { testTools } from 'toolrack/testing'

const input = Type.Object({ name: Type.String() })
const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  inputSchema: input,
  handler({ name }: Static<typeof input>, { signal }: ToolContext) {
    // @ts-expect-error a name is a text
    const count: number = name
    return signal.aborted ? count : 'Hello, ' + name
  },
})
const tools = await testTools(greet)
const { text } = await tools.call('greet', { name: 'Ada' })
await tools.close()
const app = await createServer({ tools: [greet] })
await app.close()
console.log(text, typeof toolrack)
`,
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const alone = installAlone('alone', FILES)

/** As `du -sb` counts. */
function sumBytes(path: string): number {
  const stats = lstatSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path).reduce((sum, name) => sum + sumBytes(join(path, name)), stats.size)
}

t.test('npm install: no warning, no install script, and less than 35 MB', async t => {
  const lock = JSON.parse(readFileSync(join(alone.folder, 'package-lock.json'), 'utf8'))
  const packages = Object.entries<{ hasInstallScript?: boolean; deprecated?: string }>(lock.packages)
  const bytes = sumBytes(join(alone.folder, 'node_modules'))

  t.notMatch(alone.stdout + alone.stderr, /warn|deprecated|vulnerab/i)
  t.ok(packages.length > 10)
  t.strictSame(
    packages.filter(([, { hasInstallScript, deprecated }]) => hasInstallScript || deprecated !== undefined),
    [],
  )
  t.comment(`${bytes} bytes in ${packages.length} packages`)
  t.ok(bytes < MAX_INSTALLED_BYTES, `${bytes} bytes`)
})

for (const node of NODES) {
  const here = (...command: readonly string[]) => run(node, alone.folder, command)

  t.test(`Node ${node.version}: no dependency asks for another Node, or for another version of a peer`, async t => {
    const { status, stdout, stderr } = here('npm', 'install', '--dry-run', '--engine-strict', '--strict-peer-deps')

    t.equal(status, 0, stderr)
    t.notMatch(stdout + stderr, /warn/i)
  })

  t.test(`Node ${node.version}: the command says its version, and nothing on stderr`, async t => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

    t.match(here('node_modules/.bin/toolrack', '--version'), { status: 0, stdout: `${version}\n`, stderr: '' })
  })

  for (const file of ['esm.mjs', 'common.cjs']) {
    t.test(`Node ${node.version}: every export is there for ${file}`, async t => {
      const { stdout, stderr } = here('node', file)

      t.equal(stderr, '')
      t.strictSame(JSON.parse(stdout), exported)
    })
  }

  t.test(`Node ${node.version}: TypeScript runs as it is`, async t => {
    t.match(here('node', 'typed.mts'), { status: 0, stdout: 'Hello, Ada function\n', stderr: '' })
  })

  t.test(`Node ${node.version}: an error points into the sources`, async t => {
    writeFileSync(
      join(alone.folder, 'wrong.mjs'),
      `import { createServer } from 'toolrack'
createServer({ prot: 1 }).catch(error => console.log(error.stack))`,
    )

    const { stdout } = here('node', '--enable-source-maps', 'wrong.mjs')

    t.match(stdout, /node_modules[\\/]toolrack[\\/]src[\\/]config[\\/][\w-]+\.ts:\d+:\d+/)
    t.match(stdout, /node_modules[\\/]toolrack[\\/]src[\\/]app\.ts:\d+:\d+/)
  })
}

for (const node of NODES) {
  t.test(
    `Node ${node.version}: the tools that ship are served with their libraries, and say what they lack`,
    async t => {
      const { url: page, host } = await site(t, { '/': html('<title>Herons</title><p>They are back.') })
      const results = {
        results: [{ title: 'Herons', url: 'https://herons.example/', content: 'They are <b>back</b>.' }],
      }
      const search = await upstream(t, json(JSON.stringify(results)))
      const { path: files } = tempFolder(t)
      writeFileSync(join(files, 'dot.png'), Buffer.from(PNG, 'base64'))
      const settings = {
        NODE_ENV: 'production',
        FILES_DIR: files,
        SEARCH_URL: search,
        GITHUB_TOKEN: 'ghp_0123456789',
        GITHUB_REPOSITORY: 'octocat/Hello-World',
        GITHUB_API_URL: search,
        FETCH_ALLOW: host,
        // A busy machine may be slow, which is logged otherwise.
        SLOW_CALL_MS: '600000',
      }
      const program = join(alone.folder, 'node_modules/.bin/toolrack')

      const server = await start(t, program, settings, alone.folder, ['start', '--samples'], node.path)
      const told = async (name: string, args: object) => (await callOver(server.url, name, args)).body.result

      t.match(await told('calculate_sum', { a: 2, b: 3 }), { structuredContent: { sum: 5 } })
      t.match(await told('analyze_csv', { csv: 'a\n1\n2' }), { structuredContent: { rows: 2 } })
      t.match(await told('fetch_page', { url: page }), { structuredContent: { title: 'Herons' } })
      t.match(await told('read_file', { path: 'dot.png' }), { structuredContent: { mimeType: 'image/png' } })
      t.match(await told('web_search', { query: 'herons' }), { structuredContent: { results: [{ title: 'Herons' }] } })
      // It gets as far as the answer of a service that is not GitHub.
      t.match(await told('github_create_issue', { title: 'x' }), { isError: true, content: [{ text: /GitHub/ }] })
      t.equal((await fetch(new URL('/ready', server.url))).status, 200)
      await until(() => server.lines.some(({ msg }) => msg === 'started'), 'it has started')
      t.match(
        server.lines.find(({ msg }) => msg === 'started'),
        { 'tools that need': /query_database: DATABASE_URL or npm install @electric-sql\/pglite@0\.5(?:,|$)/ },
      )
      t.strictSame(
        server.lines.filter(({ level }) => level > 30),
        [],
      )
    },
  )
}

const project = createProject('my-tools')

for (const [how, options] of [
  ['NodeNext', { module: 'nodenext' }],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const) {
  t.test(`types: ${how} resolves the exports, and every declaration is complete`, async t => {
    writeFileSync(join(project.folder, 'typed.mts'), FILES['typed.mts'])
    const compilerOptions = {
      ...options,
      target: 'es2024',
      strict: true,
      noEmit: true,
      types: ['node'],
      // Declarations of the package are checked too.
      skipLibCheck: false,
    }
    writeFileSync(join(project.folder, 'types.json'), JSON.stringify({ compilerOptions, files: ['typed.mts'] }))

    t.match(run(THIS_NODE, project.folder, ['npx', 'tsc', '--project', 'types.json']), { status: 0, stdout: '' })
  })
}

for (const node of NODES) {
  const here = (...command: readonly string[]) => run(node, project.folder, command)

  t.test(`Node ${node.version}: a new project is tested, checked and served`, async t => {
    const tested = here('npm', 'test')
    t.equal(tested.status, 0, tested.stdout + tested.stderr)
    t.match(tested.stdout, /pass 2\b/)
    t.notMatch(tested.stdout + tested.stderr, /warning/i)

    const checked = here('npm', 'run', 'check')
    t.match(checked, { status: 0, stdout: /^\+ {2}tool {2}greet {2}tools\/greet\.ts$/m, stderr: '' })

    const program = join(project.folder, 'node_modules/.bin/toolrack')
    const server = await start(t, program, {}, project.folder, ['start'], node.path)
    const { body } = await callOver(server.url, 'greet', { name: 'Ada' })
    t.match(body.result, { structuredContent: { greeting: 'Hello, Ada!' } })
    const plain = await fetch(new URL('/tools/greet', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ada"}',
    })
    t.strictSame([plain.status, await plain.json()], [200, { greeting: 'Hello, Ada!' }])
    t.notMatch(server.stdout, /warning/i)
  })
}
