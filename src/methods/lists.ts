// Pages of a registry: each serialised once per change, with cursors that only this server can make.
// Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import type { Exchange } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { ListParams } from '../protocol/schemas/common.ts'
import type { Entry, Page, Registry } from '../registry/registry.ts'
import { type Method, Serialised, type Services } from './method.ts'

interface Cursor {
  readonly list: string
  readonly digest: string
  readonly from: number
}

/** @param member the result's member that holds the entries, such as `tools` */
export function listMethod(member: string, registryOf: (services: Services) => Registry<Entry>): Method {
  return {
    params: ListParams,
    serve(exchange, services) {
      const registry = registryOf(services)
      const from = startOf(exchange, services, member, registry)
      const { revision, method } = exchange
      const write = (page: Page<Entry>) => {
        const result = pageResult(member, registry.digest, page, services)
        return JSON.stringify(revision.shape(method, revision.namesServer ? named(result, services) : result))
      }
      return {
        result: new Serialised(registry.page(from, services.rules.pageSize, { variant: revision.version, write })),
      }
    },
  }
}

function startOf({ params }: Exchange, { seal }: Services, member: string, registry: Registry<Entry>): number {
  const { cursor } = params as ListParams
  if (cursor === undefined) return 0
  const opened = seal.open('cursor', cursor) as Cursor | undefined
  if (opened === undefined || opened.list !== member)
    throw new McpError('INVALID_CURSOR', 'it is none of this list; start without one')
  if (opened.digest !== registry.digest)
    throw new McpError('INVALID_CURSOR', 'the list has changed; start again without one')
  return opened.from
}

function pageResult(list: string, digest: string, { entries, next }: Page<Entry>, services: Services): JsonObject {
  const cursor: Cursor | undefined = next === undefined ? undefined : { list, digest, from: next }
  return {
    [list]: entries.map(({ listed }) => listed),
    nextCursor: cursor && services.seal.seal('cursor', cursor),
    resultType: 'complete',
    ttlMs: services.rules.listTtlMs,
    cacheScope: 'public',
  }
}

const named = (result: JsonObject, { serverMeta }: Services): JsonObject => ({ ...result, _meta: serverMeta })
