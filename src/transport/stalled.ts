// A reader that takes nothing of its answer for too long is cut: until then, what waits for it is held in memory.
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** How long a reader may take nothing while something waits for it. */
export const MAX_STALL_MS = 10_000

/** Called when the answer is written. What the kernel took at once costs no timer; any progress starts the time anew. */
export function cutStalled(response: ServerResponse): void {
  const { socket } = response
  if (response.writableLength > 0 && socket instanceof Socket) socket.setTimeout(MAX_STALL_MS)
}
