// The usage of a store, in total or of one client. Triggers of the schema count it.
import type { StateFile } from './file.ts'

/** A kind that ends in `*` counts all clients together. */
export type UsageKind =
  | 'sessions*'
  | 'streams*'
  | 'used tokens*'
  | 'files'
  | 'files*'
  | 'kept results'
  | 'kept results*'

export interface Usage {
  readonly count: number
  readonly bytes: number
}

export function readUsage(file: StateFile, kind: UsageKind, client = ''): Usage {
  const row = file.get('SELECT count, bytes FROM usage WHERE kind = ? AND client = ?', kind, client)
  return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
}
