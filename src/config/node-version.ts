// Whether this Node can run the server. Read by Nodes that cannot, so it is written for them.

/** As `engines` of package.json says. */
export const MIN_NODE = '22.19'

/** What to tell the operator, in one line; undefined if it can. */
export function explainUnsupportedNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = MIN_NODE.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined
  return `toolrack needs Node ${MIN_NODE} or newer, and this is ${version}: install one from https://nodejs.org`
}
