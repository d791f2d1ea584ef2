// Builds the server and tap before tests, unless nothing has changed since that was last done.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isUpToDate } from './up-to-date.ts'

/** In node_modules, where tap builds, too: whoever removes one build removes the other. */
const STAMP = 'node_modules/.cache/toolrack/prepared'
/** Only a build makes it. */
const BUILT = 'dist/src/index.js'
/** With the folders: the time of a folder changes when a file in it is added or removed. */
const SOURCES = ['{packages,plugins,routes,scripts,src,tools}/**', '{package,package-lock,tsconfig*}.json']
/** The build writes a copy of the sample database into it. */
const IS_WRITTEN = /^tools\/_database(?:\/[^/]*\.tar\.zst)?$/

if (!existsSync(BUILT) || !isUpToDate(STAMP, SOURCES, path => IS_WRITTEN.test(path))) {
  const begun = new Date()
  rmSync(STAMP, { force: true })
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  execFileSync('tap', ['build'], { stdio: 'inherit' })
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, '')
  // A source that changed during the build is newer than this, so the next run builds it.
  utimesSync(STAMP, begun, begun)
}
