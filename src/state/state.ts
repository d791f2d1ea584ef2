// Everything that outlives a request: one store of each kind. Each can be replaced alone, by a spread.
import type { Log } from '../request/exchange.ts'
import { toReason } from '../text/logged-error.ts'
import type { EventStore } from './events.ts'
import type { FileStore } from './files.ts'
import type { KeptResults } from './kept-results.ts'
import type { Limits } from './limits.ts'
import type { SharedVersions } from './list-versions.ts'
import type { ReplicaChannel } from './replicas.ts'
import type { SecretStore } from './secret.ts'
import type { SessionStore } from './sessions.ts'
import { type Backend, getBackend, type Store, type StoreContext } from './store.ts'
import type { TaskQueue } from './task-queue.ts'
import type { TaskStore } from './tasks.ts'
import type { UsedTokens } from './used-tokens.ts'

/**
 * All stores of a server.
 * A state serves one server: its stores are started and closed with it.
 */
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
  readonly secret: SecretStore
}

/** The backends of the stores, each once: stores of two databases may be mixed. */
export const getBackends = (state: State): readonly Backend[] => [
  ...new Set(Object.values(state as unknown as Record<string, Store>).map(getBackend)),
]

/**
 * Starts each backend of a state once; if one fails, closes those that have started.
 * @throws the error of a backend at its start; the backends that had started are closed again then
 */
export async function startState(state: State, context: StoreContext): Promise<void> {
  const started: Backend[] = []
  try {
    for (const backend of getBackends(state)) {
      await backend.start?.(context)
      started.push(backend)
    }
  } catch (error) {
    await closeAll(started, context.log)
    throw error
  }
}

/** Closes each backend of a state once. */
export const closeState = (state: State, log: Log): Promise<void> => closeAll(getBackends(state), log)

/** The problems that exist now; empty if everything works. */
export const findStateProblems = (state: State): readonly string[] =>
  getBackends(state).flatMap(backend => backend.problems?.() ?? [])

/** Closes all of them, even if one fails to close. */
async function closeAll(backends: readonly Backend[], log: Log): Promise<void> {
  const closings = await Promise.allSettled(backends.map(async backend => backend.close?.()))
  for (const closing of closings)
    if (closing.status === 'rejected') log.error({ reason: toReason(closing.reason) }, 'could not close a store')
}
