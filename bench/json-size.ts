// Compares the heap that JSON takes with the server's estimate. Fails above 1.1 times the estimate.
//   node bench/json-size.ts
import { countJsonBytes } from '../src/protocol/json-size.ts'
import { heap } from './heap.ts'

const COPIES = 40
const BOUND = 1.1

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

const shapes: Record<string, string> = {
  'empty objects': JSON.stringify(times(10_000, () => ({}))),
  'empty lists': JSON.stringify(times(10_000, () => [])),
  'objects of one member': JSON.stringify(times(5000, n => ({ a: n }))),
  'members of other names each': JSON.stringify(Object.fromEntries(times(10_000, n => [`name-${n}`, n]))),
  'objects of other names each': JSON.stringify(times(5000, n => ({ [`name-${n}`]: 1 }))),
  numbers: JSON.stringify(times(10_000, n => n)),
  fractions: JSON.stringify(times(10_000, n => n + 0.5)),
  'short texts': JSON.stringify(times(10_000, n => `t${n}`)),
  'a long text': JSON.stringify(['x'.repeat(100_000)]),
  'a long text of wide characters': JSON.stringify(['漢'.repeat(50_000)]),
  nested: JSON.stringify(times(150, () => JSON.parse('['.repeat(60) + ']'.repeat(60)))),
}

/** A function, so that nothing is left of the shape before. */
async function measure(json: string): Promise<number> {
  const before = await heap()
  const kept = times(COPIES, n => JSON.parse(`{"n":${n},"value":${json}}`))
  const heldBytes = (await heap()) - before
  return heldBytes / kept.reduce((sum, each) => sum + countJsonBytes(each), 0)
}

for (const [name, json] of Object.entries(shapes)) {
  const ratio = await measure(json)
  const isFit = ratio <= BOUND
  console.log(`${ratio.toFixed(2)}  ${name}${isFit ? '' : `: more than ${BOUND}`}`)
  if (!isFit) process.exitCode = 1
}
