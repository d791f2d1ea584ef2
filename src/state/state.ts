// Everything that is remembered between requests, in the process or shared by replicas: one of each kind.
import type { Events } from './events.ts'
import type { Limits } from './limits.ts'
import type { SharedVersions } from './list-versions.ts'
import type { Peers } from './peers.ts'
import type { Sessions } from './sessions.ts'
import type { Spent } from './spent.ts'
import type { TaskQueue, TaskStore } from './tasks.ts'

/** What is not known is left out. */
export interface Census {
  readonly sessions?: number
  /** By status. */
  readonly tasks: Readonly<Record<string, number>>
  readonly queue: Readonly<Partial<Record<'running' | 'waiting', number>>>
}

export interface StateBounds {
  readonly sessionTtlMs: number
  readonly maxConcurrentCalls: number
}

export interface State {
  readonly sessions: Sessions
  readonly events: Events
  /** Of requests per client. */
  readonly requestLimits: Limits
  /** Of calls per client and tool. */
  readonly toolLimits: Limits
  readonly spent: Spent
  readonly tasks: TaskStore
  readonly taskQueue: TaskQueue
  readonly peers: Peers
  readonly versions: SharedVersions
  /** Called with the secret that replicas share where none is set, and those before it, when it is known or changes. */
  onSharedSecret(listener: (secret: string, former: readonly string[]) => void): void
  /** Most that are kept of each. */
  readonly bounds: Readonly<Record<'sessions' | 'tasks', number>>
  /** How much is kept, as far as that can be told: it is looked at every few seconds. */
  census(): Promise<Census>
  /** What does not work now, in words; empty where all does. */
  degraded(): readonly string[]
  close(): Promise<void>
}
