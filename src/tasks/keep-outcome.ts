// What a task has come to is kept, and told of once its client knows of the task.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../exchange.ts'
import { failureResult } from '../execution/failure.ts'
import { McpError } from '../protocol/errors.ts'
import type { Task, TaskStep } from '../task.ts'
import { complete, ofRun } from '../task-steps.ts'
import type { Tasks } from './tasks.ts'

export interface KeepParts {
  readonly tasks: Tasks
  readonly log: Log
}

const MAX_PAUSE_MS = 2000
/** Attempts while the server goes down. */
const MAX_LAST_TRIES = 5

// What a task has come to is not lost because it cannot be kept just now.
export async function keep(
  { tasks, log }: KeepParts,
  { id, run, tool, createdAtMs, ttlMs }: Task,
  step: TaskStep,
): Promise<void> {
  let kept = step
  for (let tries = 1; Date.now() < createdAtMs + ttlMs; tries++) {
    try {
      await tasks.change(id, ofRun(run, kept))
      return
    } catch (error) {
      log.warn({ reason: (error as Error).message, tries }, 'the outcome of a task was not kept yet')
      if (tasks.isStopping && tries >= MAX_LAST_TRIES) return
      if (error instanceof McpError && error.reason === 'RATE_LIMITED') kept = tooMuch(tool)
      else await sleep(Math.min(MAX_PAUSE_MS, 50 * 2 ** tries))
    }
  }
}

function tooMuch(tool: string): TaskStep {
  const text = `The result of ${tool} could not be kept: the tasks of this client hold too much`
  return complete({ kind: 'limited', result: failureResult(text) }, text)
}

/** A call that has ended may be handed out yet, or be answered like any other, in a moment ms. */
const MOMENT_MS = 5000

interface Known {
  readonly id: string
  /** Whether its client was told of it, as far as its run has seen: one that is gone cannot be asked. */
  wasHandedOut(): boolean
}

// Of what ended within its request, the request tells.
export async function whenHandedOut(tasks: Tasks, { id, wasHandedOut }: Known, report: () => void): Promise<void> {
  let isKnown = false
  const look = (task: Task | undefined) => {
    if (isKnown || task?.isHandedOut === false) return
    isKnown = true
    stop()
    clearTimeout(timer)
    if (task !== undefined || wasHandedOut()) report()
  }
  const stop = tasks.watch(id, look)
  const timer = setTimeout(stop, tasks.rules.inlineMs + MOMENT_MS).unref()
  look(await tasks.read(id))
}
