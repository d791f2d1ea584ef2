// The operations of one tool in the OpenAPI document: describe it, read with it, call it, answer its
// questions.
import type { JsonObject } from 'toolrack'
import type { Tool } from 'toolrack/definitions'
import { json, PROBLEMS, ref } from './openapi-components.ts'
import { Fields } from './openapi-fields.ts'
import type { OperationIds } from './openapi-ids.ts'
import { toSafeMarkdown } from './openapi-markdown.ts'
import { type Components, toComponents } from './openapi-schemas.ts'

export type OpenApiTool = Pick<
  Tool,
  'name' | 'listed' | 'scopes' | 'task' | 'hasIdempotency' | 'hasContent' | 'isReadOnly'
>

/** A tool, and its id in the document. */
interface Described {
  readonly tool: OpenApiTool
  readonly id: string
  readonly components: Components
  readonly fields: Fields
}

const toInputName = (id: string) => `${id}.input`
const toOutputName = (id: string) => `${id}.output`

export function describeTool(tool: OpenApiTool, id: string): Described {
  const { inputSchema, outputSchema } = tool.listed as Record<string, JsonObject | undefined>
  const input = toComponents(inputSchema!, toInputName(id))
  const output = outputSchema === undefined ? {} : toComponents(outputSchema, toOutputName(id))
  return { tool, id, components: { ...input, ...output }, fields: new Fields(input, toInputName(id)) }
}

interface PathFacts {
  readonly ids: OperationIds
  /** Whether callers need the scopes of the tool. */
  readonly hasAccessControl: boolean
}

export function toPaths(
  described: Described,
  { ids, hasAccessControl }: PathFacts,
): readonly (readonly [string, JsonObject])[] {
  const { name, scopes, isReadOnly } = described.tool
  const common = {
    tags: ['tools'],
    ...(hasAccessControl && scopes.length > 0 && { security: [{ bearer: scopes }] }),
  }
  const get = isReadOnly ? toReading(described, ids) : toDescribing(described, ids)
  const path = `/tools/${encodeURIComponent(name)}`
  return [
    [path, { get: { ...get, ...common }, post: { ...toCalling(described), ...common } }],
    // That path belongs to tasks.
    ...(name === 'tasks'
      ? []
      : [[`${path}/answers`, { post: { ...toAnswering(described, ids), ...common } }] as const]),
  ]
}

const toTitle = ({ listed, name }: OpenApiTool) => (listed['title'] as string | undefined) ?? name

function toCalling({ tool, id, fields }: Described): JsonObject {
  const { listed, task, hasIdempotency } = tool
  const { description, inputSchema } = listed as { description?: string; inputSchema: JsonObject }
  const isTask = task !== 'forbidden'
  const parameters = [
    ...(hasIdempotency ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(isTask ? [ref('parameters', 'Prefer')] : []),
  ]
  const required = inputSchema['required']
  return {
    operationId: id,
    summary: toTitle(tool),
    ...(description !== undefined && { description: toSafeMarkdown(description) }),
    ...(parameters.length > 0 && { parameters }),
    requestBody: {
      required: Array.isArray(required) && required.length > 0,
      content: toBodies(id, fields),
    },
    responses: toResponses({ tool, id }, { 422: ref('responses', 'Problem') }),
  }
}

function toBodies(id: string, fields: Fields): JsonObject {
  const schema = ref('schemas', toInputName(id))
  const { encoding } = fields
  const encoded = encoding === undefined ? {} : { encoding }
  return {
    'application/json': { schema },
    'application/x-www-form-urlencoded': { schema, ...encoded },
    ...(fields.hasFiles && { 'multipart/form-data': { schema: fields.toParts(), ...encoded } }),
  }
}

/** A tool without arguments is described without a query, and read with an empty query. */
function toReading({ tool, id, fields }: Described, ids: OperationIds): JsonObject {
  const { parameters } = fields
  const isEither = parameters.every(each => each['required'] !== true)
  return {
    operationId: ids.claim(`${id}.read`),
    summary: `${toTitle(tool)}, by GET`,
    description: 'Calls the tool, which only reads, with the query as its arguments. Without one, describes it.',
    ...(parameters.length > 0 && { parameters }),
    responses: toResponses({ tool, id }, {}, isEither ? [ref('schemas', 'ToolInfo')] : []),
  }
}

const toDescribing = ({ tool, id }: Described, ids: OperationIds): JsonObject => ({
  operationId: ids.claim(`${id}.describe`),
  summary: `Describe ${tool.name}`,
  description: 'The tool as the list has it.',
  responses: {
    200: { description: 'The tool.', content: json(ref('schemas', 'ToolInfo')) },
    ...PROBLEMS,
  },
})

const toAnswering = ({ tool, id }: Described, ids: OperationIds): JsonObject => ({
  operationId: ids.claim(`${id}.answer`),
  summary: `Answer ${tool.name}`,
  description: 'Calls the tool again, with the answers to what it asked.',
  requestBody: ref('requestBodies', 'Answers'),
  responses: toResponses({ tool, id }, { 422: ref('responses', 'Problem') }),
})

/** @param others alternatives to the result, in JSON */
function toResponses(
  described: Pick<Described, 'tool' | 'id'>,
  more: JsonObject,
  others: readonly JsonObject[] = [],
): JsonObject {
  const result = toResultSchema(described)
  const schema = result === undefined || others.length === 0 ? (result ?? {}) : { anyOf: [result, ...others] }
  return {
    200: { description: RESULT, content: json(schema) },
    ...(described.tool.task !== 'forbidden' && { 202: ref('responses', 'Task') }),
    409: ref('responses', 'Question'),
    ...more,
    ...PROBLEMS,
  }
}

const RESULT = 'The result as JSON. `Accept` may ask for text/plain, text/event-stream or the type of a file.'

/**
 * Describes only JSON, because typed clients need one type.
 *
 * @returns undefined if it may be anything
 */
function toResultSchema({ tool, id }: Pick<Described, 'tool' | 'id'>): JsonObject | undefined {
  if (tool.listed['outputSchema'] === undefined) return undefined
  const output = ref('schemas', toOutputName(id))
  if (!tool.hasContent) return output
  const whole = {
    type: 'object',
    required: ['content', 'structuredContent'],
    properties: { content: { type: 'array', items: ref('schemas', 'Content') }, structuredContent: output },
  }
  return { anyOf: [whole, output] }
}
