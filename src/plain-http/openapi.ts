// The OpenAPI document of plain HTTP, made from the tools that a caller sees. OpenAPI 3.1.
import type { JsonObject } from '../protocol/messages.ts'
import {
  LIST_PATHS,
  OWN_SCHEMAS,
  PARAMETERS,
  REQUEST_BODIES,
  RESPONSES,
  TAGS,
  TASK_PATHS,
} from './openapi-components.ts'
import { OperationIds, type Paths } from './openapi-ids.ts'
import { toSafeMarkdown } from './openapi-markdown.ts'
import { describeTool, type OpenApiTool, toPaths } from './openapi-operations.ts'

export type { OpenApiTool } from './openapi-operations.ts'

export type Credential = 'token' | 'API key'

export interface OpenApiFacts {
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** Where the client has found the server, without a slash at its end. */
  readonly serverUrl: string
  /** What callers may send; none without access control. */
  readonly credentials: readonly Credential[]
  /** Who makes tokens, and for what; undefined: the server says no issuer. */
  readonly tokens?: { readonly issuers: readonly string[]; readonly audience: string } | undefined
}

export function createOpenApi(tools: readonly OpenApiTool[], facts: OpenApiFacts): JsonObject {
  const { title, version, description, serverUrl, credentials } = facts
  const hasAccessControl = credentials.length > 0
  const hasTasks = tools.some(({ task }) => task !== 'forbidden')
  const ids = new OperationIds()
  // Calls first: a tool is called by its own name.
  const described = tools.map(tool => describeTool(tool, ids.claim(tool.name)))
  const paths = {
    ...Object.fromEntries(described.flatMap(each => toPaths(each, { ids, hasAccessControl }))),
    ...ids.claimAll({ ...LIST_PATHS, ...(hasTasks && TASK_PATHS) }),
  }
  const parts: Readonly<Record<string, JsonObject>> = {
    schemas: Object.assign({ ...OWN_SCHEMAS }, ...described.map(({ components }) => components)),
    responses: RESPONSES,
    parameters: PARAMETERS,
    requestBodies: REQUEST_BODIES,
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      license: LICENSE,
      ...(description !== undefined && { description: toSafeMarkdown(description) }),
    },
    servers: [{ url: serverUrl }],
    security: hasAccessControl ? [{ bearer: [] }] : [],
    tags: TAGS,
    paths,
    components: {
      ...pickUsed(parts, paths),
      ...(hasAccessControl && { securitySchemes: { bearer: toBearerScheme(facts) } }),
    },
  }
}

/** Tools have no license that the server knows of; linters ask for the member. */
const LICENSE = { name: 'Not stated', identifier: 'NOASSERTION' }

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

/** The components that the paths refer to, also by way of others. */
function pickUsed(components: Readonly<Record<string, JsonObject>>, paths: Paths): JsonObject {
  const used = new Set<string>()
  const open: unknown[] = [paths]
  for (const value of open) {
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      const [, kind, name] = (key === '$ref' && typeof each === 'string' && REFERENCE.exec(each)) || []
      if (kind === undefined) open.push(each)
      else if (!used.has(`${kind}/${name}`)) {
        used.add(`${kind}/${name}`)
        open.push(components[kind]?.[name!])
      }
    }
  }
  const pick = (kind: string) =>
    Object.fromEntries(Object.entries(components[kind]!).filter(([name]) => used.has(`${kind}/${name}`)))
  return Object.fromEntries(Object.keys(components).map(kind => [kind, pick(kind)]))
}

const REFERENCE = /^#\/components\/([^/]+)\/([^/]+)/
