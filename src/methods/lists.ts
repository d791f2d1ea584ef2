// Pages of a registry: each serialised once per change, with cursors that only this server can make.
// Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import { createHash } from 'node:crypto'
import { ownerOf } from '../access/identity.ts'
import type { Exchange } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { ListParams } from '../protocol/schemas/common.ts'
import type { Entry, Page, PageWriter, Registry } from '../registry/registry.ts'
import { type Method, Serialised, type Services } from './method.ts'

interface Cursor {
  readonly list: string
  /** Of the list as its reader sees it. */
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
      const view = viewOf(exchange, services, { member, registry: registryOf(services) })
      const page = view.registry.page(startOf(view), services.rules.pageSize, writerFor(view))
      return { result: new Serialised(page) }
    },
  }
}

/** One list, as one caller sees it. */
interface View {
  readonly member: string
  readonly registry: Entries
  readonly exchange: Exchange
  readonly services: Services
  readonly owner: string | undefined
  /** Of the scopes that the list needs, those that the caller has; undefined where nobody is verified. */
  readonly granted: readonly string[] | undefined
}

function viewOf(exchange: Exchange, services: Services, list: Pick<View, 'member' | 'registry'>): View {
  const { caller } = exchange
  const granted = caller && list.registry.scopes.filter(scope => services.access.may(caller, [scope]))
  return { ...list, exchange, services, owner: ownerOf(caller), granted }
}

// With other scopes it is another list: who went on in it would miss some, or see some twice.
function digestOf({ registry, granted }: View): string {
  if (granted === undefined) return registry.digest
  const hash = createHash('sha256').update(JSON.stringify([registry.digest, granted]))
  return hash.digest('base64url').slice(0, 16)
}

function startOf(view: View): number {
  const { exchange, services, member, owner } = view
  const { cursor } = exchange.params as ListParams
  if (cursor === undefined) return 0
  const opened = services.seal.open('cursor', cursor) as Cursor | undefined
  if (opened === undefined || opened.list !== member || opened.owner !== owner)
    throw new McpError('INVALID_CURSOR', 'it is none of this list; start without one')
  if (opened.digest !== digestOf(view))
    throw new McpError('INVALID_CURSOR', 'the list has changed; start again without one')
  return opened.from
}

function writerFor(view: View): PageWriter<Entry> {
  const { registry, exchange, services, member, owner, granted } = view
  const { revision, method } = exchange
  const write = (page: Page<Entry>) => {
    const cursor =
      page.next === undefined ? undefined : { list: member, digest: digestOf(view), from: page.next, owner }
    const result = pageResult(member, page.entries, { cursor, isPrivate: granted !== undefined, services })
    return JSON.stringify(revision.shape(method, revision.namesServer ? named(result, services) : result))
  }
  if (granted === undefined) return { variant: revision.version, write }
  // Callers with the same scopes read the same page, but for its cursor, which is the subject's own.
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
