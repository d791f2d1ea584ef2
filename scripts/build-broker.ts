// Makes packages/broker/dist/: the broker as one file, beside which its image has its libraries alone.
import { readFileSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const FOLDER = 'packages/broker'

const { dependencies } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8'))

rmSync(`${FOLDER}/dist`, { recursive: true, force: true })
await build({
  entryPoints: [`${FOLDER}/src/server.ts`],
  outfile: `${FOLDER}/dist/server.js`,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  logLevel: 'warning',
  external: Object.keys(dependencies).flatMap(name => [name, `${name}/*`]),
})
