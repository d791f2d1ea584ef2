// resources/list, resources/templates/list, resources/read and, for sessions, resources/subscribe
// and resources/unsubscribe. Spec 2026-07-28: server/resources. Spec 2025-11-25: server/resources.
import { types } from 'node:util'
import { toContents } from '../execution/files.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { ReadResourceParams, SubscribeParams } from '../protocol/schemas/methods.ts'
import type { Catalog } from '../registry/catalog.ts'
import { findContentsIssue, toKnownContents, withBase64 } from '../registry/content.ts'
import { createFileUri, isFileUri, readFileId } from '../registry/file-uri.ts'
import type { Resource } from '../registry/resource.ts'
import type { Exchange } from '../request/exchange.ts'
import { requireSession } from '../request/required-session.ts'
import type { FileStore } from '../state/files.ts'
import { hasResources } from './discover.ts'
import { listMethod } from './lists.ts'
import type { Method, MethodResult, Uses } from './method.ts'
import { callHooked, runHandler } from './run-handler.ts'

export const listResources = listMethod({
  member: 'resources',
  findEntries: ({ resources }) => resources,
  isOffered: hasResources,
})
export const listResourceTemplates = listMethod({
  member: 'resourceTemplates',
  findEntries: ({ templates }) => templates,
  isOffered: hasResources,
})

export const readResource: Method<'catalog' | 'executor' | 'access' | 'hooks'> = {
  params: ReadResourceParams,
  target: { kind: 'uri', param: 'uri', find: (uri, catalog) => findResource(catalog, uri)?.resource },
  isOffered: (catalog, { uri }) => hasResources(catalog) || isFileUri(uri),
  serve(exchange, { catalog, executor, access, hooks }) {
    const { uri } = exchange.params as ReadResourceParams
    if (isFileUri(uri)) return readKeptFile(exchange, executor.files, uri)
    const found = findResource(catalog, uri)
    if (found === undefined || !hooks.isVisible(found.resource, exchange.caller, exchange)) throw resourceNotFound(uri)
    const { resource, variables } = found
    access.assertMay(exchange.caller, resource)
    return runHandler(executor, exchange, resource.key, {
      use: resource.use,
      handler: ctx =>
        callHooked({
          hooks: [...hooks.onReadResource, ...resource.onReadResource],
          ctx,
          value: uri,
          describe: () => ({ resource: resource.info, uri, variables }),
          handler: (_uri, own) => resource.handler(uri, { ...variables }, own),
        }),
      shape: returned => ({
        resultType: 'complete',
        ...toReadResult(resource, uri, returned),
        ttlMs: 0,
        cacheScope: 'private',
      }),
    })
  },
}

// Neither cleaned nor bounded like a result: it is the tool's file, byte by byte.
async function readKeptFile({ owner }: Exchange, files: FileStore, uri: string): Promise<MethodResult> {
  const found = await files.find(readFileId(uri))
  const isOwn = found !== undefined && found.owner === owner
  if (!isOwn || createFileUri(readFileId(uri), found.name) !== uri) throw resourceNotFound(uri)
  const contents = [{ uri, ...toContents(found.mimeType, found.bytes) }]
  return { result: { resultType: 'complete', contents, ttlMs: 0, cacheScope: 'private' } }
}

/** Whether a caller may learn that a resource has changed. A URI without a resource is not hidden. */
export function mayRead(
  { catalog, access, hooks }: Uses<'catalog' | 'access' | 'hooks'>,
  { caller, capabilities }: Pick<Exchange, 'caller' | 'capabilities'>,
  uri: string,
): boolean {
  const resource = findResource(catalog, uri)?.resource
  if (resource === undefined) return true
  return access.may(caller, resource.scopes) && hooks.isVisible(resource, caller, { capabilities })
}

/** Whether a caller may subscribe to a URI. A hidden resource looks like one that does not exist. */
export function mayWatch(
  { catalog, access, hooks }: Uses<'catalog' | 'access' | 'hooks'>,
  exchange: Exchange,
  uri: string,
): boolean {
  const resource = findResource(catalog, uri)?.resource
  if (resource === undefined || !hooks.isVisible(resource, exchange.caller, exchange)) return true
  return access.may(exchange.caller, resource.scopes)
}

/**
 * Finds the resource or template that serves a URI. It is the same for all callers: if it is hidden
 * from one, no other entry takes its place.
 *
 * @returns for a template, also the facts on this URI that its rules see
 */
export function findResource(
  catalog: Catalog,
  uri: string,
): { resource: Resource; variables: Record<string, string> } | undefined {
  const resource = catalog.resources.find(uri)
  if (resource !== undefined) return { resource, variables: {} }
  for (const template of catalog.templates.all()) {
    const variables = template.template?.match(uri)
    if (variables === undefined) continue
    return { resource: { ...template, info: { ...template.info, uri, variables } }, variables }
  }
  return undefined
}

const resourceNotFound = (uri: string) => new McpError('RESOURCE_NOT_FOUND', uri, { data: { uri } })

function toReadResult({ mimeType }: Resource, uri: string, returned: unknown): JsonObject {
  if (returned === undefined) throw resourceNotFound(uri)
  if (typeof returned === 'string') return { contents: [{ uri, mimeType, text: returned }] }
  if (types.isUint8Array(returned)) return { contents: [withBase64({ uri, mimeType, blob: returned })] }
  const contents = isObject(returned) ? returned['contents'] : undefined
  if (!Array.isArray(contents) || contents.length === 0) throw new Error('returned neither text, bytes nor contents')
  for (const [index, entry] of contents.entries()) {
    const fault = findContentsIssue(entry)
    if (fault !== undefined) throw new Error(`returned invalid contents: contents.${index}${fault}`)
  }
  return { contents: contents.map(toKnownContents) }
}

export const subscribe: Method<'catalog' | 'access' | 'hooks'> = {
  params: SubscribeParams,
  target: { kind: 'uri', param: 'uri' },
  isOffered: hasResources,
  assertAllowed: requireSession,
  async serve(exchange, { catalog, access, hooks }) {
    const { uri } = exchange.params as SubscribeParams
    const found = findResource(catalog, uri)
    if (found === undefined || !hooks.isVisible(found.resource, exchange.caller, exchange)) throw resourceNotFound(uri)
    access.assertMay(exchange.caller, found.resource)
    await requireSession(exchange).subscribe(uri)
    return { result: {} }
  },
}

/** Also removes subscriptions to resources that no longer exist. */
export const unsubscribe: Method<never> = {
  params: SubscribeParams,
  target: { kind: 'uri', param: 'uri' },
  isOffered: hasResources,
  assertAllowed: requireSession,
  async serve(exchange) {
    await requireSession(exchange).unsubscribe((exchange.params as SubscribeParams).uri)
    return { result: {} }
  },
}
