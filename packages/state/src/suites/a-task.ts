// A task to test with, and steps that are easy to count.
import { countJsonBytes, MODERN_VERSIONS } from 'toolrack/protocol'
import type { Task, TaskOutcome, TaskStep } from 'toolrack/state'

const JOB = {
  arguments: { n: 1 },
  meta: {} as NonNullable<Task['job']>['meta'],
  version: MODERN_VERSIONS[0]!,
  capabilities: {},
  caller: undefined,
  id: 7,
  requestId: 'request-1',
} satisfies Task['job']

let made = 0

export function aTask(over: Partial<Task> = {}): Task {
  const nowMs = Date.now()
  return {
    id: `task-${++made}`,
    owner: 'owner',
    clientKey: 'client',
    session: undefined,
    tool: 'tool',
    scopes: [],
    status: 'working',
    statusMessage: undefined,
    progress: undefined,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ttlMs: 60_000,
    isHandedOut: true,
    job: JOB,
    rounds: 0,
    run: 0,
    turn: 0,
    isRunning: false,
    hasBegun: false,
    questions: {},
    answers: {},
    issued: [],
    outcome: undefined,
    version: 0,
    size: countJsonBytes(JOB),
    ...over,
  }
}

export const resultOf = (text: string): TaskOutcome => ({
  kind: 'ok',
  result: { resultType: 'complete', content: [{ type: 'text', text }] },
})

export const refusal: TaskOutcome = { error: { reason: 'INTERNAL_ERROR', message: 'no', data: undefined } }

/** A step that is always allowed and always changes the task, so that every step can be counted. */
export const counted: TaskStep = task => ({
  ...task,
  rounds: task.rounds + 1,
  statusMessage: `${task.rounds + 1} were counted`,
  version: task.version + 1,
})
