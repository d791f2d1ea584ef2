// What a request may change of its session. Spec 2025-11-25: server/utilities/logging and server/resources.
import { McpError } from '../protocol/errors.ts'
import type { LogLevel } from '../protocol/schemas/common.ts'
import type { SessionControl } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Session } from '../state/sessions.ts'
import type { SessionRegistry } from './session-registry.ts'

/** Resources that one session may watch. */
export const MAX_SUBSCRIPTIONS_PER_SESSION = 100

export class SessionHandle implements SessionControl {
  readonly #sessions: SessionRegistry
  readonly #session: Session

  constructor(sessions: SessionRegistry, session: Session) {
    this.#sessions = sessions
    this.#session = session
  }

  get id(): string {
    return this.#session.id
  }

  setLogLevel(level: LogLevel): MaybePromise<void> {
    this.#session.logLevel = level
    return this.#sessions.save(this.#session)
  }

  subscribe(uri: string): MaybePromise<void> {
    const subscriptions = (this.#session.subscriptions ??= new Map())
    if (subscriptions.has(uri)) return
    if (subscriptions.size >= MAX_SUBSCRIPTIONS_PER_SESSION) {
      throw new McpError(
        'BUSY',
        `a session watches at most ${MAX_SUBSCRIPTIONS_PER_SESSION} resources; unsubscribe from some`,
      )
    }
    subscriptions.set(uri, false)
    this.#sessions.getOrCreate(this.#session)
    return this.#sessions.save(this.#session)
  }

  unsubscribe(uri: string): MaybePromise<void> {
    if (!this.#session.subscriptions?.delete(uri)) return
    this.#sessions.releaseIfIdle(this.#session)
    return this.#sessions.save(this.#session)
  }
}
