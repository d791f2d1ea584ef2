// Runs before `npm start` in a clone: builds the console if it is older than its sources, and makes
// `npx toolrack` work. The server itself runs from its sources.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { isUpToDate } from './up-to-date.ts'

const CONSOLE = 'dist/console/index.html'
const CONSOLE_SOURCES = ['packages/console/{app,src}/**', 'packages/json-schema/src/*.ts', 'scripts/build-console.ts']
/** The program of package.json, which npx runs. */
const PROGRAM = 'dist/src/server.js'

if (!isUpToDate(CONSOLE, CONSOLE_SOURCES)) {
  try {
    const { buildConsole } = await import('./build-console.ts')
    await buildConsole()
  } catch (error) {
    // Without its development packages, a clone serves everything else.
    process.stderr.write(`The console could not be built: ${(error as Error).message}\n`)
  }
}
if (!existsSync(PROGRAM)) {
  mkdirSync('dist/src', { recursive: true })
  writeFileSync(
    PROGRAM,
    `#!/usr/bin/env node\n// Until npm run build makes the real one.\nimport '../../src/server.ts'\n`,
    {
      mode: 0o755,
    },
  )
}
