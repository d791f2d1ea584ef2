// Tasks under load while servers and their Redis are killed, one after the other, and started again; what came of each.
import { setTimeout as sleep } from 'node:timers/promises'
import { callOn, countIn, newTold, type Told, timesAgain } from './calls.ts'
import { overlap, type Run, runsOf } from './ledger.ts'
import { type Rig, type StateKind, startRig } from './rig.ts'
import { type Acknowledged, begin, follow, hasEnded } from './task-clients.ts'
import { Verdict } from './verdict.ts'
import { persist, Wire } from './wire.ts'

export interface Killing {
  /** Of servers, and as many of Redis. */
  readonly kills: number
  readonly tasks: number
  /** How many begin tasks at the same time. */
  readonly clients: number
  /** Between two kills, ms. */
  readonly pauseMs: number
  readonly state?: StateKind
}

/** Leases end, and what was interrupted is run again, ms. */
const SETTLE_MS = 60_000
const ECHOES = 4

export async function killAll(plan: Killing): Promise<Verdict> {
  const rig = await startRig({}, plan.state)
  const wire = new Wire(rig.proxy.url)
  const tasks: Acknowledged[] = []
  const stateless = newTold()
  const over = new AbortController()
  try {
    const how = { mayBeRefused: false, again: countIn(stateless) }
    const echo = (message: string) =>
      persist(() => wire.modern('tools/call', { name: 'echo', arguments: { message } }), how)
    const echoes = Array.from({ length: ECHOES }, () => callOn(stateless, over.signal, echo))
    const killed = kill(rig, plan)
    const begun = beginAll(wire, tasks, { ...plan, killed })
    await Promise.all([killed, begun])
    over.abort()
    await Promise.all(echoes)
    return judge({ plan, tasks, stateless, runs: runsOf(rig.ledger) })
  } finally {
    over.abort()
    wire.close()
    await rig.close()
  }
}

// One of them at a time: with both replicas away nobody could answer.
async function kill(rig: Rig, { kills, pauseMs }: Killing): Promise<void> {
  for (let turn = 0; turn < kills; turn++) {
    const replica = rig.replicas[turn % rig.replicas.length]!
    await sleep(pauseMs * (0.5 + Math.random()))
    await rig.kill(replica)
    await replica.start()
    await sleep(pauseMs * (0.5 + Math.random()))
    if (rig.redis === undefined) continue
    await rig.redis.kill()
    await sleep(Math.random() * 1000)
    await rig.redis.start()
  }
}

interface Beginning extends Killing {
  readonly killed: Promise<void>
}

async function beginAll(wire: Wire, tasks: Acknowledged[], plan: Beginning): Promise<void> {
  let next = 0
  let isOver = false
  void plan.killed
    .finally(() => {
      isOver = true
    })
    .catch(() => {})
  // Spread over the whole time: each client waits so long that the last begins with the last kill.
  const everyMs = (plan.clients * plan.kills * 2.6 * plan.pauseMs) / plan.tasks
  const client = async (_: unknown, index: number) => {
    await sleep((index / plan.clients) * everyMs)
    while (next < plan.tasks) {
      const number = next++
      const startMs = performance.now()
      const ms = 200 + Math.round(Math.random() * 5800)
      const task = await begin(wire, number % 2 === 0 ? 'once' : 'again', { entry: `e${number}`, ms })
      tasks.push(task)
      await follow(wire, task, SETTLE_MS)
      if (!isOver) await sleep(Math.max(0, startMs + everyMs - performance.now()))
    }
  }
  await Promise.all(Array.from({ length: plan.clients }, client))
  await plan.killed
  await Promise.all(tasks.filter(task => !hasEnded(task)).map(task => follow(wire, task, SETTLE_MS)))
}

interface Story {
  readonly plan: Killing
  readonly tasks: readonly Acknowledged[]
  readonly stateless: Told
  readonly runs: ReadonlyMap<string, readonly Run[]>
}

function judge({ plan, tasks, stateless, runs }: Story): Verdict {
  const verdict = new Verdict()
  const runsFor = ({ entry }: Acknowledged) => runs.get(entry) ?? []
  const of = (tool: string, status: string) => tasks.filter(task => task.tool === tool && task.status === status)
  const acknowledged = new Set(tasks.map(({ entry }) => entry))
  const twice = [...runs.values()].filter(each => each.length > 1)

  verdict.count('kills of servers, and of Redis if there is one', plan.kills)
  verdict.count('tasks acknowledged', tasks.length, plan.tasks)
  verdict.count('lost: unknown to the servers', tasks.filter(({ status }) => status === 'lost').length, 0)
  verdict.count('lost: without an end', tasks.filter(task => !hasEnded(task)).length, 0)
  verdict.count('once: completed', of('once', 'completed').length)
  verdict.count('once: failed', of('once', 'failed').length)
  verdict.count('again: completed', of('again', 'completed').length, Math.floor(plan.tasks / 2))
  verdict.count('failed, and not as interrupted', tasks.filter(isOddFailure).length, 0)
  verdict.count('completed, and never done', tasks.filter(task => isHollow(task, runsFor(task))).length, 0)
  verdict.count('once: run twice', twice.filter(each => isOnce(each[0]!)).length, 0)
  verdict.count('again: run more than once', twice.filter(each => !isOnce(each[0]!)).length)
  verdict.count('run twice at the same time', twice.filter(overlap).length, 0)
  verdict.count('runs broken off by a kill', [...runs.values()].flat().filter(({ how }) => how === 'killed').length)
  verdict.count(
    'runs of calls that were not acknowledged',
    [...runs.keys()].filter(entry => !acknowledged.has(entry)).length,
  )
  verdict.count('stateless calls answered', stateless.answered)
  verdict.count('stateless calls sent again, since they were cut off', timesAgain(stateless))
  verdict.count('stateless calls failed', stateless.wrong.length, 0)
  for (const task of tasks.filter(isOddFailure)) console.error(task)
  for (const each of twice.filter(overlap)) console.error(each)
  for (const wrong of stateless.wrong.slice(0, 5)) console.error(wrong)
  return verdict
}

// Even numbers are those of the tool that must not run again.
const isOnce = ({ entry }: Run) => Number(/\d+/.exec(entry)![0]) % 2 === 0

const isOddFailure = ({ status, reason }: Acknowledged) =>
  status === 'cancelled' || (status === 'failed' && !/\binterrupted: /.test(reason ?? ''))

const isHollow = ({ status }: Acknowledged, runs: readonly Run[]) =>
  status === 'completed' && !runs.some(({ how }) => how === 'end')
