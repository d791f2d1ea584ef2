// npm run attack:tasks: two subjects fill the store of tasks, in memory and, where it is installed, in Redis. A third has to
// be served meanwhile, and memory to stay below a bound and to come back.
//   npm run attack:tasks -- --tasks=300 --bytes=900000
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { request } from '../../support/app.ts'
import { bearer } from '../../support/auth/guarded.ts'
import { freePort } from '../../support/free-port.ts'
import { NO_REDIS, RedisServer } from '../../support/servers/redis-server.ts'
import { TASKS } from '../../support/tasks/modern.ts'
import { type Answered, ask, inParallel, type Message, type Sent, startTarget, type Target } from './target.ts'

const MIB = 2 ** 20
/** Of the process, whatever is sent to it. */
export const MAX_RESIDENT = 896 * MIB
/** Of the heap, once the tasks have had their time. */
const MAX_LEFT = 24 * MIB
/** How long tasks are kept, and how much longer their end is waited for. */
const TTL_MS = 30_000
const GONE_WITHIN_MS = 90_000
const WIDTH = 4
/** How often the third looks at its task. */
const MAX_LOOKS = 600
/** How often who is told to come again does so: on a busy machine Redis may not answer in its 200 ms. */
const MAX_RETRIES = 60

/** As docker-compose.yml has it. */
export const maxMemoryOfRedis = (): number =>
  Number(
    /--maxmemory (\d+)mb/.exec(readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8'))?.[1],
  ) * MIB

export interface TasksReport {
  readonly store: 'memory' | 'Redis'
  readonly sent: string
  /** Answers to the two, by status. */
  readonly statuses: Record<string, number>
  /** What the third heard: of its task, and of a session that it opened. */
  readonly third: readonly string[]
  /** Bytes before, at the most, and after. */
  readonly rss: readonly [number, number, number]
  readonly heap: readonly [number, number, number]
  readonly redis: readonly [number, number, number] | undefined
  readonly isGood: boolean
}

export interface Flood {
  /** Of each of the two. */
  readonly tasks: number
  readonly bytes: number
}

const as = (sub: string) => bearer('', { sub, exp: Math.floor(Date.now() / 1000) + 3600 })

async function persist(target: Target, sent: Sent): Promise<Answered> {
  for (let tries = 1; ; tries++) {
    const answer = await ask(target, sent)
    if (answer.status !== 503 || tries === MAX_RETRIES) return answer
    await sleep(1000)
  }
}

async function call(target: Target, subject: string, method: string, params: Record<string, unknown>) {
  const { message, headers } = request(method, params, { capabilities: TASKS })
  const answer = await persist(target, { headers: { ...headers, ...as(subject) }, body: JSON.stringify(message) })
  const parsed: Message = answer.text.startsWith('{') ? JSON.parse(answer.text) : {}
  return { status: answer.status, ...parsed }
}

const keep = (target: Target, subject: string, text: string) =>
  call(target, subject, 'tools/call', { name: 'kept', arguments: { text } })

/** What becomes of one task, from its call to its result. */
async function taskToItsEnd(target: Target, subject: string, text: string): Promise<string> {
  const { status, result, error } = await keep(target, subject, text)
  const compare = (ended: Message['result']) => (ended.content[0].text === text ? 'completed' : 'another result')
  // A call that ends before its task is handed out gets its result at once.
  if (result?.content !== undefined) return compare(result)
  if (result?.taskId === undefined) return `${status} ${error?.message}`
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { result: task } = await call(target, subject, 'tasks/get', { taskId: result.taskId })
    if (task?.status === 'completed') return compare(task.result)
    if (task?.status !== 'working') return `${task?.status} ${task?.statusMessage}`
    await sleep(50)
  }
  return 'no end'
}

async function opensSession(target: Target): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...as('third') }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'third', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const { status } = await persist(target, { headers, body })
  return status === 200 ? 'a session' : `no session: ${status}`
}

const GOOD = ['completed', 'a session']

class Attack {
  readonly statuses: Record<string, number> = {}
  readonly #target: Target
  readonly #redis: Redis | undefined

  constructor(target: Target, redis: Redis | undefined) {
    this.#target = target
    this.#redis = redis
  }

  async flood({ tasks, bytes }: Flood): Promise<void> {
    const text = 'x'.repeat(bytes)
    const fill = async (subject: string) => {
      let sent = 0
      await inParallel(WIDTH, () =>
        sent++ < tasks && this.#target.end === undefined ? this.#one(subject, text) : undefined,
      )
    }
    await Promise.all([fill('first'), fill('second')])
  }

  async #one(subject: string, text: string): Promise<void> {
    const { status } = await keep(this.#target, subject, text)
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
  }

  async measure() {
    const { heap, rss, peakRss } = await this.#target.held()
    const info = (await this.#redis?.info('memory')) ?? ''
    const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1])
    return { heap, rss, peakRss, redis: figure('used_memory'), peakRedis: figure('used_memory_peak') }
  }

  /** The measure when the tasks have gone, or too late. */
  async gone(before: number) {
    for (const endMs = performance.now() + GONE_WITHIN_MS; ; await sleep(1000)) {
      const now = await this.measure()
      const isBack = now.heap - before <= MAX_LEFT && (await this.#isEmpty())
      if (isBack || performance.now() > endMs || this.#target.end !== undefined) return now
    }
  }

  async #isEmpty(): Promise<boolean> {
    return this.#redis === undefined || (await this.#redis.zcard('toolrack:tasks')) === 0
  }
}

async function attack(target: Target, redis: Redis | undefined, flood: Flood): Promise<TasksReport> {
  const run = new Attack(target, redis)
  const text = 'y'.repeat(flood.bytes)
  // What is loaded with the first task is no matter of the others.
  await taskToItsEnd(target, 'nobody', 'z')
  const before = await run.measure()
  await run.flood(flood)
  const third = [await taskToItsEnd(target, 'third', text), await opensSession(target)]
  const under = await run.measure()
  const after = await run.gone(before.heap)
  const isServed = third.every((heard, index) => heard === GOOD[index])
  const isBounded = after.peakRss < MAX_RESIDENT && after.heap - before.heap <= MAX_LEFT && target.end === undefined
  const isRedisBounded = redis === undefined || after.peakRedis < maxMemoryOfRedis()
  return {
    store: redis === undefined ? 'memory' : 'Redis',
    sent: `2 x ${flood.tasks} tasks of ${flood.bytes} bytes`,
    statuses: run.statuses,
    third,
    heap: [before.heap, under.heap, after.heap],
    rss: [before.rss, after.peakRss, after.rss],
    redis: redis && [before.redis, after.peakRedis, after.redis],
    isGood: isServed && isBounded && isRedisBounded,
  }
}

/** Floods a server of its own, which keeps its tasks in memory, or in a Redis of its own. */
export async function attackTasks(flood: Flood, { withRedis }: { withRedis: boolean }): Promise<TasksReport> {
  const options = ['--maxmemory', String(maxMemoryOfRedis()), '--maxmemory-policy', 'noeviction']
  const server = withRedis ? new RedisServer(await freePort(), { options }) : undefined
  await server?.start()
  const redis = server && new Redis(server.url)
  const environment = { TASK_TTL_MS: String(TTL_MS), ...(server && { ATTACKED_REDIS_URL: server.url }) }
  const target = await startTarget(4 * WIDTH, environment)
  try {
    return await attack(target, redis, flood)
  } finally {
    target.close()
    redis?.disconnect()
    await server?.close()
  }
}

const mib = (figures: readonly number[]) => `${figures.map(bytes => (bytes / MIB).toFixed(1)).join(' → ')} MiB`

export function rowsOf(report: TasksReport): [what: string, figure: string][] {
  return [
    [`${report.store}: sent`, report.sent],
    ['answers by status', JSON.stringify(report.statuses)],
    ['meanwhile the third has', report.third.join(', ')],
    [`resident memory before, at the most (bound: ${MAX_RESIDENT / MIB} MiB), after`, mib(report.rss)],
    ['heap before, under and after', mib(report.heap)],
    ...(report.redis === undefined
      ? []
      : [
          [`Redis before, at the most (maxmemory: ${maxMemoryOfRedis() / MIB} MiB), after`, mib(report.redis)] as [
            string,
            string,
          ],
        ]),
  ]
}

if (import.meta.main) {
  const options = { tasks: { type: 'string', default: '300' }, bytes: { type: 'string', default: '900000' } } as const
  const { values } = parseArgs({ options })
  const flood = { tasks: Number(values.tasks), bytes: Number(values.bytes) }
  let isGood = true
  for (const withRedis of NO_REDIS ? [false] : [false, true]) {
    const report = await attackTasks(flood, { withRedis })
    for (const [what, figure] of rowsOf(report)) console.log(`| ${what} | ${figure} |`)
    isGood &&= report.isGood
  }
  if (NO_REDIS) console.log(NO_REDIS)
  console.log(isGood ? 'held' : 'BROKEN')
  process.exitCode = isGood ? 0 : 1
}
