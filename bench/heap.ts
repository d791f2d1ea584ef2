// Measures the heap after garbage collection, to find memory that is never freed.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Bytes of the heap after garbage collection. */
export async function heap(): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 20))
  gc()
  gc()
  return process.memoryUsage().heapUsed
}
