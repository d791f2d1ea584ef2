// Checks the lists: pages, sizes, and definitions that clients or services of models refuse.
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { toVisibleLine } from 'toolrack/text'
import type { Check, CheckContext, Fault } from '../check-context.ts'
import { HttpTimeout } from '../http.ts'
import { type Reply, sendLegacy, sendModern } from '../mcp.ts'
import { findSlowness } from './answers.ts'
import { findRefusals, type Refusal } from './definitions.ts'

const MAX_PAGES = 50
const MAX_ITEMS = 20_000
/** Models read each tool in every turn. */
const [MANY_TOKENS, MANY_TOOLS, LARGE_TOOL_TOKENS] = [25_000, 100, 4000]
const CHARACTERS_PER_TOKEN = 4
const MAX_SHOWN = 5

const LISTS = { tools: 'tools/list', prompts: 'prompts/list', resources: 'resources/list' } as const
type Kind = keyof typeof LISTS
const NO_TOOLS = 'Clients show no tools at all.'

const FAULTS = {
  noTools: {
    id: 'no-tools',
    severity: 'warning',
    effect: 'There is nothing that a model could call.',
    fix: 'is this the server that you mean?',
  },
  undeclaredTools: {
    id: 'undeclared-tools',
    severity: 'problem',
    effect: 'Clients ask for what a server declares: they show no tools.',
    fix: 'declare capabilities.tools in the answer to initialize or server/discover',
  },
  brokenPage: {
    id: 'broken-list',
    severity: 'problem',
    effect: NO_TOOLS,
    fix: 'look at the log of the server',
  },
  silent: {
    id: 'silent-list',
    severity: 'problem',
    effect: NO_TOOLS,
    fix: 'list from memory, and fetch what takes longer when a tool is called',
  },
  slow: {
    id: 'slow-list',
    severity: 'warning',
    effect: 'Clients list tools at their start and wait 10 to 30 s for it; some begin without the tools before.',
    fix: 'list from memory, and fetch what takes longer when a tool is called',
  },
  nullCursor: {
    id: 'null-cursor',
    severity: 'problem',
    effect: 'Claude Code and clients of the TypeScript SDK refuse the whole list: they expect a text.',
    fix: 'leave nextCursor away on the last page',
  },
  emptyCursor: {
    id: 'empty-cursor',
    severity: 'problem',
    effect: 'Clients that take it for a cursor ask again and again.',
    fix: 'leave nextCursor away on the last page',
  },
  endless: {
    id: 'endless-list',
    severity: 'problem',
    effect: 'Clients ask again and again, or show no tools.',
    fix: 'leave nextCursor away on the last page',
  },
  ignoredCursor: {
    id: 'ignored-cursor',
    severity: 'problem',
    effect: 'Clients get the first page again and again, and see each entry many times.',
    fix: 'go on behind the cursor of the request, and leave nextCursor away on the last page',
  },
  manyPages: {
    id: 'many-pages',
    severity: 'warning',
    effect: 'Clients stop earlier, some after the first page.',
    fix: 'use larger pages, or fewer entries',
  },
  many: {
    id: 'many-tools',
    severity: 'warning',
    effect: 'They fill the context of a model, which chooses worse; some clients leave tools away then.',
    fix: 'offer fewer tools to each client (Toolrack: TOOLS_INCLUDE), or shorten the largest',
  },
  large: {
    id: 'large-tool',
    severity: 'warning',
    effect: 'A model reads it in every turn.',
    fix: 'shorten its description or its schema',
  },
  twice: {
    id: 'tool-twice',
    severity: 'problem',
    effect: 'Services of models refuse a request with two tools of one name.',
    fix: 'give each tool a name of its own',
  },
} as const satisfies Record<string, Fault>

export const checkLists: Check = async context => {
  const capabilities = context.modern?.capabilities ?? context.session?.capabilities ?? {}
  for (const kind of Object.keys(LISTS) as Kind[]) {
    if (capabilities[kind] === undefined) continue
    const items = await readList(context, kind)
    if (items === undefined) continue
    if (kind === 'tools') reportTools(context, items)
    else
      context.ok(
        `${items.length} ${items.length === 1 ? kind.slice(0, -1) : kind}, about ${format(estimateTokens(items))} tokens`,
      )
  }
  if (capabilities['tools'] === undefined) await checkUndeclared(context)
}

async function checkUndeclared(context: CheckContext): Promise<void> {
  const { result } = await ask(context, LISTS.tools, {})
  const tools = result?.['tools']
  if (!Array.isArray(tools) || tools.length === 0) return context.report(FAULTS.noTools, 'offers no tools')
  context.report(FAULTS.undeclaredTools, `tools/list has ${count(tools)}, and capabilities do not declare tools`)
}

const ask = (context: CheckContext, method: string, params: JsonObject): Promise<Reply> =>
  context.modern !== undefined
    ? sendModern(context, method, params)
    : sendLegacy(context, context.session!, method, params)

/** @returns undefined if a page was refused; that is reported */
async function readList(context: CheckContext, kind: Kind): Promise<readonly JsonObject[] | undefined> {
  const items: JsonObject[] = []
  const cursors = new Set<unknown>()
  let [cursor, last]: unknown[] = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const reply = await readPage(context, kind, page, cursor)
    if (reply === undefined) return undefined
    const list = reply[kind] as unknown[]
    const text = JSON.stringify(list)
    cursor = reply['nextCursor']
    if (text === last && list.length > 0 && !cursors.has(cursor)) {
      context.report(FAULTS.ignoredCursor, `page ${page} of ${LISTS[kind]} is page ${page - 1} once more`)
      return items
    }
    const fault = cursor === undefined ? undefined : findCursorFault(cursor, cursors, list)
    if (fault !== undefined) context.report(fault[0], `${LISTS[kind]}: ${fault[1]}`)
    // The entries of a repeated page are not counted twice.
    if (text !== last) items.push(...list.filter(isObject))
    if (cursor === undefined || fault !== undefined) return items
    last = text
    cursors.add(cursor)
    if (items.length > MAX_ITEMS) break
  }
  context.report(FAULTS.manyPages, `${LISTS[kind]} has more than ${MAX_PAGES} pages`)
  return items
}

function findCursorFault(
  cursor: unknown,
  before: ReadonlySet<unknown>,
  list: readonly unknown[],
): readonly [Fault, string] | undefined {
  if (cursor === null) return [FAULTS.nullCursor, 'nextCursor is null']
  if (cursor === '') return [FAULTS.emptyCursor, 'nextCursor is an empty text']
  if (list.length === 0) return [FAULTS.endless, 'the pages do not end: an empty page has a next']
  return before.has(cursor) ? [FAULTS.endless, 'the pages do not end: a cursor comes again'] : undefined
}

async function readPage(
  context: CheckContext,
  kind: Kind,
  page: number,
  cursor: unknown,
): Promise<JsonObject | undefined> {
  const list = LISTS[kind]
  const read = () => ask(context, list, cursor === undefined ? {} : { cursor })
  const reply = await read().catch(error => {
    if (!(error instanceof HttpTimeout)) throw error
    context.report(FAULTS.silent, `page ${page} of ${list} does not come within ${Math.round(error.afterMs / 1000)} s`)
    return undefined
  })
  if (reply === undefined) return undefined
  if (Array.isArray(reply.result?.[kind])) {
    const slowMs = await findSlowness(reply, read)
    if (slowMs !== undefined) context.report(FAULTS.slow, `${list} takes ${(slowMs / 1000).toFixed(1)} s`)
    return reply.result
  }
  const why = reply.error === undefined ? `status ${reply.status}` : toVisibleLine(String(reply.error.message))
  const size = reply.isCut && reply.error === undefined ? ', after more than 8 MiB' : ''
  context.report(FAULTS.brokenPage, `page ${page} of ${list} is refused or broken (${why.slice(0, 200)}${size})`)
  return undefined
}

const estimateTokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
const format = (count: number) => count.toLocaleString('en')
const count = ({ length }: readonly unknown[]) => `${length} ${length === 1 ? 'tool' : 'tools'}`
const getName = ({ name }: JsonObject) => toVisibleLine(String(name)).slice(0, 80)

/** The part of a tool that a model sees. */
const toShown = ({ name, description, inputSchema }: JsonObject) => ({ name, description, inputSchema })

function reportTools(context: CheckContext, tools: readonly JsonObject[]): void {
  const sizes = tools.map(tool => ({ name: getName(tool), tokens: estimateTokens(toShown(tool)) }))
  const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0)
  const largest = sizes.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3)
  const top = largest.map(({ name, tokens }) => `${name} ${format(tokens)}`).join(', ')
  const seen = `${count(tools)}, about ${format(total)} tokens in each turn of a model (estimate: characters / 4); largest: ${top}`
  if (total > MANY_TOKENS || tools.length > MANY_TOOLS) context.report(FAULTS.many, seen)
  else context.ok(seen)
  for (const { name, tokens } of sizes.filter(each => each.tokens > LARGE_TOOL_TOKENS).slice(0, MAX_SHOWN))
    context.report(FAULTS.large, `${name} alone takes about ${format(tokens)} tokens`)
  const twice = sizes.find(({ name }, index) => sizes.findIndex(each => each.name === name) !== index)
  if (twice !== undefined) context.report(FAULTS.twice, `there are two tools ${twice.name}`)
  reportRefusals(context, tools)
}

/** Reports one finding for each rule, with the tools that break it. */
function reportRefusals(context: CheckContext, tools: readonly JsonObject[]): void {
  const groups = new Map<string, { refusal: Refusal; names: string[] }>()
  for (const tool of tools) {
    for (const refusal of findRefusals(tool)) {
      const group = groups.get(refusal.what) ?? { refusal, names: [] }
      groups.set(refusal.what, group)
      const { where } = refusal
      group.names.push(where === undefined ? getName(tool) : `${getName(tool)}.${toVisibleLine(where)}`)
    }
  }
  for (const { refusal, names } of groups.values()) {
    const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : ''
    context.report(refusal, `${names.slice(0, MAX_SHOWN).join(', ')}${more}: ${refusal.what}`)
  }
  if (groups.size === 0 && tools.length > 0) context.ok('no definition that the well-known clients refuse')
}
