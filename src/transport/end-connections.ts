// What a server that closes does with its connections: those on which nothing was asked end at once, since nobody
// waits for an answer there; the others have a moment to read theirs. Without it one silent socket blocks the close.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long the last answers may take to reach their readers, ms. */
const FLUSH_MS = 2000

/** Follows the connections of a server. @returns what ends them, once all requests have been answered */
export function endConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    setTimeout(() => server.closeAllConnections(), FLUSH_MS).unref()
  }
}
