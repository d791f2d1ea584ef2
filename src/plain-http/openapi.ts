// The OpenAPI document of plain HTTP, made from the tools that a caller sees. OpenAPI 3.1.
import type { JsonObject } from '../protocol/messages.ts'
import type { Tool } from '../registry/tool.ts'
import { json, OWN_PATHS, OWN_SCHEMAS, PARAMETERS, RESPONSES, ref } from './openapi-components.ts'
import { placeSchema } from './openapi-schemas.ts'

export type Credential = 'token' | 'API key'

export interface OpenApiFacts {
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** Without a slash at its end; undefined: where the document is. */
  readonly serverUrl: string | undefined
  /** What callers may send; none without access control. */
  readonly credentials: readonly Credential[]
  /** Who makes tokens, and for what; undefined: the server says no issuer. */
  readonly tokens?: { readonly issuers: readonly string[]; readonly audience: string } | undefined
}

export type OpenApiTool = Pick<Tool, 'name' | 'listed' | 'scopes' | 'task' | 'hasIdempotency'>

const inputName = (name: string) => `${name}.input`
const outputName = (name: string) => `${name}.output`

export function createOpenApi(tools: readonly OpenApiTool[], facts: OpenApiFacts): JsonObject {
  const { title, version, description, serverUrl, credentials } = facts
  const hasAccessControl = credentials.length > 0
  const paths = tools.map(tool => [`/tools/${encodeURIComponent(tool.name)}`, { post: toOperation(tool, facts) }])
  return {
    openapi: '3.1.0',
    info: { title, version, ...(description !== undefined && { description }) },
    ...(serverUrl !== undefined && { servers: [{ url: serverUrl }] }),
    ...(hasAccessControl && { security: [{ bearer: [] }] }),
    paths: { ...OWN_PATHS, ...Object.fromEntries(paths) },
    components: {
      schemas: { ...OWN_SCHEMAS, ...Object.fromEntries(tools.flatMap(toSchemas)) },
      responses: RESPONSES,
      parameters: PARAMETERS,
      ...(hasAccessControl && { securitySchemes: { bearer: toBearerScheme(facts) } }),
    },
  }
}

// Not `oauth2` or `openIdConnect`: they need URLs that only the issuer knows.
function toBearerScheme({ tokens, credentials }: OpenApiFacts): JsonObject {
  const [only, ...others] = credentials
  const bearerFormat = others.length > 0 ? 'JWT or API key' : only === 'token' ? 'JWT' : only
  const kinds = credentials.map(kind => {
    if (kind === 'API key') return 'An API key (`trk_…`).'
    return tokens && `A token of ${tokens.issuers.join(' or ')} for the audience ${tokens.audience}.`
  })
  const description = kinds.filter(kind => kind !== undefined).join(' ')
  return { type: 'http', scheme: 'bearer', bearerFormat, ...(description !== '' && { description }) }
}

function toSchemas({ name, listed }: OpenApiTool): [string, JsonObject][] {
  const { inputSchema, outputSchema } = listed as Record<string, JsonObject | undefined>
  const place = (key: string, schema: JsonObject): [string, JsonObject] => [
    key,
    placeSchema(schema, `#/components/schemas/${key}`),
  ]
  const input = place(inputName(name), inputSchema!)
  return outputSchema === undefined ? [input] : [input, place(outputName(name), outputSchema)]
}

function toOperation({ name, listed, scopes, task, hasIdempotency }: OpenApiTool, facts: OpenApiFacts): JsonObject {
  const { title, description, inputSchema, outputSchema } = listed as Record<string, JsonObject | undefined>
  const schema = ref('schemas', inputName(name))
  const isTask = task !== 'forbidden'
  const parameters = [
    ...(hasIdempotency ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(isTask ? [ref('parameters', 'Prefer')] : []),
  ]
  const required = inputSchema?.['required']
  return {
    operationId: name,
    ...(title !== undefined && { summary: title }),
    ...(description !== undefined && { description }),
    tags: ['tools'],
    ...(parameters.length > 0 && { parameters }),
    ...(facts.credentials.length > 0 && scopes.length > 0 && { security: [{ bearer: scopes }] }),
    requestBody: {
      required: Array.isArray(required) && required.length > 0,
      content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
    },
    responses: {
      200: {
        description: 'The result.',
        content: {
          ...json(outputSchema === undefined ? {} : ref('schemas', outputName(name))),
          'text/plain': { schema: { type: 'string' } },
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      ...(isTask && { 202: ref('responses', 'Task') }),
      409: ref('responses', 'Question'),
      422: ref('responses', 'Problem'),
      default: ref('responses', 'Problem'),
    },
  }
}
