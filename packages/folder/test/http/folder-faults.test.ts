import { rmSync } from 'node:fs'
import Fastify from 'fastify'
import t from 'tap'
import { healthRoutes } from '../../../../routes/health.ts'
import { Inflight } from '../../../../src/request/inflight.ts'
import { type Files, names, type Served, serve, source, tempFolder } from '../../../../test/support/tools-folder.ts'
import { folderSource } from '../folder-source.ts'

process.env['LOAD_FAULT_SECRET'] = 'kanarienvogel-4712'
const faults = ({ app }: Served) => app.logs.lines.filter(({ msg }) => msg?.startsWith('tool file not loaded'))

interface Broken {
  what: string
  files: Files
  reason: RegExp
  line?: number
  at?: RegExp
}

const broken: Broken[] = [
  {
    what: 'TypeScript that throws',
    files: { 'a.ts': `import 'toolrack'\n\nthrow new Error('boom')\n` },
    reason: /^boom$/,
    line: 3,
  },
  {
    what: 'TypeScript that throws before it has imported or exported anything',
    files: { 'a.ts': `const a: number = 1\nthrow new Error('boom')\n` },
    reason: /^boom$/,
    line: 2,
  },
  {
    what: 'a function that throws at the top level',
    files: { 'a.ts': `const fail = () => {\n  throw new TypeError('boom')\n}\n\nexport default fail()\n` },
    reason: /^boom$/,
    line: 2,
  },
  {
    what: 'TypeScript that cannot be parsed',
    files: { 'a.ts': 'const a = 1\n\nconst b: = 2\nexport default 1\n' },
    reason: /Unexpected token/,
    line: 3,
  },
  {
    what: 'TypeScript that cannot be stripped',
    files: { 'a.ts': 'const a = 1\nenum B { C }\nexport default 1\n' },
    reason: /enum is not supported/,
    line: 2,
  },
  {
    what: 'a module that cannot be parsed',
    files: { 'a.mjs': 'const a = 1\n\n\nconst b = = 2\nexport default 1\n' },
    reason: /Unexpected token '='/,
    line: 4,
  },
  {
    what: 'JavaScript that cannot be parsed',
    files: { 'a.js': 'export default 1\nlet b\nlet b\n' },
    reason: /'b' has already been declared/,
    line: 3,
  },
  {
    what: 'an import that its module does not export',
    files: {
      'a.ts': `const a = 1\nimport { no } from './_b.ts'\nexport default no\n`,
      '_b.ts': 'export const yes = 1',
    },
    reason: /does not provide an export named 'no'/,
    line: 2,
  },
  {
    what: 'a helper that throws',
    files: { 'a.ts': `import './_b.ts'\nexport default 1\n`, '_b.ts': `import 'toolrack'\nthrow new Error('boom')\n` },
    reason: /^boom$/,
    at: /_b\.ts:2$/,
  },
  {
    what: 'a helper that cannot be parsed',
    files: {
      'a.ts': `import './_lib/c.mjs'\nexport default 1\n`,
      '_lib/b.mjs': 'export default 1\n',
      '_lib/c.mjs': 'export const a = 1\nconst b = = 2\n',
    },
    reason: /Unexpected token '='/,
    at: /_lib.c\.mjs:2$/,
  },
  ...['ts', 'mts'].map(ending => ({
    what: `a name that is declared twice, in .${ending}, beside JSON`,
    files: {
      [`a.${ending}`]: `// An order
interface Order { id: string }

const price: number = 1
export default { name: 'a', handler: () => price }

const price = 2
`,
      'package.json': '{ "name": "shop" }',
      '_cities.json': '["Rome"]',
      '_other.ts': 'const other = 1\nconst other = 2\n',
    },
    reason: /'price' has already been declared/,
    line: 7,
  })),
  {
    what: 'two default exports',
    files: { 'a.ts': `type Id = string\nexport default 1\n\nexport default 2\n`, '_cities.json': '["Rome"]' },
    reason: /'\.default' has already been declared/,
    line: 4,
  },
  {
    what: 'a helper with a name that is declared twice',
    files: {
      'a.ts': `import './_c.ts'\nexport default 1\n`,
      '_b.ts': 'let b = = 2\n',
      '_c.ts': 'type Id = string\nexport const c: Id = 1\nconst c = 2\n',
    },
    reason: /'c' has already been declared/,
    at: /_c\.ts:3$/,
  },
  {
    what: 'an imported JSON file that cannot be parsed',
    files: {
      'a.ts': `import cities from './_cities.json' with { type: 'json' }\nexport default cities\n`,
      '_cities.json': '{\n  "capital": "Rome",\n}',
    },
    reason: /JSON/,
    at: /_cities\.json:3$/,
  },
  {
    what: 'a module that is not there',
    files: { 'a.ts': `import './gone.ts'\nexport default 1\n` },
    reason: /Cannot find module .*gone\.ts/,
    line: 1,
  },
  { what: 'an empty file', files: { 'a.ts': '' }, reason: /no default export/ },
  { what: 'a file without a default export', files: { 'a.ts': 'export const a = 1' }, reason: /no default export/ },
  { what: 'a file that exports no definition', files: { 'a.mjs': 'export default 5' }, reason: /no default export/ },
  {
    what: 'an object that has nothing, not even a text',
    files: { 'a.ts': 'export const a = 1\nthrow Object.create(null)' },
    reason: /without a message/,
  },
  {
    what: 'an object that throws wherever it is touched',
    files: { 'a.ts': `export const a = 1\nthrow new Proxy({}, { get() { throw 'touched' } })` },
    reason: /^touched$/,
  },
  {
    what: 'an error whose stack cannot be read',
    files: {
      'a.ts': `export const a = 1
throw Object.defineProperty(new Error('boom'), 'stack', { get() { throw 'touched' } })`,
    },
    reason: /^boom$/,
  },
  {
    what: 'an error that says a secret, at length',
    files: {
      'a.ts': `export const a = 1\nthrow new Error('TOKEN: wrong ' + process.env.LOAD_FAULT_SECRET + 'x'.repeat(5000))`,
    },
    reason: /^TOKEN: wrong \[secret\]x{1000,1990}…$/,
    line: 2,
  },
  { what: 'a text that is thrown', files: { 'a.ts': `export const a = 1\nthrow 'boom'` }, reason: /^boom$/ },
]

for (const { what, files, reason, line, at } of broken) {
  t.test(`${what}: what the file served before stays, and the log says where and why`, async t => {
    const [file] = Object.keys(files) as [string]
    const served = await serve(t, { [file]: source('a'), 'good.ts': source('good') })

    served.write(files)
    await served.app.toolrack.reload()

    t.strictSame(await names(served.app), ['a', 'good'])
    t.equal(await served.announced(), 0)
    const [fault, ...more] = faults(served)
    t.equal(more.length, 0)
    t.match(fault, { level: 50, reason })
    t.ok(fault.file.endsWith(file))
    t.equal(fault.line, line)
    at === undefined ? t.equal(fault.at, undefined) : t.match(fault.at, at)
  })
}

t.test('a fault in a folder whose name is no plain ASCII has its line too', async t => {
  const folder = tempFolder(t, { 'a.ts': `import 'toolrack'\nthrow new Error('boom')` }, 'größe & {mehr} %41')
  const lines: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) }

  await folderSource([folder.path], log).load()

  t.match(lines, [{ file: /a\.ts$/, reason: 'boom', line: 2 }])
})

t.test('a file that is broken from the start does not stop the others', async t => {
  const served = await serve(t, { 'a.ts': 'throw new Error("boom")', 'b.ts': source('b') })

  t.strictSame(await names(served.app), ['b'])
})

t.test('a broken file is served as soon as it is mended', async t => {
  const served = await serve(t, { 'a.ts': 'throw new Error("boom")' })

  served.write({ 'a.ts': source('a') })
  await served.app.toolrack.reload()

  t.strictSame(await names(served.app), ['a'])
  t.equal(await served.announced(), 1)
})

t.test('a file that lacked a package is served once that is there', async t => {
  const served = await serve(t, {
    'a.ts': `import word from 'some-words'\nexport default { name: 'a', handler: () => word }`,
  })
  t.strictSame(await names(served.app), [])

  served.write({
    'node_modules/some-words/package.json': '{ "name": "some-words", "main": "index.js" }',
    'node_modules/some-words/index.js': 'module.exports = "word"',
  })
  await served.app.toolrack.reload()

  t.strictSame(await names(served.app), ['a'])
})

t.test('a file that waits at its top level does not stop the others', async t => {
  const folder = tempFolder(t, { 'a.ts': 'await new Promise(() => {})\nexport default 1', 'b.ts': source('b') })
  const lines: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) }

  const { load, served } = folderSource([folder.path], log, { loadLimitMs: 50 })
  await load()
  // The other file needs less than its 50 ms, where the machine does not stand still.
  for (let tries = 1; tries < 10 && served().length === 0; tries++) await load()

  t.match(lines[0], { file: /a\.ts$/, reason: /within 50 ms/ })
  t.strictSame(served(), ['b'])
})

t.test('a folder that goes away leaves what was served', async t => {
  const served = await serve(t, { 'a.ts': source('a') })

  rmSync(served.path, { recursive: true })
  await served.app.toolrack.reload()

  t.strictSame(await names(served.app), ['a'])
  t.match(served.app.logs.text, /tools folder could not be read/)
})

t.test(
  'GET /ready: a folder that went away is named; as long as none could be read at all it is not ready',
  async t => {
    const served = await serve(t, { 'a.ts': source('a') })
    t.strictSame((await served.app.inject('/ready')).json(), { status: 'ready' })

    rmSync(served.path, { recursive: true })
    await served.app.toolrack.reload()
    const left = await served.app.inject('/ready')
    t.equal(left.statusCode, 200)
    t.match(left.json(), {
      status: 'ready',
      degraded: [/^tools folder tools: it cannot be read \(ENOENT.*what it served before/],
    })

    served.write({ 'b.ts': source('b') })
    await served.app.toolrack.reload()
    t.strictSame((await served.app.inject('/ready')).json(), { status: 'ready' })
    t.strictSame(await names(served.app), ['b'])
  },
)

for (const [what, isReady, statusCode] of [
  ['may be served', true, 200],
  ['may not be served', false, 503],
] as const) {
  t.test(`GET /ready: folders that ${what}: ${statusCode}, with what is wrong with them`, async t => {
    const app = Fastify()
    t.teardown(() => app.close())
    const parts = [{ problems: ['of the state'] }, { isReady, problems: ['a.ts: no'] }]
    await app.register(healthRoutes, { inflight: new Inflight(), parts })
    await app.ready()

    const reply = await app.inject('/ready')

    t.equal(reply.statusCode, statusCode)
    t.equal(reply.json().status, statusCode === 200 ? 'ready' : 'starting')
    t.strictSame(reply.json().degraded, ['of the state', 'a.ts: no'])
  })
}
