// When the client has left: its connection closed before the answer was written. The only maker of that cancellation,
// but for waits that have given up their place (src/tasks/waits.ts).
// Spec 2026-07-28: basic/patterns/cancellation, "Transport-Specific Cancellation".
import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../cancellation.ts'

export function followClient(response: ServerResponse, cancellation: Cancellation): void {
  // Not `request.signal`, which ends with the body; not `writableFinished`, which lags under inject.
  response.on('close', () => {
    if (!response.writableEnded) cancellation.cancel('client-left')
  })
}
