// Garbage of a thread, collected before V8 sees a need: what lies about of one call must not count for the next.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MAX_MEMORY_MB } from './watch-memory.ts'

let gc: (() => void) | undefined

export function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc')
    // Only contexts that are made from now on have it, so handlers do not see it.
    gc = runInNewContext('gc') as () => void
    setFlagsFromString('--no-expose-gc')
  }
  gc()
}

/** Collects where a thread holds half of what a call may use. */
export function collectBeforeCall(): void {
  const { used_heap_size, external_memory } = getHeapStatistics()
  if (used_heap_size + external_memory > (MAX_MEMORY_MB / 2) * 1024 * 1024) collectGarbage()
}
