// The interface of all state that outlives a request: one store of each kind, in this process
// or shared by replicas.
import type { EventStore } from './events.ts'
import type { FileStore } from './files.ts'
import type { KeptResults } from './kept-results.ts'
import type { Limits } from './limits.ts'
import type { SharedVersions } from './list-versions.ts'
import type { ReplicaChannel } from './replicas.ts'
import type { SessionStore } from './sessions.ts'
import type { TaskQueue, TaskStore } from './tasks.ts'

/** Remembers the ids of single-use tokens, for as long as each token is valid. */
export interface UsedTokens {
  /**
   * Returns true for the first use of an id, and false for every later one.
   *
   * @param expiresAtMs Unix time in ms, after which the store may forget the id
   */
  consumeOnce(id: string, expiresAtMs: number): boolean | Promise<boolean>
  /** Lets an id be used once more: its use has come to nothing. */
  release(id: string): void | Promise<void>
}

/** Counts for metrics; a count that is not known is left out. */
export interface StateStats {
  readonly sessions?: number
  /** By task status. */
  readonly tasks: Readonly<Record<string, number>>
  readonly queue: Readonly<Partial<Record<'running' | 'waiting', number>>>
}

export interface StateBounds {
  readonly sessionTtlMs: number
  readonly maxConcurrentCalls: number
}

export interface State {
  readonly sessions: SessionStore
  readonly events: EventStore
  /** Limits requests per client. */
  readonly requestLimits: Limits
  /** Limits calls per client and tool. */
  readonly toolLimits: Limits
  readonly usedTokens: UsedTokens
  /** Large files that tools returned. */
  readonly files: FileStore
  /** Results of calls with an idempotency key. */
  readonly keptResults: KeptResults
  readonly tasks: TaskStore
  readonly taskQueue: TaskQueue
  readonly replicas: ReplicaChannel
  readonly versions: SharedVersions
  /** Calls `listener` with the shared secret and the former ones, at first and at each change. */
  onSharedSecret(listener: (secret: string, former: readonly string[]) => void): void
  /** Uses the user and password of this URL from now on. @throws Error if it names another server */
  setCredentials?(url: string): void
  /** The largest number that is kept of each. */
  readonly bounds: Readonly<Record<'sessions' | 'tasks', number>>
  /** Counts what is kept, as far as the store can tell. Called every few seconds. */
  stats(): Promise<StateStats>
  /** Describes what does not work now; empty if everything works. */
  degraded(): readonly string[]
  close(): Promise<void>
}
