// Runs before `npm start` and reports in one line if Node is too old. Node itself would only report
// that it cannot read TypeScript.
import { readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [major, minor] = process.versions.node.split('.').map(Number)
const [leastMajor, leastMinor] = engines.node.replace('>=', '').split('.').map(Number)
if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  console.error(
    `toolrack needs Node ${leastMajor}.${leastMinor} or newer, and this is ${process.versions.node}; ` +
      'npm install brings one, unless it is told to run no scripts',
  )
  process.exitCode = 1
}
