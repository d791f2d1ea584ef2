// The server of bench/tasks.ts, in a process of its own that reports on request:
// `node --expose-gc bench/task-server.ts`. It counts the side effects of each task, so that a task
// that is lost or runs twice shows, and its memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, defineTool, Type } from 'toolrack'

export interface Report {
  readonly heap: number
  readonly rss: number
  /** How often the work of each number was started and finished. */
  readonly begun: readonly (readonly [number, number])[]
  readonly done: readonly (readonly [number, number])[]
}

const ledger = { begun: new Map<number, number>(), done: new Map<number, number>() }
const count = (book: Map<number, number>, entry: number) => book.set(entry, (book.get(entry) ?? 0) + 1)

const write = defineTool({
  name: 'write',
  task: 'optional',
  timeout: 60_000,
  inputSchema: Type.Object({ entry: Type.Integer(), ms: Type.Integer(), filling: Type.String() }),
  async handler({ entry, ms, filling }, { signal, progress }) {
    count(ledger.begun, entry)
    progress(1, 2, 'Begun')
    await sleep(ms, undefined, { signal })
    count(ledger.done, entry)
    return { entry, filling }
  },
})

const app = await createServer({
  tools: [write],
  logLevel: 'silent',
  rateLimit: { max: 1e9 },
  tasks: { inlineMs: 0, ttlMs: Number(process.env['TASK_TTL_MS'] ?? 3_600_000) },
  // Half of a thousand tasks have to wait.
  limits: { maxConcurrentCalls: 500 },
})

process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  process.send?.({ heap, rss, begun: [...ledger.begun], done: [...ledger.done] } satisfies Report)
})

process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
