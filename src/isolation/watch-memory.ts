// Watches the memory of a thread while a handler runs in it. V8's own limit is no help: for many shapes of allocation,
// such as one growing array, reaching it ends the whole process. https://github.com/nodejs/node/issues/47224
import type { Worker } from 'node:worker_threads'

/** JavaScript heap and buffers of a thread. */
export const MAX_MEMORY_MB = 256
/** V8's limit: far enough above that the watch comes first. */
export const HEAP_LIMIT_MB = 2048
/** A tight loop fills some 10 MiB in this time. */
const POLL_MS = 25

/** Calls `onExcess` once the thread holds too much. @returns how to stop */
export function watchMemory(thread: Worker, onExcess: () => void): () => void {
  let isAsking = false
  const timer = setInterval(async () => {
    if (isAsking) return
    isAsking = true
    const bytes = await memoryOf(thread)
    isAsking = false
    if (bytes <= MAX_MEMORY_MB * 1024 * 1024) return
    clearInterval(timer)
    onExcess()
  }, POLL_MS)
  return () => clearInterval(timer)
}

// A thread that has ended holds nothing.
async function memoryOf(thread: Worker): Promise<number> {
  try {
    const { total_heap_size, external_memory } = await thread.getHeapStatistics()
    return total_heap_size + external_memory
  } catch {
    return 0
  }
}
