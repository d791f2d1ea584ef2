// Pages of a registry: each serialised once per change, with cursors that only this server can make.
// Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import { ownerOf } from '../access/identity.ts'
import type { Exchange } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { ListParams } from '../protocol/schemas/common.ts'
import type { Entry, Page, PageWriter, Registry } from '../registry/registry.ts'
import { type Method, Serialised, type Services } from './method.ts'

interface Cursor {
  readonly list: string
  readonly digest: string
  readonly from: number
  /** Who may go on with it. */
  readonly owner: string | undefined
}

type Entries = Registry<Entry>

/** @param member the result's member that holds the entries, such as `tools` */
export function listMethod(member: string, registryOf: (services: Services) => Entries): Method {
  return {
    params: ListParams,
    serve(exchange, services) {
      const registry = registryOf(services)
      const from = startOf(exchange, services, member, registry)
      return {
        result: new Serialised(
          registry.page(from, services.rules.pageSize, writerFor(exchange, services, member, registry)),
        ),
      }
    },
  }
}

function startOf({ params, caller }: Exchange, { seal }: Services, member: string, registry: Entries): number {
  const { cursor } = params as ListParams
  if (cursor === undefined) return 0
  const opened = seal.open('cursor', cursor) as Cursor | undefined
  if (opened === undefined || opened.list !== member || opened.owner !== ownerOf(caller))
    throw new McpError('INVALID_CURSOR', 'it is none of this list; start without one')
  if (opened.digest !== registry.digest)
    throw new McpError('INVALID_CURSOR', 'the list has changed; start again without one')
  return opened.from
}

function writerFor(exchange: Exchange, services: Services, member: string, registry: Entries): PageWriter<Entry> {
  const { revision, method, caller } = exchange
  const { access } = services
  const owner = ownerOf(caller)
  const write = (page: Page<Entry>) => {
    const cursor =
      page.next === undefined ? undefined : { list: member, digest: registry.digest, from: page.next, owner }
    const result = pageResult(member, page.entries, { cursor, isPrivate: caller !== undefined, services })
    return JSON.stringify(revision.shape(method, revision.namesServer ? named(result, services) : result))
  }
  if (caller === undefined) return { variant: revision.version, write }
  // Callers with the same scopes read the same page, but for its cursor, which is the subject's own.
  const granted = registry.scopes.filter(scope => access.may(caller, [scope]))
  const reader = registry.size > services.rules.pageSize ? owner : ''
  const isListed = ({ scopes }: Entry) => scopes.every(scope => granted.includes(scope))
  return { variant: JSON.stringify([revision.version, granted, reader]), isListed, write }
}

interface PageParts {
  readonly cursor: Cursor | undefined
  readonly isPrivate: boolean
  readonly services: Services
}

function pageResult(list: string, entries: readonly Entry[], { cursor, isPrivate, services }: PageParts): JsonObject {
  return {
    [list]: entries.map(({ listed }) => listed),
    nextCursor: cursor && services.seal.seal('cursor', cursor),
    resultType: 'complete',
    ttlMs: services.rules.listTtlMs,
    cacheScope: isPrivate ? 'private' : 'public',
  }
}

const named = (result: JsonObject, { serverMeta }: Services): JsonObject => ({ ...result, _meta: serverMeta })
