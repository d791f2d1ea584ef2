// Restarts under load of every kind: one server after the other is asked to end, and started again.
import { setTimeout as sleep } from 'node:timers/promises'
import { callOn, countIn, newTold, type Told, timesAgain } from './calls.ts'
import { overlap, type Run, runsOf } from './ledger.ts'
import { type Heard, listen } from './listeners.ts'
import { type Rig, type StateKind, startRig } from './rig.ts'
import { SessionClient } from './session-clients.ts'
import { type Acknowledged, begin, follow, hasEnded } from './task-clients.ts'
import { Verdict } from './verdict.ts'
import { persist, Wire } from './wire.ts'

export interface Restarting {
  /** Of each replica, or of the one server. */
  readonly rounds: number
  /** Of each kind of client. */
  readonly clients: number
  readonly state?: StateKind
}

/** Less than the default, so that a run is over in a few minutes. */
const DRAIN_MS = 6000
/** Ends within the drain, and goes on behind it. */
const SHORT_MS = 2500
const LONG_MS = 9000
const SETTLE_MS = 80_000
const MAX_END_MS = 25_000
/** A lease lasts for eight seconds; what is handed over does not wait for its end. */
const MAX_GAP_MS = 7000
/** A server that stands alone has to start first; half a minute on a busy machine. */
const MAX_GAP_ALONE_MS = 60_000

interface Load {
  readonly modern: Told
  readonly session: Told
  readonly tasks: Acknowledged[]
  readonly heard: Heard[]
}

interface End {
  readonly code: number | null
  readonly ms: number
}

export async function restartAll(plan: Restarting): Promise<Verdict> {
  const rig = await startRig({ DRAIN_MS: String(DRAIN_MS) }, plan.state)
  const wire = new Wire(rig.proxy.url)
  const over = new AbortController()
  const leave = new AbortController()
  const load: Load = { modern: newTold(), session: newTold(), tasks: [], heard: [] }
  try {
    const busy = Array.from({ length: plan.clients }, (_, index) =>
      begins(rig, wire, load, { over: over.signal, index }),
    )
    const listening = Array.from({ length: plan.clients }, () => listens(rig, load, leave.signal))
    const ends = await restart(rig, plan)
    over.abort()
    await Promise.all(busy.flat())
    await Promise.all(load.tasks.map(task => follow(wire, task, SETTLE_MS)))
    const told = await change(wire, load)
    leave.abort()
    await Promise.all(listening)
    return judge({ plan, load, ends, told, runs: runsOf(rig.ledger) })
  } finally {
    over.abort()
    leave.abort()
    wire.close()
    await rig.close()
  }
}

async function restart({ replicas }: Rig, { rounds }: Restarting): Promise<End[]> {
  const ends: End[] = []
  for (let turn = 0; turn < replicas.length * rounds; turn++) {
    await sleep(500)
    const replica = replicas[turn % replicas.length]!
    const startMs = performance.now()
    ends.push({ code: await replica.stop(), ms: performance.now() - startMs })
    await replica.start()
  }
  return ends
}

interface Turn {
  readonly over: AbortSignal
  readonly index: number
}

function begins(_rig: Rig, wire: Wire, load: Load, { over, index }: Turn): Promise<void>[] {
  const { modern, session, tasks } = load
  const how = { mayBeRefused: true, again: countIn(modern) }
  const echo = (message: string) =>
    persist(() => wire.modern('tools/call', { name: 'echo', arguments: { message } }), how)
  const client = new SessionClient(wire, { mayBeRefused: true, again: countIn(session) })
  const inSession = async () => {
    await client.open()
    await callOn(session, over, message => client.callTool('echo', { message }))
  }
  const work = async () => {
    for (let number = 0; !over.aborted; number++) {
      const isOnce = number % 2 === 0
      const job = { entry: `c${index}-${number}`, ms: isOnce ? SHORT_MS : LONG_MS }
      const task = await begin(wire, isOnce ? 'once' : 'again', job)
      tasks.push(task)
      await follow(wire, task, isOnce ? SETTLE_MS : 2000)
    }
  }
  return [callOn(modern, over, echo), inSession(), work()]
}

function listens({ proxy }: Rig, { heard }: Load, over: AbortSignal): Promise<void> {
  const listener: Heard = { opened: 0, completed: 0, cut: 0, changes: 0, isOpen: false }
  heard.push(listener)
  return listen(proxy.url, listener, over)
}

/** @returns how many listeners heard of a change at the end */
async function change(wire: Wire, { heard }: Load): Promise<number> {
  const when = async (isSo: () => boolean) => {
    for (const endMs = performance.now() + 30_000; !isSo() && performance.now() < endMs; ) await sleep(50)
  }
  await when(() => heard.every(each => each.isOpen))
  const before = heard.map(({ changes }) => changes)
  const listTold = () => heard.filter(({ changes }, index) => changes > before[index]!)
  await wire.modern('tools/call', { name: 'change', arguments: {} })
  await when(() => listTold().length === heard.length)
  return listTold().length
}

interface Story {
  readonly plan: Restarting
  readonly load: Load
  readonly ends: readonly End[]
  readonly told: number
  readonly runs: ReadonlyMap<string, readonly Run[]>
}

function judge({ plan, load, ends, told, runs }: Story): Verdict {
  const verdict = new Verdict()
  const { modern, session, tasks, heard } = load
  const sum = (pick: (each: Heard) => number) => heard.reduce((total, each) => total + pick(each), 0)
  const once = [...runs.values()].filter(([run]) => isOnce(run!))
  const gaps = [...runs.values()].flatMap(gapsOf)
  verdict.count('restarts', ends.length, (plan.state === 'sqlite' ? 1 : 2) * plan.rounds)
  verdict.count('ended with another code than 0', ends.filter(({ code }) => code !== 0).length, 0)
  verdict.most('longest end', Math.max(...ends.map(({ ms }) => ms)), { max: MAX_END_MS, unit: 'ms' })
  for (const [name, calls] of Object.entries({ modern, session })) {
    verdict.count(`${name} calls answered`, calls.answered)
    verdict.count(`${name} calls sent again`, timesAgain(calls))
    verdict.count(`${name} calls failed`, calls.wrong.length, 0)
  }
  verdict.count('tasks', tasks.length)
  verdict.count('tasks not completed', tasks.filter(({ status }) => status !== 'completed').length, 0)
  verdict.count(
    'tasks lost or without an end',
    tasks.filter(task => task.status === 'lost' || !hasEnded(task)).length,
    0,
  )
  verdict.count('once: run twice', once.filter(each => each.length > 1).length, 0)
  verdict.count('run twice at the same time', [...runs.values()].filter(overlap).length, 0)
  verdict.count('runs handed over', gaps.length)
  verdict.most('longest gap between two runs of a task', Math.max(0, ...gaps), {
    max: plan.state === 'sqlite' ? MAX_GAP_ALONE_MS : MAX_GAP_MS,
    unit: 'ms',
  })
  verdict.count(
    'streams opened',
    sum(({ opened }) => opened),
  )
  verdict.count(
    'streams ended with their result',
    sum(({ completed }) => completed),
  )
  verdict.count(
    'streams cut',
    sum(({ cut }) => cut),
    0,
  )
  verdict.count('listeners told of a change at the end', told, heard.length)
  explain(load)
  return verdict
}

function explain({ modern, session, tasks }: Load): void {
  for (const { again, wrong } of [modern, session]) {
    for (const [why, times] of again) console.error(`${times} sent again: ${why}`)
    for (const each of wrong.slice(0, 5)) console.error(`failed: ${each}`)
  }
  for (const task of tasks) if (task.status !== 'completed') console.error(task)
}

const gapsOf = (runs: readonly Run[]): number[] => runs.slice(1).map((run, index) => run.startMs - runs[index]!.endMs)

// Even numbers are those of the tool that must not run again.
const isOnce = ({ entry }: Run) => Number(/-(\d+)/.exec(entry)![1]) % 2 === 0
