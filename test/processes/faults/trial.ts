// One fault from before to after: what is asked of a server whose Redis fails, and what is measured of its answers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { ANSWER, askForState, type Before, begin, isRefused, shown } from './before.ts'
import { ask, callPlain, callTool, initialize, look, served, type Timed } from './client.ts'
import { LIMIT } from './fault-tools.ts'
import { CONNECTIONS, connectionsOf, memoryOf, type Rig, whenSo } from './rig.ts'

export interface Fault {
  readonly name: string
  begin(rig: Rig): Promise<unknown> | unknown
  end(rig: Rig): Promise<unknown> | unknown
  /** How long it lasts at least, ms. */
  readonly holdMs?: number
  /** Redis has lost what it held. */
  readonly forgets?: boolean
}

/** Within which it has to work again, with what a busy machine needs on top, ms. */
const RECOVERY_MS = 5000 + 20_000
/** How often calls are measured: a machine that stands still holds up all that are under way, and not each time. */
const MEASURES = 3
let addresses = 0
const newAddress = () => `10.1.${(++addresses >> 8) & 255}.${addresses & 255}`

export async function trial(t: Test, rig: Rig, fault: Fault): Promise<void> {
  const { url } = rig.cut
  await whenSo(async () => (await look(url, '/ready')).body.degraded === undefined)
  const before = await begin(t, url)
  await callMany(url, 20)
  const calm = await callMany(url, 100)
  // One that the last fault has cut may be about to be made anew.
  const wholeMs = await whenSo(async () => (await connectionsOf(rig)) === CONNECTIONS)
  t.not(wholeMs, undefined, `both replicas have their connections: ${await connectionsOf(rig)}`)
  const memory = memoryOf(rig.cut)

  await fault.begin(rig)
  const beganMs = performance.now()
  await assertOnset(t, url, before)
  const degradedMs = await whenSo(async () => (await look(url, '/ready')).body.degraded !== undefined)
  t.not(degradedMs, undefined, '/ready says that something is degraded')
  const refused = await assertRefused(t, url, before)
  const trouble = await assertUnslowed(t, url, calm)
  await assertLimited(t, url)
  await assertHealth(t, url)
  await callTool(rig.other.url, 'change')
  await sleep(Math.max(0, (fault.holdMs ?? 1500) - (performance.now() - beganMs)))
  const late = await assertRefused(t, url, before)
  const memoryInTrouble = memoryOf(rig.cut)

  await fault.end(rig)
  const recovered = await assertRecovery(t, rig, { before, forgets: fault.forgets === true })
  const settledMs = await whenSo(async () => (await connectionsOf(rig)) <= CONNECTIONS)
  t.not(settledMs, undefined, `no connection is left behind: ${CONNECTIONS}, now ${await connectionsOf(rig)}`)
  t.ok(memoryInTrouble < memory + 80, `memory is bounded: ${memory} MB, then ${memoryInTrouble}`)
  for (const replica of [rig.cut, rig.other]) {
    t.ok(replica.isRunning, 'no replica ends')
    t.same(
      replica.lines.filter(line => /UNHANDLED|WARNING|"level":60/.test(line)),
      [],
      'nor leaves a rejection',
    )
  }
  t.comment(
    `${fault.name}: 503 within ${Math.max(refused, late)} ms; p50/p99 ${calm.p50}/${calm.p99} → ${trouble.p50}/${trouble.p99} ms; ` +
      `noticed in ${degradedMs} ms; again: ${JSON.stringify(recovered)}; settled in ${settledMs} ms; ${memory} → ${memoryInTrouble} MB`,
  )
}

type Pace = Awaited<ReturnType<typeof callMany>>

async function assertUnslowed(t: Test, url: string, calm: Pace): Promise<Pace> {
  for (let measure = 1; ; measure++) {
    const trouble = await callMany(url, 100)
    t.equal(trouble.failed, 0, 'every call that needs no state succeeds')
    // Each of them would be late if they waited for Redis; the slowest is for the machine to decide.
    const [isQuick, isEach] = [trouble.p50 < calm.p50 + 100, trouble.p99 < calm.p99 + 2000]
    if (!(isQuick && isEach) && measure < MEASURES) continue
    t.ok(isQuick, `and is not slowed: ${trouble.p50} ms, before ${calm.p50}`)
    t.ok(isEach, `nor does one wait: ${trouble.p99} ms, before ${calm.p99}`)
    return trouble
  }
}

// It is not known yet: whoever asks first waits for an answer that does not come.
async function assertOnset(t: Test, url: string, before: Before): Promise<void> {
  const [stateful, stateless] = await Promise.all([
    askForState(url, before),
    Promise.all(Array.from({ length: 10 }, () => callTool(url, 'echo'))),
  ])
  t.same(stateful.filter(answer => !isRefused(answer)).map(shown), [], 'ten at once are refused when it begins')
  t.same(stateless.filter(answer => !isOk(answer)).map(shown), [], 'ten that need no state succeed')
  t.comment(`  at its beginning: 503 ${slowest(stateful)} ms, stateless ${slowest(stateless)} ms`)
}

async function assertRefused(t: Test, url: string, before: Before): Promise<number> {
  const answers = await askForState(url, before)
  t.same(answers.filter(answer => !isRefused(answer)).map(shown), [], 'ten at once are refused')
  return slowest(answers)
}

export async function assertLimited(t: Test, url: string): Promise<void> {
  const address = newAddress()
  const answers = await Promise.all(Array.from({ length: LIMIT * 3 }, () => callTool(url, 'limited', {}, address)))
  t.same(answers.filter(({ status }) => status !== 200).map(shown), [], 'a limit is no error')
  t.equal(answers.filter(isOk).length, LIMIT, 'a replica counts for itself')
}

async function assertHealth(t: Test, url: string): Promise<void> {
  const [ready, health] = await Promise.all([look(url, '/ready'), look(url, '/health')])
  t.equal(ready.status, 200)
  t.match(ready.body, { status: 'ready', degraded: [/^redis: /] })
  t.equal(health.status, 200)
  t.same(health.body, { status: 'ok' })
}

interface Recovery {
  readonly before: Before
  readonly forgets: boolean
}

async function assertRecovery(t: Test, rig: Rig, { before, forgets }: Recovery) {
  const { url } = rig.cut
  const startedMs = performance.now()
  const since = () => Math.round(performance.now() - startedMs)
  const told = heardBy(before).then(since, () => undefined)
  const ready = await whenSo(async () => (await look(url, '/ready')).body.degraded === undefined, RECOVERY_MS)
  const opened = await whenSo(async () => (await initialize(url)).status === 200, RECOVERY_MS)
  const again = await served(() => before.session.call(url, 'tools/call', { name: 'echo', arguments: {} }))
  t.equal(again.status, forgets ? 404 : 200, 'a session is there again')
  const task = await served(() => ask(url, 'tasks/get', { taskId: before.taskId }))
  if (forgets) t.equal(task.body.error?.code, -32602)
  else await assertTask(t, url, before, task)
  const job = await whenSo(() => isDone(url), RECOVERY_MS)
  const ran = since()
  const toldMs = await told
  for (const [what, ms] of Object.entries({ ready, opened, job, told: toldMs })) t.not(ms, undefined, `${what} in time`)
  t.ok(ran < RECOVERY_MS, `tasks are run again: ${ran} ms`)
  await assertShared(t, rig)
  return { ready, told: toldMs, ran }
}

async function assertTask(t: Test, url: string, { taskId, states }: Before, task: Timed): Promise<void> {
  t.equal(task.body.result?.status, 'input_required', `a task is there again: ${task.text.slice(0, 200)}`)
  await served(() => ask(url, 'tasks/update', { taskId, inputResponses: ANSWER }))
  const ended = await whenSo(async () => (await statusOf(url, taskId)) === 'completed', RECOVERY_MS)
  t.not(ended, undefined, `and goes on: ${await statusOf(url, taskId)}`)
  const greeted = await served(() => callPlain(url, 'asker', { requestState: states[1], inputResponses: ANSWER }))
  t.match(greeted.body.result?.content, [{ text: 'Hello, Ada' }], 'a state that was sealed before opens')
}

const statusOf = async (url: string, taskId: string) => (await ask(url, 'tasks/get', { taskId })).body.result?.status

// Whether a new task comes to its end.
async function isDone(url: string): Promise<boolean> {
  const { body } = await callTool(url, 'job')
  const { taskId, resultType } = body.result ?? {}
  if (resultType === 'complete') return true
  return taskId !== undefined && (await whenSo(async () => (await statusOf(url, taskId)) === 'completed')) !== undefined
}

// Of a change that was made while it lasted.
async function heardBy({ listener, news }: Before): Promise<void> {
  const isChange = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed'
  const heard = await whenSo(() => listener.messages.some(isChange) && news.messages.some(isChange), RECOVERY_MS)
  if (heard === undefined) throw new Error('not told')
}

// A replica that Redis does not answer in time counts for itself once more.
async function assertShared(t: Test, { cut, other }: Rig): Promise<void> {
  const urls = Array.from({ length: LIMIT * 2 }, (_, index) => (index % 2 === 0 ? cut.url : other.url))
  const shared = await whenSo(async () => {
    const address = newAddress()
    const answers = await Promise.all(urls.map(url => callTool(url, 'limited', {}, address)))
    return answers.filter(isOk).length === LIMIT
  }, RECOVERY_MS)
  t.not(shared, undefined, 'limits are counted for all replicas again')
}

export const isOk = ({ status, body }: Timed): boolean =>
  status === 200 && body?.result !== undefined && !body.result.isError
const slowest = (answers: readonly Timed[]) => Math.round(Math.max(...answers.map(({ ms }) => ms)))

/** Calls that need no state, four at a time. */
export async function callMany(url: string, count: number) {
  const answers: Timed[] = []
  const work = async () => {
    while (answers.length < count) answers.push(await callTool(url, 'echo'))
  }
  await Promise.all([work(), work(), work(), work()])
  const times = answers.map(({ ms }) => ms).sort((one, two) => one - two)
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))]!)
  return { failed: answers.filter(answer => !isOk(answer)).length, p50: at(0.5), p99: at(0.99) }
}
