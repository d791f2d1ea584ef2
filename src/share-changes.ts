// Joins what changes here with what changes on other replicas.
import type { Changes } from './registry/changes.ts'
import type { SharedVersions } from './state/list-versions.ts'

/** To be called when all that a replica serves at its start has been registered, which is no news. */
export function shareChanges(changes: Changes, shared: SharedVersions): void {
  changes.announce(change => {
    if (change.kind === 'updated') shared.updated(change.uri)
    else shared.changed(change.kind)
  })
  shared.follow(
    () => changes.versions,
    change => {
      if (change.kind === 'updated') changes.tell(change)
      else changes.adopt(change.versions)
    },
  )
}
