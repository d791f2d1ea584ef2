// What 2025-11-25 says of tasks that its schema leaves open: members of a task, times, where it is said whose a message is.
import type { WireMessage } from './modern.ts'

type Json = Record<string, unknown>

export const RELATED = 'io.modelcontextprotocol/related-task'

const MEMBERS = ['taskId', 'status', 'statusMessage', 'createdAt', 'lastUpdatedAt', 'ttl', 'pollInterval']
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** @param method the request's, for a response @returns undefined where nothing is wrong */
export function taskFaultOf({ method: said, params, result }: WireMessage, method: string): string | undefined {
  if (said === 'notifications/tasks/status') return faultOfTask(params)
  if (result === undefined) return undefined
  switch (method) {
    case 'tasks/get':
    case 'tasks/cancel':
      return faultOfTask(result)
    case 'tasks/list':
      return relatedFault(result) ?? faultOfMembers(result, ['tasks', 'nextCursor']) ?? firstFault(result.tasks)
    case 'tasks/result':
      return typeof relatedIn(result) === 'string' ? undefined : 'a result without its task'
    case 'tools/call':
      return 'task' in result ? faultOfHandle(result) : undefined
    default:
      return undefined
  }
}

const relatedIn = ({ _meta }: NonNullable<WireMessage['result']>) => _meta?.[RELATED]?.taskId

function faultOfHandle(result: NonNullable<WireMessage['result']>): string | undefined {
  if (relatedIn(result) !== result.task.taskId) return 'a handle that does not say which task it is of'
  return faultOfMembers(result, ['task']) ?? faultOfTask(result.task)
}

const firstFault = (tasks: Json[]) => tasks.map(faultOfTask).find(fault => fault !== undefined)

function faultOfTask(task: Json): string | undefined {
  const times = [task['createdAt'], task['lastUpdatedAt']]
  if (!times.every(time => TIME.test(String(time)))) return 'a task without its times'
  return relatedFault(task) ?? faultOfMembers(task, MEMBERS)
}

// It names the task already.
const relatedFault = ({ _meta }: Json) =>
  RELATED in ((_meta as Json | undefined) ?? {}) ? 'a task that is related to itself' : undefined

function faultOfMembers(value: Json, known: readonly string[]): string | undefined {
  const strangers = Object.keys(value).filter(name => name !== '_meta' && !known.includes(name))
  return strangers.length === 0 ? undefined : `members that it does not know: ${strangers}`
}
