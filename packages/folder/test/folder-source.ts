// The source of tools folders without a server: what it serves is in a catalog.
import { Catalog } from '../../../src/registry/catalog.ts'
import { ChangeEmitter } from '../../../src/registry/changes.ts'
import { Sources } from '../../../src/registry/sources.ts'
import type { Log } from '../../../src/request/exchange.ts'
import { sourceHost } from '../../../test/support/source-host.ts'
import { FolderSource, type FolderSourceOptions } from '../src/folder-source.ts'

export function folderSource(paths: readonly string[], log: Log, options: Partial<FolderSourceOptions> = {}) {
  const catalog = new Catalog(new ChangeEmitter())
  const host = sourceHost({ catalog, log })
  const source = new FolderSource(paths, { ...host, ...options })
  const target = new Sources(catalog, log, { explain: String, host }).open(source.name)
  let hasStarted = false
  const load = () => {
    if (hasStarted) return source.load()
    hasStarted = true
    return source.start(target)
  }
  return { source, catalog, load, served: () => catalog.tools.all().map(({ key }) => key) }
}
