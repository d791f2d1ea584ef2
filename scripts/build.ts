// Makes dist/: JavaScript in few files, so that a cold start opens few, and the declarations.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type standaloneCode from 'ajv/dist/standalone/index.js'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { type Dialect, META_SCHEMAS } from '../src/schema/dialect.ts'
import { metaEngine } from '../src/schema/meta-schema.ts'
import { buildSampleCopy } from './sample-copy.ts'

// These packages have hundreds of small modules, which took longer to load than all of Fastify.
// All other packages stay external.
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
    onLoad({ filter: /[\\/]src[\\/]schema[\\/]meta-schema\.ts$/ }, () => ({
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

const COMMON: BuildOptions = {
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  logLevel: 'warning',
}

rmSync('dist', { recursive: true, force: true })
await build({
  ...COMMON,
  entryPoints: ['src/index.ts', 'src/testing/index.ts', 'src/server.ts', 'src/execution/worker/entry.ts'],
  bundle: true,
  splitting: true,
  chunkNames: 'src/[name]-[hash]',
  external: external.flatMap(name => [name, `${name}/*`]),
  plugins: [precompiled],
  // Bundled packages are CommonJS and call `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)",
  },
})

compile('tsconfig.build.json')
// Each tool stays a file of its own. The TypeScript compiler, unlike esbuild, rewrites import paths
// to `.js`.
compile('tsconfig.tools.json')
await buildSampleCopy()

function compile(project: string): void {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
