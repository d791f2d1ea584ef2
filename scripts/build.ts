// Makes dist/: JavaScript in few files, so that a cold start opens few, and the declarations.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type standaloneCode from 'ajv/dist/standalone/index.js'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import { SCRIPT, STYLE } from '../packages/console/src/page/assets.ts'
import { type Dialect, META_SCHEMAS } from '../packages/json-schema/src/dialect.ts'
import { metaEngine } from '../packages/json-schema/src/meta-schema.ts'
import { buildConsole } from './build-console.ts'
import { buildTools } from './build-tools.ts'
import { dropUnusedDeclarations, resolveOwnImports } from './declarations.ts'
import { findBundled, writeLicences } from './licences.ts'
import { buildSampleCopy } from './sample-copy.ts'
import { writeSboms } from './sbom.ts'
import { dropForeignSources } from './source-maps.ts'

// TypeBox has hundreds of small modules, which took longer to load than all of Fastify; its types
// are those of the package that is installed. Other dependencies stay external. What is bundled too
// is among `devDependencies`: packages that install ten times what is used of them.
const BUNDLED = new Set(['@sinclair/typebox'])

const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as { default: typeof standaloneCode.default }
type Names = Record<string, string>
const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Names>
// Users install optional dependencies themselves, in the version that they want.
const external = Object.keys({ ...dependencies, ...peerDependencies }).filter(name => !BUNDLED.has(name))

/** Replaces Ajv's meta-schema module, which compiles checks at each start, by compiled ones. */
const precompiled: Plugin = {
  name: 'precompiled-meta-schemas',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^meta-schema:/ }, ({ path }) => ({ path, namespace: 'meta-schema' }))
    onLoad({ filter: /^meta-schema:/, namespace: 'meta-schema' }, ({ path }) => {
      const dialect = path.slice('meta-schema:'.length) as Dialect
      const contents = standalone.default(metaEngine(dialect), { check: META_SCHEMAS[dialect] })
      return { contents, resolveDir: import.meta.dirname }
    })
    onLoad({ filter: /[\\/]json-schema[\\/]src[\\/]meta-schema\.ts$/ }, () => ({
      contents: metaSchemaModule(),
      loader: 'js',
      resolveDir: import.meta.dirname,
    }))
  },
}

function metaSchemaModule(): string {
  const dialects = Object.keys(META_SCHEMAS) as Dialect[]
  return [
    ...dialects.map((dialect, index) => `import { check as check${index} } from 'meta-schema:${dialect}'`),
    `const checks = { ${dialects.map((dialect, index) => `'${dialect}': check${index}`).join(', ')} }`,
    'export const metaCheck = dialect => checks[dialect]',
  ].join('\n')
}

/** The page's style and script are files in a clone; here they are texts of their module. */
const pageAssets: Plugin = {
  name: 'page-assets',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]page[\\/]assets\.ts$/ }, async () => {
      const [style, script] = await Promise.all([
        transform(STYLE, { loader: 'css', minify: true }),
        transform(SCRIPT, { loader: 'js', minify: true }),
      ])
      const toText = ({ code }: { code: string }) => JSON.stringify(code.trim())
      return {
        contents: `export const STYLE = ${toText(style)}\nexport const SCRIPT = ${toText(script)}`,
        loader: 'js',
      }
    })
  },
}

/** The client of `toolrack call` has a whole Ajv in it, which packages/cli/src/client/connect.ts replaces by our validator. */
const withoutSecondAjv: Plugin = {
  name: 'without-second-ajv',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]client[\\/]dist[\\/]ajvProvider-\w+\.mjs$/ }, ({ path }) => {
      const exports = /export \{([^}]*)\};?\s*(?:\/\/.*\s*)?$/.exec(readFileSync(path, 'utf8'))![1]!
      const names = exports.split(',').map(each => each.trim().split(' as '))
      return {
        contents: `${names.map(([name]) => `class ${name} {}`).join('\n')}\nexport {${exports}}`,
        loader: 'js',
      }
    })
  },
}

/** Only @fastify/static without its wildcard needs `glob`, which is larger than all we bundle. */
const withoutGlob: Plugin = {
  name: 'without-glob',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^glob$/ }, () => ({ path: 'glob', namespace: 'without-glob' }))
    onLoad({ filter: /.*/, namespace: 'without-glob' }, () => ({
      contents: `export const glob = () => { throw new Error('glob is not bundled: @fastify/static needs it without its wildcard route') }`,
    }))
  },
}

const COMMON: BuildOptions = {
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
  // Bundled packages are CommonJS and call `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)",
  },
}

rmSync('dist', { recursive: true, force: true })
/** The files behind the exports of the package. */
const EXPORTED = [
  'src/index',
  'packages/testing/src/index',
  ...['door', 'redis', 'source', 'sqlite', 'state'].map(name => `packages/toolrack/${name}`),
]
const { metafile } = await build({
  ...COMMON,
  outdir: 'dist',
  outbase: '.',
  entryPoints: [
    ...EXPORTED.map(path => `${path}.ts`),
    'src/server.ts',
    'packages/isolation/src/entry.ts',
    'packages/isolation/src/index.ts',
    'packages/hints/src/index.ts',
  ],
  bundle: true,
  splitting: true,
  chunkNames: 'src/[name]-[hash]',
  external: external.flatMap(name => [name, `${name}/*`]),
  // Its main file finds its parts by a `require` that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [precompiled, pageAssets, withoutSecondAjv, withoutGlob],
  sourcemap: true,
  metafile: true,
})
dropForeignSources('dist/{packages,src}/**/*.js.map')
const createMetafile = await buildCreate()
compile('tsconfig.build.json')
resolveOwnImports('dist', 'packages/toolrack')
dropUnusedDeclarations(
  EXPORTED.map(path => `dist/${path}.d.ts`),
  'dist/**/*.d.ts',
)
const toolsMetafile = await buildTools(COMMON)
const { metafile: consoleMetafile } = await buildConsole()
const bundles = [metafile, consoleMetafile, toolsMetafile]
writeLicences(bundles, 'dist/LICENSES.txt')
writeSboms({ package: findBundled(bundles), image: findBundled(bundles), create: findBundled([createMetafile]) })
await buildSampleCopy()

/** `npm create toolrack` depends on nothing, so that it is quick: what it runs is in its own files. */
async function buildCreate(): Promise<Metafile> {
  const outdir = 'packages/create/dist'
  rmSync(outdir, { recursive: true, force: true })
  const entryPoints = ['packages/create/src/index.ts']
  const { metafile } = await build({ ...COMMON, outdir, entryPoints, bundle: true, splitting: true, metafile: true })
  dropUnreached(metafile, entryPoints)
  writeLicences([metafile], `${outdir}/LICENSES.txt`)
  return metafile
}

function compile(project: string): void {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** The bundler also writes what modules import that it leaves out in the end. */
function dropUnreached({ outputs }: Metafile, entryPoints: readonly string[]): void {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const { path, external } of outputs[file]?.imports ?? []) if (!external) visit(path)
  }
  for (const [file, { entryPoint = '' }] of Object.entries(outputs)) if (entryPoints.includes(entryPoint)) visit(file)
  for (const file of Object.keys(outputs).filter(each => !reached.has(each))) {
    rmSync(file)
    delete outputs[file]
  }
}
