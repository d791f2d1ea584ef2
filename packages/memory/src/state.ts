// The state of one process: every store in memory. It ends with the process.
import { localVersions, MemoryLimits, noReplicas, type SecretStore, type State } from 'toolrack/stores'
import { MemoryEvents } from './events.ts'
import { MemoryFiles } from './files.ts'
import { MemoryKeptResults } from './kept-results.ts'
import { MemorySessions } from './sessions.ts'
import { MemoryTaskQueue } from './task-queue.ts'
import { MemoryTasks } from './tasks.ts'
import { MemoryUsedTokens } from './used-tokens.ts'

/** Each process has a random secret of its own. */
const noSecret: SecretStore = Object.freeze({ follow: () => {} })

export interface MemoryOptions {
  /** The clock of the tools' rate limits, ms; it never steps back. @internal */
  readonly now?: (() => number) | undefined
}

/** All stores in memory. Replace some in a copy: `{ ...memory(), tasks }`. */
export const memory = (options: MemoryOptions = {}): State => ({
  sessions: new MemorySessions(),
  events: new MemoryEvents(),
  requestLimits: new MemoryLimits(),
  toolLimits: new MemoryLimits(options.now),
  usedTokens: new MemoryUsedTokens(),
  files: new MemoryFiles(),
  keptResults: new MemoryKeptResults(),
  tasks: new MemoryTasks(),
  taskQueue: new MemoryTaskQueue(),
  replicas: noReplicas,
  versions: localVersions,
  secret: noSecret,
})
