// The lists: pages, sizes, and definitions that clients or models' services refuse.
import { isObject, type JsonObject } from '../../../protocol/messages.ts'
import { toVisibleLine } from '../../client/visible.ts'
import type { Check, Patient } from '../finding.ts'
import { type Reply, sendLegacy, sendModern } from '../mcp.ts'
import { findRefusals } from './definitions.ts'

const MAX_PAGES = 50
const MAX_ITEMS = 20_000
/** Models see each tool in every turn. */
const [MANY_TOKENS, MANY_TOOLS, LARGE_TOOL_TOKENS] = [25_000, 100, 4000]
const CHARACTERS_PER_TOKEN = 4
const MAX_SHOWN = 5

const LISTS = { tools: 'tools/list', prompts: 'prompts/list', resources: 'resources/list' } as const
type Kind = keyof typeof LISTS

export const checkLists: Check = async patient => {
  const capabilities = patient.modern?.capabilities ?? patient.session?.capabilities ?? {}
  for (const kind of Object.keys(LISTS) as Kind[]) {
    if (capabilities[kind] === undefined) continue
    const items = await readList(patient, kind)
    if (items === undefined) continue
    if (kind === 'tools') reportTools(patient, items)
    else
      patient.ok(
        `${items.length} ${items.length === 1 ? kind.slice(0, -1) : kind}, about ${format(estimateTokens(items))} tokens`,
      )
  }
  if (capabilities['tools'] === undefined) patient.warn('offers no tools', 'is this the server that you mean?')
}

const ask = ({ send, url, modern, session }: Patient, method: string, params: JsonObject): Promise<Reply> =>
  modern !== undefined ? sendModern(send, url, method, params) : sendLegacy(send, url, session!, method, params)

/** @returns undefined if a page was refused, which is reported */
async function readList(patient: Patient, kind: Kind): Promise<readonly JsonObject[] | undefined> {
  const items: JsonObject[] = []
  const cursors = new Set<unknown>()
  let cursor: unknown
  for (let page = 1; page <= MAX_PAGES; page++) {
    const reply = await ask(patient, LISTS[kind], cursor === undefined ? {} : { cursor })
    const list = reply.result?.[kind]
    if (!Array.isArray(list)) {
      const why = reply.error === undefined ? `status ${reply.status}` : toVisibleLine(reply.error.message)
      const size = reply.isCut && reply.error === undefined ? ', after more than 8 MiB' : ''
      patient.problem(`page ${page} of ${LISTS[kind]} is refused or broken (${why.slice(0, 200)}${size})`, LIST_FIX)
      return undefined
    }
    items.push(...list.filter(isObject))
    cursor = reply.result?.['nextCursor']
    if (cursor === undefined) return items
    if (cursors.has(cursor) || list.length === 0) {
      patient.problem(
        `the pages of ${LISTS[kind]} do not end: ${list.length === 0 ? 'an empty page has a next' : 'a cursor comes again'}`,
        'leave nextCursor away on the last page',
      )
      return items
    }
    cursors.add(cursor)
    if (items.length > MAX_ITEMS) break
  }
  patient.warn(
    `${LISTS[kind]} has more than ${MAX_PAGES} pages; clients stop earlier`,
    'use larger pages, or fewer entries',
  )
  return items
}

const LIST_FIX = 'look at the log of the server; a client shows no tools at all then'

const estimateTokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
const format = (count: number) => count.toLocaleString('en')
const getName = ({ name }: JsonObject) => toVisibleLine(String(name)).slice(0, 80)

/** What a model is shown of a tool. */
const toShown = ({ name, description, inputSchema }: JsonObject) => ({ name, description, inputSchema })

function reportTools(patient: Patient, tools: readonly JsonObject[]): void {
  const sizes = tools.map(tool => ({ name: getName(tool), tokens: estimateTokens(toShown(tool)) }))
  const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0)
  const largest = sizes.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3)
  const top = largest.map(({ name, tokens }) => `${name} ${format(tokens)}`).join(', ')
  const seen = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}, about ${format(total)} tokens in each turn of a model (estimate: characters / 4); largest: ${top}`
  if (total > MANY_TOKENS || tools.length > MANY_TOOLS)
    patient.warn(seen, 'offer fewer tools to each client (Toolrack: TOOLS_INCLUDE), or shorten the largest')
  else patient.ok(seen)
  for (const { name, tokens } of sizes.filter(each => each.tokens > LARGE_TOOL_TOKENS).slice(0, MAX_SHOWN))
    patient.warn(`${name} alone takes about ${format(tokens)} tokens`, 'shorten its description or its schema')
  const twice = sizes.find(({ name }, index) => sizes.findIndex(each => each.name === name) !== index)
  if (twice !== undefined) patient.problem(`there are two tools ${twice.name}`, 'give each tool a name of its own')
  reportRefusals(patient, tools)
}

/** One finding for each rule, with the tools that break it. */
function reportRefusals(patient: Patient, tools: readonly JsonObject[]): void {
  const groups = new Map<string, { level: 'warning' | 'problem'; fix: string; names: string[] }>()
  for (const tool of tools) {
    for (const { level, what, fix, where } of findRefusals(tool)) {
      const group = groups.get(what) ?? { level, fix, names: [] }
      groups.set(what, group)
      group.names.push(where === undefined ? getName(tool) : `${getName(tool)}.${toVisibleLine(where)}`)
    }
  }
  for (const [what, { level, fix, names }] of groups) {
    const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : ''
    const seen = `${names.slice(0, MAX_SHOWN).join(', ')}${more}: ${what}`
    if (level === 'problem') patient.problem(seen, fix)
    else patient.warn(seen, fix)
  }
  if (groups.size === 0 && tools.length > 0) patient.ok('no definition that the well-known clients refuse')
}
