import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { build } from '../../../support/app.ts'
import { open } from '../../../support/client/app-client.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function heapBytes(): number {
  for (let turn = 0; turn < 3; turn++) collect()
  return process.memoryUsage().heapUsed
}

t.test('a session costs less than 2 KiB at rest', async t => {
  const app = await build(t, { rateLimit: { max: 1_000_000 }, logLevel: 'error' })
  const openMany = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await open(t, app)
  }
  await openMany(300)

  const before = heapBytes()
  await openMany(1000)
  const eachBytes = (heapBytes() - before) / 1000

  t.ok(eachBytes < 2048, `${Math.round(eachBytes)} bytes`)
})
