// The image, and images that are built FROM it: their steps run in a plain folder and, if this
// machine may, in a chroot with a read-only root.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { configMapVolume } from '../../support/config-map.ts'
import { until } from '../../support/eventually.ts'
import { ask, callTool } from '../../support/replicas/stateless.ts'
import { source, tempFolder } from '../../support/tools-folder.ts'
import { parseDockerfile, type Stage } from './dockerfile.ts'
import { buildFrom, buildImage, type Container, makePlace, runContainer } from './image.ts'
import { chroot, NO_CHROOT, plainFolder } from './places.ts'
import { serveRegistry } from './registry.ts'
import { toolNames } from './tools.ts'

interface Package {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly workspaces: readonly string[]
}

const packageOf = (folder: string): Package => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const root = packageOf('.')

t.test('the image has what REDIS_URL and OTEL_* need, which a package has not', async t => {
  const added = { ...packageOf('deploy').dependencies, ...packageOf('packages/redis').dependencies }

  t.strictSame(Object.keys(added).sort(), ['@opentelemetry/sdk-node', 'bullmq', 'ioredis'])
  for (const [name, range] of Object.entries(added)) {
    t.notOk(name in root.dependencies)
    t.ok(name in root.peerDependencies)
    t.equal(root.devDependencies[name], range, name)
    // What npm writes beside it decides what `npm prune --omit=dev` takes away.
    const entry = packages[`node_modules/${name}`]
    for (const flag of ['dev', 'devOptional', 'optional', 'peer']) t.notOk(entry[flag], `${name} ${flag}`)
  }
})

t.test('npm ci of the image sees each workspace', async t => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')

  for (const file of globSync(root.workspaces.map(each => `${each}/package.json`))) {
    const folder = dirname(file)
    t.match(dockerfile, `COPY ${folder}/package.json ${folder}/`)
  }
})

const DOCKERFILES = ['Dockerfile', 'packages/broker/Dockerfile']
const stagesOf = (dockerfile: string) => parseDockerfile(readFileSync(dockerfile, 'utf8'))

t.test('both images begin with the same base, a release of Node, by its digest', async t => {
  const bases = DOCKERFILES.map(dockerfile => stagesOf(dockerfile)[0]!.base)

  t.equal(new Set(bases).size, 1)
  t.match(bases[0], /^node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)
  for (const dockerfile of DOCKERFILES)
    for (const { base } of stagesOf(dockerfile).slice(1)) t.equal(base, 'base', dockerfile)
})

t.test('their labels say what they are, from where, and in which version', async t => {
  const { version, license, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const dockerfile of DOCKERFILES) {
    const { text = '' } =
      stagesOf(dockerfile)
        .at(-1)!
        .instructions.find(({ keyword }) => keyword === 'LABEL') ?? {}
    const labels = Object.fromEntries(
      [...text.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )

    t.match(labels, { title: /./, description: /./, documentation: /^https:/, revision: '$REVISION' }, dockerfile)
    t.match(labels, { version, licenses: license, source: repository.url.replace(/^git\+|\.git$/g, '') }, dockerfile)
  }
})

t.test('their health check starts no Node process', async t => {
  for (const dockerfile of DOCKERFILES) {
    const { words = [] } = stagesOf(dockerfile)
      .at(-1)!
      .instructions.find(({ keyword }) => keyword === 'HEALTHCHECK')!
    t.strictSame([words[0], words[1]?.split('/').at(-1)], ['bash', 'ready.sh'], dockerfile)
  }
})

t.test('both carry their SBOM, by the folder that a build writes it into', async t => {
  const has = (stage: Stage | undefined, keyword: string, text: string) =>
    stage?.instructions.some(step => step.keyword === keyword && step.text === text)
  const [server, broker] = DOCKERFILES.map(stagesOf)

  t.ok(has(server?.at(-1), 'COPY', '/app/dist /opt/toolrack/dist'))
  const [built = ''] =
    broker
      ?.at(-2)
      ?.instructions.filter(({ text }) => text.includes('node scripts/sbom.ts'))
      .map(({ text }) => text) ?? []
  t.match(built, /&& node scripts\/sbom\.ts/)
  t.ok(has(broker?.at(-1), 'COPY', '/app/dist ./dist'))
})

const PLACES = [
  ['a plain folder', plainFolder, false],
  ['a chroot', chroot, NO_CHROOT],
] as const

// Both copy thousands of files.
t.setTimeout(600_000)

const PAGE = readFileSync('docs/guides/deploy.md', 'utf8')
const [, DOCKERFILE = ''] = /```dockerfile\n(FROM toolrack\n[\s\S]*?)```/.exec(PAGE) ?? []

/** A project as `toolrack init` makes it, with dependencies of both kinds, and a module beside its tools. */
const PROJECT = {
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.2.3',
    private: true,
    type: 'module',
    dependencies: { 'polite-esm': '^1.0.0', 'polite-cjs': '^1.0.0' },
    devDependencies: { toolrack: '^0.1.0' },
  }),
  'src/price.ts': `import { ToolError } from 'toolrack'
import { polite } from 'polite-esm'
export function price(sku: string): string {
  if (sku === '') throw new ToolError('There is no product without a name.')
  return polite(sku)
}
`,
  'tools/price.ts': `import { defineTool, Type } from 'toolrack'
import { price } from '../src/price.ts'
export default defineTool({
  name: 'price',
  inputSchema: Type.Object({ sku: Type.String() }),
  handler: ({ sku }: { sku: string }) => price(sku),
})
`,
  'tools/old.cjs': `const { polite } = require('polite-cjs')
module.exports = { name: 'old', handler: () => polite('CommonJS') }
`,
  'tools/isolated.js': `import { writeFileSync } from 'node:fs'
import { polite } from 'polite-esm'
export default [
  { name: 'isolated', isolate: true, handler: () => polite('isolation') },
  { name: 'write', handler: () => { try { writeFileSync('/opt/toolrack/dist/x', ''); return 'written' } catch ({ code }) { return code } } },
]
`,
}

const text = async (at: Container, name: string, args: object = {}): Promise<string> =>
  (await callTool(at, name, args)).result.content[0].text

for (const [name, create, skip] of PLACES) {
  t.test(`in ${name}`, { skip, timeout: 300_000 }, async t => {
    const image = await buildImage(makePlace(t, create))

    t.test('the image has no tools, and says to its engine that it waits for some', async t => {
      const container = await runContainer(t, image)

      t.strictSame(await toolNames(container), [])
      t.match(await container.ready(), { status: 503, body: { degraded: [/it has no file of a tool/] } })
      t.equal(await container.checkHealth(), 1)
      t.equal(image.user, 'node')
      t.equal(await container.stop(), 0)
    })

    t.test('with SAMPLES=true it serves the tools that ship, is ready, and traces if it is told to', async t => {
      const container = await runContainer(t, image, { SAMPLES: 'true', OTEL_TRACES_EXPORTER: 'console' })
      t.match(await callTool(container, 'calculate_sum', { a: 2, b: 3 }), { result: { structuredContent: { sum: 5 } } })
      t.equal((await container.ready()).status, 200)
      t.equal(await container.stop(), 0)
      t.ok(
        container.lines.some(line => line.includes('traceId')),
        'the SDK printed a span',
      )
    })

    t.test('FROM the image, with a project and its dependencies', async t => {
      const registry = await serveRegistry(t)
      const project = tempFolder(t, PROJECT, 'project')
      registry.lock(project.path)
      const derived = await buildFrom(image, `${withRegistry(DOCKERFILE, registry.url)}COPY src/ src/\n`, project.path)
      const container = await runContainer(t, derived)

      t.strictSame(await toolNames(container), ['isolated', 'old', 'price', 'write'])
      t.equal(await text(container, 'price', { sku: 'tea' }), 'tea, please')
      t.match(await callTool(container, 'price', { sku: '' }), {
        result: { isError: true, content: [{ text: 'There is no product without a name.' }] },
      })
      t.equal(await text(container, 'old'), 'CommonJS, please')
      t.equal(await text(container, 'isolated'), 'isolation, please')
      if (create === chroot) t.equal(await text(container, 'write'), 'EROFS')
      const { code, output } = await container.exec('toolrack', 'check')
      t.equal(code, 0, output)
      t.equal((await container.ready()).status, 200)
      t.equal(await container.checkHealth(), 0)
    })

    t.test('a mounted folder with its own node_modules, beside that of the image', async t => {
      const mounted = '/app/mounted'
      writeFiles(join(image.place.root, mounted), {
        'package.json': '{ "name": "mounted", "type": "module" }',
        'node_modules/own/package.json': '{ "name": "own", "version": "1.0.0", "type": "module", "main": "index.js" }',
        'node_modules/own/index.js': `export const own = 'of its own'`,
        'mounted.ts': `import { own } from 'own'
import { defineTool } from 'toolrack'
export default defineTool({ name: 'mounted', handler: (): string => own })
`,
      })
      const container = await runContainer(t, image, { TOOLS_DIR: `/app/tools,${mounted}` })

      t.equal(await text(container, 'mounted'), 'of its own')
    })

    t.test('a secret as a file, which no environment has', async t => {
      const secrets = join(image.place.root, 'run/secrets')
      writeFiles(secrets, { jwt_secret: `${'s'.repeat(40)}\n` })
      const container = await runContainer(t, image, {
        SAMPLES: 'true',
        ALLOW_ANONYMOUS: 'false',
        JWT_SECRET_FILE: '/run/secrets/jwt_secret',
      })
      const { output: token } = await container.exec('toolrack', 'token', '--raw', '--sub', 'ada')
      const headers = { authorization: `Bearer ${token.trim()}` }

      t.equal((await ask(container, 'tools/list', {}, {})).status, 401)
      t.equal((await ask(container, 'tools/list', {}, { headers })).status, 200)
    })

    t.test('a ConfigMap, and its update', async t => {
      const volume = configMapVolume(join(image.place.root, 'app/config-map'), {
        'hello.js': source('hello', { answer: 'before' }),
      })
      const container = await runContainer(t, image, { TOOLS_DIR: '/app/config-map', WATCH_TOOLS: 'true' })
      t.equal(await text(container, 'hello'), 'before')

      volume.update({ 'hello.js': source('hello', { answer: 'after' }), 'more.js': source('more') })

      await until(async () => (await text(container, 'hello')) === 'after', 'the update is served')
      t.strictSame(await toolNames(container), ['hello', 'more'])
    })
  })
}

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** npm asks the registry of the test, as it would ask that of a company. */
const withRegistry = (dockerfile: string, url: string) =>
  dockerfile.replace('FROM toolrack\n', `FROM toolrack\nENV npm_config_registry=${url}\n`)
