// Whether this Node can run the programs. Older Nodes parse this file, so keep its syntax simple.

/** Equals `engines` in package.json. */
export const MIN_NODE = '22.19'

/** @returns undefined if the version is supported */
export function explainUnsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = MIN_NODE.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined
  return `toolrack needs Node ${MIN_NODE} or newer, and this is ${version}: install one from https://nodejs.org`
}

/** Runs the program, or says in one line that this Node is too old and sets exit code 1. */
export function runIfSupported(run: () => Promise<void>): void {
  const fault = explainUnsupportedNode(process.versions.node)
  if (fault === undefined) void run()
  else {
    process.stderr.write(`${fault}\n`)
    process.exitCode = 1
  }
}
