// Loads `node:sqlite`, without the warning that Node prints for it on every start.
import type { DatabaseSync } from 'node:sqlite'

export type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

interface SqliteModule {
  readonly DatabaseSync: typeof DatabaseSync
}

// Node 22 and 24 call the module experimental; the part used here has been stable since 22.16. The
// module is loaded at once, so no other warning can come in between.
export function loadSqlite(): SqliteModule {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
