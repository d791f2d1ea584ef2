// Before `npm start`: says in one line that this Node is too old, where Node itself would only fail to read TypeScript.
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
