// Makes dist/: JavaScript in few files, so that a cold start opens few, and the declarations beside it.
// TypeBox comes in some two hundred modules, which took longer to load than all of Fastify; it is bundled, the rest is not.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const BUNDLED = '@sinclair/typebox'

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
rmSync('dist', { recursive: true, force: true })

await build({
  entryPoints: ['src/index.ts', 'src/server.ts'],
  outdir: 'dist',
  outbase: '.',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  chunkNames: 'src/[name]-[hash]',
  external: Object.keys(dependencies)
    .filter(name => name !== BUNDLED)
    .flatMap(name => [name, `${name}/*`]),
  logLevel: 'warning',
})
// A tool is a file of its own, as its author wrote it.
await build({
  entryPoints: globSync('tools/**/*.ts'),
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node22',
})

const tsc = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (tsc.status !== 0) process.exit(tsc.status ?? 1)
