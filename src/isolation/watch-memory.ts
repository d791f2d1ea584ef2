// Watches the memory of a thread while a handler runs in it. V8's own limit is no help: for many shapes of allocation,
// such as one growing array, reaching it ends the whole process. https://github.com/nodejs/node/issues/47224
import type { Worker } from 'node:worker_threads'

/** JavaScript heap and buffers of a thread, without garbage. */
export const MAX_MEMORY_MB = 256
/** With garbage: V8 lets it lie while there is room. */
const MAX_WITH_GARBAGE_MB = 2 * MAX_MEMORY_MB
/** V8's limit: far enough above that the watch comes first. */
export const HEAP_LIMIT_MB = 2048
/** A tight loop fills some 10 MiB in this time. */
const POLL_MS = 25
/** Readings in a row that are too high before what is held counts as in use. */
const MAX_HIGH_READINGS = 20

const MIB = 1024 * 1024

export interface MemoryWatch {
  /** The thread holds much, which may be garbage: it should collect, if it can. */
  onHigh(): void
  /** It holds too much. */
  onExcess(): void
}

/** @returns how to stop */
export function watchMemory(thread: Worker, { onHigh, onExcess }: MemoryWatch): () => void {
  let isAsking = false
  let highReadings = 0
  const timer = setInterval(async () => {
    if (isAsking) return
    isAsking = true
    const bytes = await memoryOf(thread)
    isAsking = false
    highReadings = bytes > MAX_MEMORY_MB * MIB ? highReadings + 1 : 0
    if (highReadings === 1) onHigh()
    if (highReadings < MAX_HIGH_READINGS && bytes <= MAX_WITH_GARBAGE_MB * MIB) return
    clearInterval(timer)
    onExcess()
  }, POLL_MS)
  return () => clearInterval(timer)
}

// What is used, not what V8 has reserved; a thread that has ended holds nothing.
async function memoryOf(thread: Worker): Promise<number> {
  try {
    const { used_heap_size, external_memory } = await thread.getHeapStatistics()
    return used_heap_size + external_memory
  } catch {
    return 0
  }
}
