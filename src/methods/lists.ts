// Serves pages of a registry: each is serialised once per change, and cursors are sealed.
// Spec 2026-07-28: server/utilities/pagination and server/utilities/caching.
import { createHash } from 'node:crypto'
import { KeptResult } from '../protocol/encode.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { ListParams } from '../protocol/schemas/common.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { ToolClient } from '../registry/handler-context.ts'
import type { Hooks, Ruled } from '../registry/hooks.ts'
import type { Entry as AnyEntry, Page, PageWriter, Registry } from '../registry/registry.ts'
import type { Caller, Exchange } from '../request/exchange.ts'
import type { ResultFacts } from '../request/served.ts'
import type { Method, Uses } from './method.ts'

interface ListCursor {
  readonly list: string
  /** Digest of the list as this caller sees it. */
  readonly digest: string
  readonly from: number
  /** The only caller who may continue with it. */
  readonly owner: string | undefined
}

type Entry = AnyEntry & Ruled
type Entries = Registry<Entry>

/** The parts of the server that a list uses. */
type ListRuntime = Uses<'catalog' | 'hooks' | 'access' | 'seal' | 'settings' | 'serverMeta'>

interface ListFacts {
  /** The member of the result that holds the entries, such as `tools`. */
  readonly member: string
  findEntries(catalog: Catalog): Entries
  isOffered(catalog: Catalog): boolean
}

export function listMethod({ member, findEntries, isOffered }: ListFacts): Method<keyof ListRuntime> {
  return {
    params: ListParams,
    isOffered,
    serve(exchange, runtime) {
      const registry = findEntries(runtime.catalog)
      const visible = findVisible(runtime.hooks, registry.all(), exchange)
      const view = createListView(exchange, runtime, { member, registry, visible })
      return { result: createPage(view, readPageStart(view)), facts: describeList(view) }
    },
  }
}

/** @returns the keys that rules let the caller see with this client; undefined if no rule hides any */
function findVisible(hooks: Hooks, entries: readonly Entry[], exchange: Exchange): readonly string[] | undefined {
  if (!hooks.hides(entries)) return undefined
  return entries.filter(entry => hooks.isVisible(entry, exchange.caller, exchange)).map(({ key }) => key)
}

/** Whether the list contains the entry for a caller. */
export const isListed = (
  { hooks, access }: Uses<'hooks' | 'access'>,
  entry: Entry,
  caller: Caller | undefined,
  client: ToolClient,
): boolean => access.may(caller, entry.scopes) && hooks.isVisible(entry, caller, client)

/** A list as one caller sees it. */
interface ListView {
  readonly member: string
  readonly registry: Entries
  readonly exchange: Exchange
  readonly runtime: ListRuntime
  readonly owner: string | undefined
  /** The caller's scopes among those that the list needs; undefined if callers are not verified. */
  readonly granted: readonly string[] | undefined
  /** The keys that a rule lets the caller see; undefined if no rule hides any. */
  readonly visible: readonly string[] | undefined
}

function createListView(
  exchange: Exchange,
  runtime: ListRuntime,
  list: Pick<ListView, 'member' | 'registry' | 'visible'>,
): ListView {
  const { caller, owner } = exchange
  const granted = caller && list.registry.scopes.filter(scope => runtime.access.may(caller, [scope]))
  return { ...list, exchange, runtime, owner, granted }
}

// With other scopes the list has other entries, so a cursor would skip some or repeat some.
function getListDigest({ registry, granted, visible }: ListView): string {
  if (granted === undefined && visible === undefined) return registry.digest
  return hashJson([registry.digest, granted, visible])
}

// Computed when a door asks for it: most do not.
const describeList = (view: ListView): ResultFacts => ({
  get listDigest() {
    return getListDigest(view)
  },
})

const hashJson = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16)

function readPageStart(view: ListView): number {
  const { exchange, runtime, member, owner } = view
  const { cursor } = exchange.params as ListParams
  if (cursor === undefined) return 0
  const opened = runtime.seal.open('cursor', cursor) as ListCursor | undefined
  if (opened === undefined || opened.list !== member || opened.owner !== owner)
    throw new McpError('INVALID_CURSOR', 'it does not belong to this list; start without a cursor')
  if (opened.digest !== getListDigest(view))
    throw new McpError('INVALID_CURSOR', 'the list has changed; start again without a cursor')
  return opened.from
}

function createPage(view: ListView, from: number): KeptResult {
  const { registry, runtime } = view
  const { pageSize } = runtime.settings
  const writer = createPageWriter(view)
  return new KeptResult({
    writeJson: () => registry.page(from, pageSize, writer),
    readValue: () => createPageResult(view, registry.read(from, pageSize, writer)),
  })
}

const isPrivate = ({ granted, visible }: ListView) => granted !== undefined || visible !== undefined

function createPageWriter(view: ListView): PageWriter<Entry> {
  const { registry, exchange, runtime, owner, granted, visible } = view
  const { revision, method } = exchange
  const write = (page: Page<Entry>) => {
    const result = createPageResult(view, page)
    return JSON.stringify(
      revision.shapeResult(method, revision.includesServerInfo ? withServerMeta(result, runtime) : result),
    )
  }
  const { generation } = runtime.seal
  if (!isPrivate(view)) return { variant: `${revision.version} ${generation}`, write }
  // Callers who see the same entries read the same page, except for its cursor, which has the subject.
  const reader = registry.size > runtime.settings.pageSize ? owner : ''
  const seen = visible && new Set(visible)
  const isListed = ({ key, scopes }: Entry) =>
    (granted === undefined || scopes.every(scope => granted.includes(scope))) && seen?.has(key) !== false
  const sees = visible && hashJson(visible)
  return { variant: JSON.stringify([revision.version, generation, granted, reader, sees]), isListed, write }
}

function createPageResult(view: ListView, { entries, next: from }: Page<Entry>): JsonObject {
  const { member, owner, runtime } = view
  const cursor: ListCursor | undefined =
    from === undefined ? undefined : { list: member, digest: getListDigest(view), from, owner }
  return {
    [member]: entries.map(({ listed }) => listed),
    nextCursor: cursor && runtime.seal.seal('cursor', cursor),
    resultType: 'complete',
    ttlMs: runtime.settings.listTtlMs,
    cacheScope: isPrivate(view) ? 'private' : 'public',
  }
}

const withServerMeta = (result: JsonObject, { serverMeta }: ListRuntime): JsonObject => ({
  ...result,
  _meta: serverMeta.value,
})
