// What tests want of a rig: one that is gone with the test, and which of its replicas runs what.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Replica } from '../../support/replicas/replica.ts'
import { type Run, runsOf } from './ledger.ts'
import { type Rig, startRig } from './rig.ts'
import { type Acknowledged, begin } from './task-clients.ts'
import { Wire } from './wire.ts'

/** More than a lease and its end take, on a busy machine too. */
const START_MS = 60_000

export interface Placed {
  readonly task: Acknowledged
  /** Which runs it, and which does not. */
  readonly runner: Replica
  readonly other: Replica
}

export async function rigOf(t: Test, environment?: Readonly<Record<string, string>>): Promise<Rig> {
  const rig = await startRig(environment)
  t.teardown(() => rig.close())
  return rig
}

export function wireTo(t: Test, url: string): Wire {
  const wire = new Wire(url)
  t.teardown(() => wire.close())
  return wire
}

export const runsFor = ({ ledger }: Rig, { entry }: Pick<Acknowledged, 'entry'>): readonly Run[] =>
  runsOf(ledger).get(entry) ?? []

/** @returns the runs when it is so @throws Error where it is not in time */
export async function runsWhen(rig: Rig, task: Acknowledged, isSo: (runs: readonly Run[]) => boolean) {
  for (const endMs = performance.now() + START_MS; performance.now() < endMs; await sleep(20)) {
    const runs = runsFor(rig, task)
    if (isSo(runs)) return runs
  }
  throw new Error(`${task.entry}: ${JSON.stringify(runsFor(rig, task))}`)
}

/** Begins a task, and looks where it runs. */
export async function place(t: Test, rig: Rig, tool: string, job: { entry: string; ms: number }): Promise<Placed> {
  const task = await begin(wireTo(t, rig.proxy.url), tool, job)
  const [run] = await runsWhen(rig, task, runs => runs.length > 0)
  const isAt = (replica: Replica) => replica.pid === run!.pid
  return { task, runner: rig.replicas.find(isAt)!, other: rig.replicas.find(replica => !isAt(replica))! }
}
