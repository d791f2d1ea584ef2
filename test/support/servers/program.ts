// The server as it is published: dist/ starts in half the time of src/. What starts src/server.ts, as `npm start` does, is
// in processes/command.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

const PROGRAM = resolve('dist/src/server.js')
/** In a clone that was only started, the program runs the sources. */
const BUILT = 'dist/src/index.js'
const SOURCES = [
  '{src,packages/*/src}/**/*.ts',
  'packages/toolrack/*.ts',
  'plugins/*.ts',
  'routes/*.ts',
  'tools/{*,*/*}.ts',
  'package.json',
]

/**
 * The path of the built server. `npm test` and `npm run test:slow` build it before they start; a file that is run alone
 * builds it here, if it is not there or older than its sources.
 */
export function serverProgram(): string {
  if (!isFresh()) {
    // Of several that build at once each takes away what another is about to start.
    if (process.env['TAP'] === '1') throw new Error('dist/ is older than its sources: npm run build')
    execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  }
  return PROGRAM
}

function isFresh(): boolean {
  if (!existsSync(BUILT)) return false
  const builtMs = statSync(BUILT).mtimeMs
  return globSync(SOURCES).every(file => statSync(file).mtimeMs < builtMs)
}
