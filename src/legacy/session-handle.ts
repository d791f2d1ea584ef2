// What a request may change of its session. Spec 2025-11-25: server/utilities/logging and server/resources.
import type { Eventually } from '../chain.ts'
import { McpError } from '../protocol/errors.ts'
import type { LogLevel } from '../protocol/schemas/common.ts'
import type { Session, SessionControl } from '../session.ts'
import type { LiveSessions } from './live-sessions.ts'

/** Resources that one session may watch. */
export const MAX_SUBSCRIPTIONS = 100

export class SessionHandle implements SessionControl {
  readonly #sessions: LiveSessions
  readonly #session: Session

  constructor(sessions: LiveSessions, session: Session) {
    this.#sessions = sessions
    this.#session = session
  }

  get id(): string {
    return this.#session.id
  }

  setLogLevel(level: LogLevel): Eventually<void> {
    this.#session.logLevel = level
    return this.#sessions.save(this.#session)
  }

  subscribe(uri: string): Eventually<void> {
    const subscriptions = (this.#session.subscriptions ??= new Map())
    if (subscriptions.has(uri)) return
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new McpError('BUSY', `a session watches at most ${MAX_SUBSCRIPTIONS} resources; unsubscribe from some`)
    }
    subscriptions.set(uri, false)
    this.#sessions.of(this.#session)
    return this.#sessions.save(this.#session)
  }

  unsubscribe(uri: string): Eventually<void> {
    if (!this.#session.subscriptions?.delete(uri)) return
    this.#sessions.settle(this.#session)
    return this.#sessions.save(this.#session)
  }
}
