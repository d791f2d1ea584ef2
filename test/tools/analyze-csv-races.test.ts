// What analyze_csv opens while somebody swaps what its path names.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { build } from '../helper.ts'
import { filesFolder, openBelow, SHIPPED } from './shipped.ts'

// A thread of its own, since swaps that wait their turn among our own steps would always meet the same one.
const SWAPPER = `
  const { renameSync } = require('node:fs')
  const { workerData: { one, other, swaps, isDone } } = require('node:worker_threads')
  while (Atomics.load(isDone, 0) === 0) {
    renameSync(one, one + '.aside')
    renameSync(other, one)
    renameSync(one, other)
    renameSync(one + '.aside', one)
    Atomics.add(swaps, 0, 1)
  }`

/** Swaps two names for as long as `work` takes. @returns how often */
async function whileSwapping(one: string, other: string, work: () => Promise<void>): Promise<number> {
  const swaps = new Int32Array(new SharedArrayBuffer(4))
  const isDone = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(SWAPPER, { eval: true, workerData: { one, other, swaps, isDone } })
  const ended = once(worker, 'exit')
  await once(worker, 'online')
  await work().finally(() => Atomics.store(isDone, 0, 1))
  await ended
  return Atomics.load(swaps, 0)
}

const SWAPPED: Record<string, (base: string) => { one: string; other: string; path: string }> = {
  'a file swapped with a link': base => {
    symlinkSync('../secret.csv', join(base, 'root/link'))
    return { one: join(base, 'root/data.csv'), other: join(base, 'root/link'), path: 'data.csv' }
  },
  'a folder swapped with a link': base => {
    mkdirSync(join(base, 'root/inner'))
    writeFileSync(join(base, 'root/inner/secret.csv'), 'a\n1\n')
    symlinkSync('../root-evil', join(base, 'root/link'))
    return { one: join(base, 'root/inner'), other: join(base, 'root/link'), path: 'inner/secret.csv' }
  },
  'a file swapped with a FIFO': base => {
    execFileSync('mkfifo', [join(base, 'root/pipe')])
    return { one: join(base, 'root/data.csv'), other: join(base, 'root/pipe'), path: 'data.csv' }
  },
}

for (const [what, make] of Object.entries(SWAPPED)) {
  t.test(`analyze_csv: ${what} between check and open never leads out`, { timeout: 60_000 }, async t => {
    const base = filesFolder(t)
    const { one, other, path } = make(base)
    await build(t, SHIPPED)
    const { openFile } = await import('../../tools/analyze-csv/source.ts')
    const seen = new Map<string, number>()

    const swaps = await whileSwapping(one, other, async () => {
      for (let attempt = 0; attempt < 3000; attempt++) {
        const outcome = await openFile(path).then(
          async source => {
            await source.close()
            return source.head.toString()
          },
          (error: Error) => error.name,
        )
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
      }
    })

    t.ok(swaps > 100, `swapped ${swaps} times: ${JSON.stringify([...seen])}`)
    t.strictSame(
      [...seen.keys()].filter(outcome => outcome !== 'ToolError' && outcome !== 'a\n1\n'),
      [],
    )
    t.strictSame(openBelow(base), [])
  })
}
