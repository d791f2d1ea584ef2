// Opens the event stream of a request that waits long for its answer, if its client names SSE. A proxy
// that sees no bytes for 30 to 60 s ends the request, and the client of a session can resume a stream
// only once it is open.
import type { NotificationSink } from './exchange.ts'
import type { Timer, Timers } from './timers.ts'

/** ms */
export const OPEN_AFTER_MS = 1000

/** @returns the timer, to be cleared with the answer; undefined if no stream can open */
export function openIfQuiet(sink: NotificationSink | undefined, timers: Timers): Timer | undefined {
  return sink?.keepAlive && timers.setTimeout(() => sink.keepAlive!(), OPEN_AFTER_MS)
}
