// The server of bench/sessions.ts, in a process of its own that reports its memory on request:
// `node --expose-gc bench/session-server.ts`.
import { readdirSync } from 'node:fs'
import { createServer, defineTool, Type } from 'toolrack'

export interface Held {
  readonly heap: number
  readonly rss: number
  /** Open file descriptors; NaN if there is no /proc. */
  readonly descriptors: number
}

const echo = defineTool({
  name: 'echo',
  inputSchema: Type.Object({ message: Type.String() }),
  handler: ({ message }) => message,
})
const steps = defineTool({
  name: 'steps',
  handler(_args, { progress }) {
    progress(1, 2)
    progress(2, 2)
    return 'done'
  },
})

const app = await createServer({
  tools: [echo, steps],
  logLevel: 'silent',
  rateLimit: { max: 1e9 },
  sessions: { ttlMs: Number(process.env['SESSION_TTL_MS'] ?? 3_600_000) },
})

process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  process.send?.({ heap, rss, descriptors: descriptors() } satisfies Held)
})

function descriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return Number.NaN
  }
}

process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
