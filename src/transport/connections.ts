// When the client has left: its connection closed before the answer was written. The only maker of
// that cancellation, but for waits that have given up their place (src/tasks/listeners.ts). Spec
// 2026-07-28: basic/patterns/cancellation, "Transport-Specific Cancellation".
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Cancellation } from '../request/cancellation.ts'

export function cancelOnDisconnect(response: ServerResponse, cancellation: Cancellation): void {
  if (response.destroyed && !response.writableEnded) cancellation.cancel('client-left')
  // Not `request.signal`, which ends with the body; not `writableFinished`, which lags under
  // inject.
  response.on('close', () => {
    if (!response.writableEnded) cancellation.cancel('client-left')
  })
}

// What a server that closes does with its connections: those on which nothing was asked end at
// once, since nobody waits for an answer there; the others have a moment to read theirs. Without it
// one silent socket blocks the close.

/** How long the last answers may take to reach their readers, ms. */
const ANSWER_FLUSH_MS = 2000

/**
 * Follows the connections of a server.
 *
 * @returns what ends them, once all requests have been answered
 */
export function trackConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    setTimeout(() => server.closeAllConnections(), ANSWER_FLUSH_MS).unref()
  }
}
