// Checks a message against the official schema of any revision (test/spec); wire.ts is the same for the newest.
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { officialSchema } from './official-schema.ts'
import { assertWire, type WireMessage } from './wire.ts'
import { NEWS_NAMES, RESULT_NAMES } from './wire-names.ts'
import { taskFaultOf } from './wire-task.ts'

/** @throws Error where the message is not what the schema says @param method the request's, for a response */
export type AssertWire = (message: WireMessage, method?: string) => WireMessage

const RESULTS: Record<string, string> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  ...RESULT_NAMES,
  'tasks/get': 'GetTaskResult',
  'tasks/cancel': 'CancelTaskResult',
  'tasks/list': 'ListTasksResult',
  // Whatever the call would have answered: there are tasks of tools only.
  'tasks/result': 'CallToolResult',
}
const SAID: Record<string, string> = {
  ...NEWS_NAMES,
  'notifications/cancelled': 'CancelledNotification',
  'notifications/tasks/status': 'TaskStatusNotification',
}
const ASKED: Record<string, string> = {
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
  ping: 'PingRequest',
}
/** Members of results of 2026-07-28, which the older schemas would let pass as additional ones. */
const STRANGERS = ['resultType', 'ttlMs', 'cacheScope', 'inputRequests', 'requestState']

export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

const made = new Map<string, AssertWire>()

/** @param revision one of the versions that are served */
export function wireOf(revision: string): AssertWire {
  let check = made.get(revision)
  if (check === undefined) made.set(revision, (check = make(revision)))
  return check
}

function make(revision: string): AssertWire {
  if (revision === '2026-07-28') return assertWire
  const check = checkerOf(revision)
  const [errorName, resultName] =
    revision === '2025-11-25' ? ['JSONRPCErrorResponse', 'JSONRPCResultResponse'] : ['JSONRPCError', 'JSONRPCResponse']

  return (message, method = '') => {
    if (message.jsonrpc !== '2.0') throw new Error(`not JSON-RPC: ${JSON.stringify(message).slice(0, 500)}`)
    if (message.method !== undefined) check(nameOf(message), message)
    // Not schema-valid before 2025-11-25 without an id; yet there is none where the request's could not be read.
    else if (message.error !== undefined) check(errorName!, 'id' in message ? message : { ...message, id: 0 })
    else {
      check(resultName!, message)
      const strangers = STRANGERS.filter(name => name in message.result)
      if (strangers.length > 0) throw new Error(`${strangers} in a result of ${revision}`)
      if (method === 'tools/call' && 'task' in message.result) check('CreateTaskResult', message.result)
      else if (RESULTS[method] !== undefined) check(RESULTS[method], message.result)
    }
    const fault = taskFaultOf(message, method)
    if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(message).slice(0, 500)}`)
    return message
  }
}

function nameOf({ id, method }: WireMessage): string {
  const name = (id === undefined ? SAID : ASKED)[method!]
  if (name === undefined) throw new Error(`unexpected ${id === undefined ? 'notification' : 'request'} ${method}`)
  return name
}

function checkerOf(revision: string): (definition: string, value: unknown) => void {
  const { name, definitions } = officialSchema(revision)
  const options = { strict: false, allErrors: true }
  const ajv = name === '$defs' ? new Ajv2020(options) : new Ajv(options)
  formats.default(ajv)
  ajv.addSchema({ [name]: definitions }, 'mcp')

  return (definition, value) => {
    const validate = ajv.getSchema(`mcp#/${name}/${definition}`) as ValidateFunction | undefined
    if (validate === undefined) throw new Error(`${revision} has no ${definition}`)
    if (validate(value)) return
    const faults = ajv.errorsText(validate.errors)
    throw new Error(`not a ${definition} of ${revision}: ${faults}\n${JSON.stringify(value).slice(0, 500)}`)
  }
}
