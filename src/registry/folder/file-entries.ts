// What one version of a tool file serves, as its `setup` may change it.
import type { CatalogEntry, Definition } from '../catalog.ts'
import type { ChangeNow, FileEntries } from './file-server.ts'
import type { ServedFiles, VersionEntries } from './served-files.ts'

interface FileEntriesParts {
  readonly served: Pick<ServedFiles, 'setOfVersion'>
  /** Undefined once the version is over. */
  find(): VersionEntries | undefined
  build(definition: Definition): CatalogEntry
  /** Changes what is served now. */
  readonly change: ChangeNow
}

/** Before the version is served, changes wait until it is. */
export function createFileEntries(file: string, { served, find, build, change }: FileEntriesParts): FileEntries {
  return {
    list: () => find()?.entries ?? [],
    build,
    change(removed, put) {
      const found = find()!
      const rest = found.entries.filter(each => !removed.includes(each))
      served.setOfVersion(file, found, [...rest, ...put])
      if (found.isServed) change(removed, put)
    },
  }
}
