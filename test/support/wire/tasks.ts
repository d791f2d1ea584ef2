// Checks messages of tasks against the schema of the extension io.modelcontextprotocol/tasks (test/support/spec), and stricter:
// its objects are open to any member, ours have none beyond those that the page names.
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Schema {
  properties?: Record<string, unknown>
}

const schema = JSON.parse(readFileSync(new URL('../spec/schema-tasks.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(schema, 'tasks')

const OF_STATUS: Record<string, string> = {
  working: 'WorkingTask',
  input_required: 'InputRequiredTask',
  completed: 'CompletedTask',
  failed: 'FailedTask',
  cancelled: 'CancelledTask',
}
const ACKNOWLEDGED: Record<string, string> = { 'tasks/update': 'UpdateTaskResult', 'tasks/cancel': 'CancelTaskResult' }

/** Of a result, and of the params of a notification. */
const ALWAYS = ['resultType', '_meta']
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

// biome-ignore lint/suspicious/noExplicitAny: what is checked here may be anything
type Json = any

/** @returns whether a result of this method is one of the extension's, and so was checked here @throws Error */
export function checkTaskResult(method: string, result: Json): boolean {
  const acknowledgement = ACKNOWLEDGED[method]
  if (acknowledgement !== undefined) check(acknowledgement, result, ALWAYS)
  else if (method === 'tasks/get') checkDetailed('GetTaskResult', result, result)
  else if (result.resultType === 'task') checkHandle(method, result)
  else return false
  return true
}

/** @throws Error where it is none that `tasks/get` could have answered */
export function checkTaskNotification(message: Json): void {
  checkDetailed('TaskStatusNotification', message, message.params)
  if ('resultType' in message.params) fault('a notification with a resultType', message)
}

/** What is agreed to of a subscription. @throws Error */
export const checkTaskFilter = (filter: Json): void => check('TaskSubscriptionAcknowledgedNotifications', filter)

function checkHandle(method: string, result: Json): void {
  if (method !== 'tools/call') fault(`a task in answer to ${method}`, result)
  check('CreateTaskResult', result, [...membersOf('Task'), ...ALWAYS])
  checkFacts(result)
}

function checkDetailed(definition: string, message: Json, task: Json): void {
  check(definition, message)
  check(OF_STATUS[task.status] ?? 'DetailedTask', task, [...membersOf(OF_STATUS[task.status]!), ...ALWAYS])
  if (definition === 'GetTaskResult' && task.resultType !== 'complete') fault('not complete', task)
  if (task.error !== undefined) check('Error', task.error, membersOf('Error'))
  if (task.result?._meta?.['io.modelcontextprotocol/related-task'] !== undefined) fault('a related task', task)
  checkFacts(task)
}

function checkFacts({ createdAt, lastUpdatedAt, ttlMs, pollIntervalMs = 1 }: Json): void {
  const areTimes = TIME.test(createdAt) && TIME.test(lastUpdatedAt) && createdAt <= lastUpdatedAt
  if (!areTimes) fault('times', { createdAt, lastUpdatedAt })
  if ((ttlMs !== null && ttlMs < 1) || pollIntervalMs < 1) fault('spans', { ttlMs, pollIntervalMs })
}

const membersOf = (definition: string): string[] => Object.keys((schema.$defs[definition] as Schema).properties ?? {})

function check(definition: string, value: object, members?: readonly string[]): void {
  const validate = ajv.getSchema(`tasks#/$defs/${definition}`) as ValidateFunction
  if (!validate(value)) fault(`not a ${definition}: ${ajv.errorsText(validate.errors)}`, value)
  const strangers = members === undefined ? [] : Object.keys(value).filter(name => !members.includes(name))
  if (strangers.length > 0) fault(`${strangers} in a ${definition}`, value)
}

function fault(what: string, value: unknown): never {
  throw new Error(`${what}\n${JSON.stringify(value).slice(0, 500)}`)
}
