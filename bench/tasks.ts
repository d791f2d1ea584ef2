// npm run bench:tasks: a thousand concurrent tasks over HTTP, in both revisions with tasks. Shows
// that no task is lost or runs twice, what tasks cost, and that their memory is freed. Fails past
// the bounds below.
//   npm run bench:tasks -- --tasks=1500
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { kib, mib, report } from './figures.ts'
import { legacyClient, modernClient, type TaskClient } from './task-clients.ts'
import type { Report } from './task-server.ts'

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '1000' } } })
const tasks = Number(values.tasks)

const MAX_MS = 20_000
const MAX_TASK_BYTES = 8 * 1024
const MAX_LEFT_BYTES = 1024 * 1024

/** Duration of each task, ms: long enough for all tasks to exist at once. */
const WORK_MS = 3000
/** Part of the arguments of each running task, and of its result afterwards. */
const FILLING = 'x'.repeat(1024)
const TTL_MS = 15_000
/** How late an expired task may be removed, with a margin, ms. */
const SWEEP_MS = 6000
/** One in this many tasks is cancelled as soon as its client knows of it. */
const CANCELLED = 10

const ENDED = ['completed', 'failed', 'cancelled']

interface Server {
  readonly child: ChildProcess
  readonly url: string
  ask(): Promise<Report>
}

async function withServer(run: (server: Server) => Promise<void>): Promise<void> {
  const env = { ...process.env, TASK_TTL_MS: String(TTL_MS) }
  const child = fork(new URL('./task-server.ts', import.meta.url), { env, execArgv: ['--expose-gc'] })
  try {
    const [url] = (await once(child, 'message')) as [string]
    const ask = async () => {
      child.send('report')
      const [answer] = (await once(child, 'message')) as [Report]
      return answer
    }
    await run({ child, url, ask })
  } finally {
    child.kill()
  }
}

/** @returns the final status; undefined if the task was gone before the client saw one */
async function follow(client: TaskClient, taskId: string): Promise<string | undefined> {
  for (let looks = 0; looks < 100; looks++) {
    const { status } = await client.get(taskId).catch(() => ({ status: 'gone' }))
    if (status === 'gone') return undefined
    if (ENDED.includes(status)) return status
    await sleep(250)
  }
  return undefined
}

interface Round {
  readonly created: number
  readonly cancelled: readonly number[]
  readonly ends: readonly (string | undefined)[]
  readonly elapsedMs: number
  /** Reports at the moment when all tasks run or wait, and when all have ended. */
  readonly busy: Report
  readonly full: Report
}

/** @param first the number of the first task of this round */
async function round({ ask }: Server, client: TaskClient, first: number, amount: number): Promise<Round> {
  const startedMs = performance.now()
  const cancelled: number[] = []
  const ids = await Promise.all(
    Array.from({ length: amount }, async (_, index) => {
      const entry = first + index
      const { taskId } = await client.begin('write', { entry, ms: WORK_MS, filling: FILLING })
      if (index % CANCELLED === 0) {
        await client.cancel(taskId)
        cancelled.push(entry)
      }
      return taskId
    }),
  )
  const busy = await ask()
  const ends = await Promise.all(ids.map(id => follow(client, id)))
  const elapsedMs = performance.now() - startedMs
  return { created: new Set(ids).size, cancelled, ends, elapsedMs, busy, full: await ask() }
}

/** @param first the number of the first task of this round */
function countsOf({ cancelled, ends, full }: Round, first: number) {
  const done = new Map(full.done)
  const timesDone = (index: number) => done.get(first + index) ?? 0
  const isCancelled = new Set(cancelled)
  const lost = ends.filter((end, index) => {
    if (end === undefined || end === 'failed') return true
    return end === 'completed' ? timesDone(index) === 0 : !isCancelled.has(first + index)
  })
  return {
    completed: ends.filter(end => end === 'completed').length,
    lost: lost.length,
    twice: full.begun.filter(([entry, times]) => entry >= first && times > 1).length,
    inVain: ends.filter((end, index) => end === 'cancelled' && timesDone(index) > 0).length,
  }
}

async function bench(server: Server, revision: string, client: TaskClient): Promise<void> {
  const { ask } = server
  // Code that is compiled and memory that is allocated once must not count as the cost of a task.
  await round(server, client, 0, 200)
  await sleep(TTL_MS + SWEEP_MS)
  const before = await ask()

  const first = 1_000_000
  const ran = await round(server, client, first, tasks)
  const { created, cancelled, ends, elapsedMs, busy, full } = ran
  const { completed, lost, twice, inVain } = countsOf(ran, first)

  report(`${revision}: tasks created, of ${tasks}`, created, created === tasks)
  const doneSoon = busy.done.filter(([entry]) => entry >= first).length
  const underWay = created - cancelled.length - doneSoon
  report(`${revision}: under way at once, running or waiting`, underWay, true)
  report(`${revision}: completed`, completed, completed === tasks - cancelled.length)
  report(
    `${revision}: cancelled, of ${cancelled.length} where it was asked`,
    ends.filter(end => end === 'cancelled').length,
    completed + cancelled.length === tasks,
  )
  report(`${revision}: lost`, lost, lost === 0)
  report(`${revision}: run twice`, twice, twice === 0)
  report(`${revision}: cancelled, and yet done`, inVain, inVain === 0)
  report(`${revision}: time until all have ended`, `${(elapsedMs / 1000).toFixed(1)} s`, elapsedMs <= MAX_MS)
  const bytes = (full.heap - before.heap) / tasks
  report(`${revision}: heap of a task with a result of 1 KiB`, kib(bytes), bytes <= MAX_TASK_BYTES)

  await sleep(TTL_MS + SWEEP_MS)
  const after = await ask()
  const held = [before, busy, full, after]
  const left = after.heap - before.heap
  const when = 'before, with all under way, with all ended, when they are forgotten'
  report(`${revision}: heap ${when}`, held.map(({ heap }) => mib(heap)).join(', '), left <= MAX_LEFT_BYTES)
  report(`${revision}: memory ${when}`, held.map(({ rss }) => mib(rss)).join(', '), true)
}

console.log('| what | figure | bound |\n| --- | ---: | --- |')
const clients: [string, (url: string) => TaskClient | Promise<TaskClient>][] = [
  ['2026-07-28', modernClient],
  ['2025-11-25', legacyClient],
]
await Promise.all(
  clients.map(([revision, clientOf]) =>
    withServer(async server => {
      const client = await clientOf(server.url)
      await bench(server, revision, client).finally(() => client.close())
    }),
  ),
)
