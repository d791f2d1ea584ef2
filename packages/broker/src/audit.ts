// Audits sign-ins, refusals, tokens and ends: a log line for each, at any LOG_LEVEL, and a count.
// Leaves out codes, tokens and secrets.
import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from './metrics.ts'

/** The texts of the lines, by event. */
export const EVENTS = {
  client_registered: 'client registered',
  registration_refused: 'registration refused',
  authorization_refused: 'authorization refused',
  signed_in: 'signed in',
  sign_in_refused: 'sign-in refused',
  sign_in_failed: 'sign-in failed',
  tokens_given: 'tokens issued',
  tokens_refused: 'tokens refused',
  sign_in_ended: 'a sign-in has ended',
} as const

export type EventName = keyof typeof EVENTS

export interface AuditFields {
  /** The address of the request. */
  readonly address: string | undefined
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  readonly reason?: string | undefined
  readonly [more: string]: unknown
}

export class Audit {
  readonly #log: FastifyBaseLogger
  readonly #metrics: Metrics

  constructor(log: FastifyBaseLogger, metrics: Metrics) {
    this.#log = log.child({ audit: true }, { level: 'info' })
    this.#metrics = metrics
  }

  write(event: EventName, fields: AuditFields): void {
    this.#metrics.count('events', event)
    this.#log.info({ event, ...fields }, EVENTS[event])
  }
}
