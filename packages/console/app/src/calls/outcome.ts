// The outcome of a call, in a word and a colour.
import type { TaskEntry } from '../tasks/task-list.ts'
import type { Call } from './call.ts'

export interface Outcome {
  readonly word: string
  /** Grey if it was the user's decision. */
  readonly dot: 'ok' | 'danger' | 'warning' | 'run' | 'off'
}

const RUNNING: Outcome = { word: 'Running', dot: 'run' }
const WAITS: Outcome = { word: 'Waits for your answer', dot: 'warning' }
const OK: Outcome = { word: 'OK', dot: 'ok' }
const TOOL_ERROR: Outcome = { word: 'Tool error', dot: 'danger' }
const REFUSED: Outcome = { word: 'Refused', dot: 'danger' }
const NO_ANSWER: Outcome = { word: 'No answer', dot: 'danger' }
const CANCELLED: Outcome = { word: 'Cancelled by you', dot: 'off' }
const DECLINED: Outcome = { word: 'Declined by you', dot: 'off' }

/** @param isAsking whether a question of the call is open @param task that the call has become */
export function findOutcome(call: Call, isAsking: boolean, task: TaskEntry | undefined): Outcome {
  if (isAsking) return WAITS
  if (call.status === 'running') return RUNNING
  if (call.status === 'cancelled') return CANCELLED
  if (call.status === 'task') return findOutcomeOfTask(call, task)
  return findDecision(call) ?? (call.status === 'failed' ? findFailure(call) : toOutcome(call.result))
}

/**
 * The outcome if the user's answer has decided it: the tool has stopped, and its result explains
 * that.
 */
function findDecision({ answered }: Call): Outcome | undefined {
  if (answered?.action === 'decline') return DECLINED
  return answered?.action === 'cancel' ? CANCELLED : undefined
}

const toOutcome = (result: Call['result']): Outcome => (result?.['isError'] === true ? TOOL_ERROR : OK)

/** The server has answered with an error, or has not answered. */
const findFailure = ({ problem }: Call): Outcome => (problem?.said === undefined ? REFUSED : NO_ANSWER)

function findOutcomeOfTask(call: Call, task: TaskEntry | undefined): Outcome {
  switch (task?.status) {
    case undefined:
      return { word: 'Task', dot: 'off' }
    case 'completed':
      return findDecision(call) ?? toOutcome(task.result)
    case 'failed':
      return { word: 'Task failed', dot: 'danger' }
    case 'cancelled':
      return CANCELLED
    case 'input_required':
      return WAITS
    default:
      return { word: 'Task running', dot: 'run' }
  }
}
