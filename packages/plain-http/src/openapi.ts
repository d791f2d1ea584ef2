// The OpenAPI document of plain HTTP, made from the tools that a caller sees. OpenAPI 3.1.

import { readPointer } from '@toolrack/json-schema/pointer'
import type { JsonObject } from 'toolrack'
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

export interface OpenApiFacts {
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  /** The kinds of credentials that callers may send; empty without access control. */
  readonly credentials: readonly string[]
  /** The issuers of tokens, and their audience; undefined if the server names no issuer. */
  readonly tokens?: { readonly issuers: readonly string[]; readonly audience: string } | undefined
}

/** Without `servers`, which differ by request. */
export function createOpenApi(tools: readonly OpenApiTool[], facts: OpenApiFacts): JsonObject {
  const { title, version, description, credentials } = facts
  const hasAccessControl = credentials.length > 0
  const hasTasks = tools.some(({ task }) => task !== 'forbidden')
  const ids = new OperationIds()
  // Calls first, so that the operation of a call gets the plain name of its tool.
  const described = tools.map(tool => describeTool(tool, ids.claim(tool.name)))
  const paths = {
    ...Object.fromEntries(described.flatMap(each => toPaths(each, { ids, hasAccessControl }))),
    ...ids.claimAll({ ...LIST_PATHS, ...(hasTasks && TASK_PATHS) }),
  }
  const { schemas, ...fixed } = pickUsed(paths)
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      license: LICENSE,
      ...(description !== undefined && { description: toSafeMarkdown(description) }),
    },
    security: hasAccessControl ? [{ bearer: [] }] : [],
    tags: TAGS,
    paths,
    components: {
      schemas: Object.assign({ ...schemas }, ...described.map(({ components }) => components)),
      ...fixed,
      ...(hasAccessControl && { securitySchemes: { bearer: toBearerScheme(facts) } }),
    },
  }
}

/** The server does not know the license of tools, but linters ask for it. */
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

/** The fixed components that the paths refer to, directly or through others. */
function pickUsed(paths: Paths): Readonly<Record<string, JsonObject>> {
  const used = new Set<string>()
  const open: object[] = [paths]
  for (const value of open) {
    for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) open.push(each)
    const { $ref } = value as { $ref?: unknown }
    const found = typeof $ref === 'string' && !used.has($ref) ? readPointer($ref).reduce(getMember, FIXED) : undefined
    if (typeof found !== 'object' || found === null) continue
    used.add($ref as string)
    open.push(found)
  }
  const isUsed = (kind: string, name: string) => used.has(`#/components/${kind}/${name}`)
  const pick = ([kind, members]: [string, object]) =>
    [kind, Object.fromEntries(Object.entries(members).filter(([name]) => isUsed(kind, name)))] as const
  return Object.fromEntries(Object.entries(FIXED.components).map(pick))
}

const FIXED = {
  components: { schemas: OWN_SCHEMAS, responses: RESPONSES, parameters: PARAMETERS, requestBodies: REQUEST_BODIES },
}

const getMember = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
