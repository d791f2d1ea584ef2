// Revision 2025-11-25: the last that opens with a handshake. No metadata of 2026-07-28 on results; errors of a request
// that was understood are HTTP 200, since 404 says that the session is gone.
// Spec 2025-11-25: basic/lifecycle, basic/transports, server/tools.
import { isObject, type JsonObject } from '../messages.ts'
import { TASKS_EXTENSION } from '../schemas/common.ts'
import { own } from './own.ts'
import { byMethod, each, sampledBlocks, structureAsText, within, without } from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

const downgrade = byMethod({
  initialize: within('capabilities', olderCapabilities),
  'tools/list': each('tools', olderTool),
  'tools/call': objectOnly,
  'tasks/result': objectOnly,
})

/** Of a task `ttlMs` is no hint for a cache. */
const downgradeTasks = byMethod({
  'tools/call': result => (result['resultType'] === 'task' ? olderHandle(result) : result),
  'tasks/get': olderTask,
  'tasks/cancel': olderTask,
  'tasks/list': each('tasks', olderTask),
})

const withoutHints = without('resultType', 'ttlMs', 'cacheScope')

export const revision20251125: Revision = before(own, {
  version: '2025-11-25',
  era: 'legacy',
  methods: new Set([
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
  ]),
  names: new Map(),
  tasks: { onRequest: true },
  mirrorsParams: false,
  refusesUnaskable: false,
  namesServer: false,
  primesStreams: true,
  errors: {
    METHOD_NOT_FOUND: { status: 200 },
    INVALID_PARAMS: { status: 200 },
    INTERNAL_ERROR: { status: 200 },
    RESOURCE_NOT_FOUND: { code: -32002 },
    MISSING_CAPABILITY: { code: -32600, status: 200, dropsData: true },
  },
  downgrade: (method, result) => downgrade(method, withoutHints(downgradeTasks(method, result))),
  downgradeQuestion,
})

// Tasks were no extension yet.
function olderCapabilities({ extensions, ...capabilities }: JsonObject): JsonObject {
  if (!isObject(extensions) || extensions[TASKS_EXTENSION] === undefined) return capabilities
  return { ...capabilities, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
}

// What is said of the result stood beside the task.
const olderHandle = ({ _meta, ...task }: JsonObject): JsonObject => ({
  task: olderTask(task),
  ...(_meta !== undefined && { _meta }),
})

// How it ended was told apart: by tasks/result. A result that says that the tool failed was a task that failed.
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

// The structure of a result was an object, or there was none.
function objectOnly(result: JsonObject): JsonObject {
  const { structuredContent } = result
  return structuredContent === undefined || isObject(structuredContent) ? result : structureAsText(result)
}

function olderTool(tool: JsonObject): JsonObject {
  const { outputSchema, ...rest } = tool
  const older = within('inputSchema', olderSchema)(rest)
  if (!isObject(outputSchema) || outputSchema['type'] !== 'object') return older
  return { ...older, outputSchema: olderSchema(outputSchema) }
}

// `properties` held schemas that are objects, and headers mirrored none of them.
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

// A question by URL had an id, by which its end could be told.
function downgradeQuestion(question: ClientRequest, id: string): ClientRequest {
  const { method, params } = question
  if (params?.['mode'] === 'url') return { method, params: { ...params, elicitationId: id } }
  if (method !== 'sampling/createMessage' || params === undefined) return question
  const older = sampledBlocks(block => (block['type'] === 'tool_result' ? objectOnly(block) : block))(params)
  return { method, params: each('tools', olderTool)(older) }
}
