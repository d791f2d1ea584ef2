// Source maps with our sources in them, so that the stack of an error points into the sources with
// `node --enable-source-maps`, without a second copy of them in the package.
import { globSync, readFileSync, writeFileSync } from 'node:fs'

interface SourceMap {
  readonly sources: readonly string[]
  sourcesContent?: (string | null)[]
}

/** Bundled packages, which are half of all and on npm; `meta-schema:…` is what the build makes. */
const IS_FOREIGN = /node_modules\/|:/

/** Leaves out all sources but our own. */
export function dropForeignSources(pattern: string): void {
  for (const file of globSync(pattern)) {
    const map = JSON.parse(readFileSync(file, 'utf8')) as SourceMap
    map.sourcesContent = map.sourcesContent?.map((text, index) =>
      IS_FOREIGN.test(map.sources[index] ?? '') ? null : text,
    )
    writeFileSync(file, JSON.stringify(map))
  }
}
