// Builds the server and tap before tests, unless nothing has changed since that was last done.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Goes with node_modules, where tap builds, too. */
const STAMP = 'node_modules/.cache/toolrack/prepared'
const PROGRAM = 'dist/src/server.js'
/** Folders count: theirs is the time at which a file in them was added or taken away. */
const SOURCES = ['{console,plugins,routes,scripts,src,tools}/**', '{package,package-lock,tsconfig*}.json']
const INSTALLED = 'node_modules/.package-lock.json'
/** The build writes a copy of the sample database into it. */
const IS_WRITTEN = /^tools\/_database(?:\/[^/]*\.tar\.zst)?$/

function isPrepared(): boolean {
  if (!existsSync(STAMP) || !existsSync(PROGRAM)) return false
  const preparedMs = statSync(STAMP).mtimeMs
  const sources = globSync(SOURCES, { exclude: ['**/node_modules/**'] }).filter(path => !IS_WRITTEN.test(path))
  return [...sources, INSTALLED].every(path => statSync(path).mtimeMs < preparedMs)
}

if (!isPrepared()) {
  const begun = new Date()
  rmSync(STAMP, { force: true })
  for (const [command, ...args] of [
    ['npm', 'run', '--silent', 'build'],
    ['tap', 'build'],
  ] as const) {
    execFileSync(command, args, { stdio: 'inherit' })
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, '')
  // What has changed while it was built is built the next time.
  utimesSync(STAMP, begun, begun)
}
