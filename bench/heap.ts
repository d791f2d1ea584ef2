// How much memory is held, for measurements of memory that is never let go.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Bytes of the heap, when what is not needed is gone. */
export async function heap(): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 20))
  gc()
  gc()
  return process.memoryUsage().heapUsed
}
