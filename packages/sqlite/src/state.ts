// The state in one file, for one process. It survives a restart and a kill. Loaded only if it is used.
import { localVersions, MemoryLimits, noReplicas, type State, type Store } from 'toolrack/stores'
import { SqliteEvents } from './events.ts'
import { StateFile, type StateFileOptions } from './file.ts'
import { SqliteFiles } from './files.ts'
import { SqliteKeptResults } from './kept-results.ts'
import { SqliteSecret } from './secret.ts'
import { SqliteSessions } from './sessions.ts'
import { SqliteTaskQueue } from './task-queue.ts'
import { SqliteTasks } from './tasks.ts'
import { SqliteUsedTokens } from './used-tokens.ts'

/**
 * All stores in one SQLite file, except the rate limits. Their windows are short, and only the
 * operator can end them by a restart.
 *
 * @throws TypeError if the path is empty, or `maxBytes` is below 1 MiB
 */
export function sqlite(options: StateFileOptions): State {
  const file = new StateFile(options)
  // So the start-up report shows one place for all. It has no other effect.
  const beside = <T extends object>(store: T): T & Store => Object.assign(store, { backend: file })
  return {
    sessions: new SqliteSessions(file),
    events: new SqliteEvents(file),
    requestLimits: beside(new MemoryLimits()),
    toolLimits: beside(new MemoryLimits()),
    usedTokens: new SqliteUsedTokens(file),
    files: new SqliteFiles(file),
    keptResults: new SqliteKeptResults(file),
    tasks: new SqliteTasks(file),
    taskQueue: new SqliteTaskQueue(file),
    replicas: beside({ ...noReplicas }),
    versions: beside({ ...localVersions }),
    secret: new SqliteSecret(file),
  }
}
