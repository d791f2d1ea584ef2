// Revision 2026-07-28: stateless, metadata on every request, any JSON as structure, task extension.
// Spec 2026-07-28: changelog, basic/index, server/tools. Extension io.modelcontextprotocol/tasks.
import { toDraft07Readable } from '@toolrack/json-schema/draft-07-readers'
import { isObject, type JsonObject } from '../messages.ts'
import { TASKS_EXTENSION } from '../schemas/common.ts'
import type { LaterRevision } from './chain.ts'
import {
  byMethod,
  inEach,
  inEachValue,
  inFormFields,
  inMember,
  inSampledBlocks,
  omit,
  patternInWords,
  structureAsText,
} from './reshape.ts'
import type { ClientRequest } from './revision.ts'

const downgrade = byMethod({
  initialize: inMember('capabilities', olderCapabilities),
  'tools/list': inEach('tools', olderTool),
  'tools/call': objectOnly,
  'tasks/result': objectOnly,
})

/** Runs before `withoutHints`: the `ttlMs` of a task is its lifetime, not a cache hint. */
const downgradeTasks = byMethod({
  'tools/call': result => (result['resultType'] === 'task' ? olderHandle(result) : result),
  'tasks/get': olderTask,
  'tasks/cancel': olderTask,
  'tasks/list': inEach('tasks', olderTask),
})

const withoutHints = omit('resultType', 'ttlMs', 'cacheScope')

// Only older clients need to know which tools make tasks.
const hideExecution = byMethod({ 'tools/list': inEach('tools', omit('execution')) })
// Only this revision puts requests to the client into results.
const hideInQuestions = inMember(
  'inputRequests',
  inEachValue(asked => hideInQuestion(asked as JsonObject & ClientRequest)),
)

export const revision20260728: LaterRevision = {
  version: '2026-07-28',
  removes: [
    'initialize',
    'ping',
    'resources/subscribe',
    'resources/unsubscribe',
    'logging/setLevel',
    'tasks/result',
    'tasks/list',
  ],
  adds: ['server/discover', 'subscriptions/listen', 'tasks/update'],
  facts: {
    era: 'modern',
    mirrorsParams: true,
    includesServerInfo: true,
    structures: 'any',
    refusesMissingCapabilities: true,
    primesStreams: false,
    tasks: { onRequest: false },
    errors: {},
  },
  hide: (method, result) => hideInQuestions(hideExecution(method, result)),
  hideInQuestion,
  downgrade: (method, result) => downgrade(method, withoutHints(downgradeTasks(method, result))),
  downgradeQuestion,
}

// Only roots/list keeps its `_meta`.
function hideInQuestion<Q extends ClientRequest>(question: Q): Q {
  const { method, params } = question
  if (method === 'roots/list' || params === undefined) return question
  const known = omit('_meta')(inFormFields(patternInWords)(params))
  return known === params ? question : { ...question, params: known }
}

// Tasks were a capability, not an extension. SEP-2133 has extensions in every handshake.
function olderCapabilities({ extensions, ...capabilities }: JsonObject): JsonObject {
  if (!isObject(extensions)) return capabilities
  const { [TASKS_EXTENSION]: tasks, ...others } = extensions
  return {
    ...capabilities,
    ...(Object.keys(others).length > 0 && { extensions: others }),
    ...(tasks !== undefined && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  }
}

// `_meta` of the result stood beside the task.
const olderHandle = ({ _meta, ...task }: JsonObject): JsonObject => ({
  task: olderTask(task),
  ...(_meta !== undefined && { _meta }),
})

// Older clients get the result by tasks/result. A result with `isError` made the task fail.
function olderTask({
  resultType: _type,
  status,
  ttlMs,
  pollIntervalMs,
  result,
  error: _error,
  inputRequests: _open,
  ...task
}: JsonObject): JsonObject {
  const isFailure = status === 'completed' && isObject(result) && result['isError'] === true
  return { ...task, status: isFailure ? 'failed' : status, ttl: ttlMs, pollInterval: pollIntervalMs }
}

// Structured content had to be an object.
function objectOnly(result: JsonObject): JsonObject {
  const { structuredContent } = result
  return structuredContent === undefined || isObject(structuredContent) ? result : structureAsText(result)
}

function olderTool(tool: JsonObject): JsonObject {
  const { outputSchema, ...rest } = tool
  const older = inMember('inputSchema', olderToolSchema)(rest)
  if (!isObject(outputSchema) || outputSchema['type'] !== 'object') return older
  return { ...older, outputSchema: olderToolSchema(outputSchema) }
}

// 2025-11-25 made 2020-12 the default dialect, but its clients read draft-07, as before.
const olderToolSchema = (schema: JsonObject): JsonObject => olderSchema(toDraft07Readable(schema))

// `properties` held object schemas only, and no header mirrored them.
function olderSchema(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(olderProperty)) }
}

function olderProperty([name, schema]: [string, unknown]): [string, unknown] {
  if (!isObject(schema)) return [name, schema === false ? { not: {} } : {}]
  const { 'x-mcp-header': _header, ...rest } = schema
  return [name, olderSchema(rest)]
}

// A URL elicitation had an id, for the notification of its completion.
function downgradeQuestion(question: ClientRequest, id: string): ClientRequest {
  const { method, params } = question
  if (params?.['mode'] === 'url') return { method, params: { ...params, elicitationId: id } }
  if (method !== 'sampling/createMessage' || params === undefined) return question
  const older = inSampledBlocks(block => (block['type'] === 'tool_result' ? objectOnly(block) : block))(params)
  return { method, params: inEach('tools', olderTool)(older) }
}
