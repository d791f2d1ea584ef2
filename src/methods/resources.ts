// resources/list, resources/templates/list, resources/read. Spec 2026-07-28: server/resources.
import type { Caller } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { ReadResourceParams } from '../protocol/schemas/methods.ts'
import { faultOfContents, knownContents } from '../registry/blocks.ts'
import type { Catalog } from '../registry/catalog.ts'
import { withBase64 } from '../registry/content.ts'
import type { Resource } from '../registry/resource.ts'
import { askHandler } from './ask-handler.ts'
import { listMethod } from './lists.ts'
import type { Method, Services } from './method.ts'

export const listResources = listMethod('resources', ({ catalog }) => catalog.resources)
export const listResourceTemplates = listMethod('resourceTemplates', ({ catalog }) => catalog.templates)

export const readResource: Method = {
  params: ReadResourceParams,
  findScopes: (uri, catalog) => findResource(catalog, uri)?.resource.scopes,
  serve(exchange, { catalog, executor, access }) {
    const { uri } = exchange.params as ReadResourceParams
    const found = findResource(catalog, uri)
    if (found === undefined) throw notFound(uri)
    const { resource, variables } = found
    access.assertMay(exchange.caller, resource)
    return askHandler(executor, exchange, resource.key, {
      handler: context => resource.handler(uri, variables, context),
      shape: returned => ({
        resultType: 'complete',
        ...contentsOf(resource, uri, returned),
        ttlMs: 0,
        cacheScope: 'private',
      }),
    })
  },
}

/** Whether somebody may hear of it; where nothing is served nothing is hidden. */
export function mayRead(
  { catalog, access }: Pick<Services, 'catalog' | 'access'>,
  caller: Caller | undefined,
  uri: string,
): boolean {
  return access.may(caller, findResource(catalog, uri)?.resource.scopes ?? [])
}

export function findResource(
  catalog: Catalog,
  uri: string,
): { resource: Resource; variables: Record<string, string> } | undefined {
  const resource = catalog.resources.find(uri)
  if (resource !== undefined) return { resource, variables: {} }
  for (const template of catalog.templates.all()) {
    const variables = template.template?.match(uri)
    if (variables !== undefined) return { resource: template, variables }
  }
  return undefined
}

const notFound = (uri: string) => new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })

function contentsOf({ mimeType }: Resource, uri: string, returned: unknown): JsonObject {
  if (returned === undefined) throw notFound(uri)
  if (typeof returned === 'string') return { contents: [{ uri, mimeType, text: returned }] }
  if (returned instanceof Uint8Array) return { contents: [withBase64({ uri, mimeType, blob: returned })] }
  const contents = isObject(returned) ? returned['contents'] : undefined
  if (!Array.isArray(contents) || contents.length === 0) throw new Error('returned neither text, bytes nor contents')
  for (const [index, entry] of contents.entries()) {
    const fault = faultOfContents(entry)
    if (fault !== undefined) throw new Error(`returned invalid contents: contents.${index}${fault}`)
  }
  return { contents: contents.map(knownContents) }
}
