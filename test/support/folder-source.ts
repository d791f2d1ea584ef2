// The source of tools folders without a server: what it serves is in a catalog.
import { PACKAGE_ENTRIES } from '../../src/package-entries.ts'
import { Catalog } from '../../src/registry/catalog.ts'
import { ChangeEmitter } from '../../src/registry/changes.ts'
import { FolderSource, type FolderSourceOptions } from '../../src/registry/folder/folder-source.ts'
import { Hooks } from '../../src/registry/hooks.ts'
import { Sources } from '../../src/registry/sources.ts'
import type { Log } from '../../src/request/exchange.ts'

export function folderSource(paths: readonly string[], log: Log, options: Partial<FolderSourceOptions> = {}) {
  const catalog = new Catalog(new ChangeEmitter())
  const hooks = new Hooks({}, { log, explain: String })
  const source = new FolderSource(paths, { catalog, log, hooks, packageEntries: PACKAGE_ENTRIES, ...options })
  const target = new Sources(catalog, log, { explain: String, openFolder: () => source }).open(source.name)
  let hasStarted = false
  const load = () => {
    if (hasStarted) return source.load()
    hasStarted = true
    return source.start(target)
  }
  return { source, catalog, load, served: () => catalog.tools.all().map(({ key }) => key) }
}
