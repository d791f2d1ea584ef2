// Files an issue once: looks for its mark first, and creates it only if the mark is not found.
//
// Searches the newest 100 issues that the token's user has filed in the repository; an older issue
// is filed again. If two replicas use a key at the same moment, both may find nothing, and so may a
// call before GitHub lists the new issue; within one process neither happens.
import { ToolError } from 'toolrack'
import { type Ask, asker, type Reply } from './client.ts'
import { type Doubt, failureOf, unavailable } from './failure.ts'
import { type Mark, marked, markIn } from './marker.ts'
import { listMember, member, textMember } from './members.ts'
import type { GitHub } from './settings.ts'
import { shared } from './shared.ts'

/** Number of keys whose issues are remembered. */
export const MAX_REMEMBERED = 1000

export interface Draft {
  readonly repository: string
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
}

export interface Issue {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly labels: string[]
}

export interface Filed {
  readonly issue: Issue
  readonly isNew: boolean
}

interface Found {
  readonly issue: Issue
  readonly mark: Mark
}

export type File = (draft: Draft, mark: Mark, signal: AbortSignal) => Promise<Filed>

/** @returns a function that throws ToolError for failures of GitHub, and the signal's reason */
export function filer(github: GitHub): File {
  const ask = asker(github)
  const underWay = shared<Filed & { mark: Mark }>()
  const remembered = new Map<string, Found>()

  async function file(draft: Draft, mark: Mark, signal: AbortSignal) {
    const found = remembered.get(mark.key) ?? (await find(ask, draft.repository, mark.key, signal))
    const { issue } = found ?? { issue: await create(ask, draft, mark, signal) }
    remember(mark.key, found ?? { issue, mark })
    return { issue, mark: found?.mark ?? mark, isNew: found === undefined }
  }

  function remember(key: string, found: Found): void {
    remembered.delete(key)
    remembered.set(key, found)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  return async (draft, mark, signal) => {
    let isFirst = false
    const {
      issue,
      isNew,
      mark: of,
    } = await underWay.join(mark.key, signal, abandoned => {
      isFirst = true
      return file(draft, mark, abandoned)
    })
    if (of.content === mark.content) return { issue, isNew: isNew && isFirst }
    throw new ToolError(
      `Nothing was filed: this idempotencyKey is that of issue #${issue.number} (${issue.url}), which was filed with ` +
        'other arguments. Use another key for another issue.',
    )
  }
}

async function find(ask: Ask, repository: string, key: string, signal: AbortSignal): Promise<Found | undefined> {
  const creator = await creatorOf(ask, signal, repository)
  const query = {
    ...ownerAndName(repository),
    creator,
    state: 'all',
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  }
  const reply = await answerOf(ask('GET /repos/{owner}/{repo}/issues', query, signal), signal, 'not filed')
  // The token cannot see the repository, so creating fails too, and with a better message.
  if (reply.status === 404) return undefined
  if (reply.status !== 200) throw failureOf(reply, repository, 'not filed')
  if (!Array.isArray(reply.data)) throw unavailable('The answer of GitHub cannot be used.', 'not filed')
  for (const entry of reply.data) {
    const mark = markIn(textMember(entry, 'body') ?? '', key)
    const issue = issueOf(entry)
    if (mark !== undefined && issue !== undefined && isBy(creator, entry)) return { issue, mark }
  }
  return undefined
}

// Anyone who may write to the repository can copy a mark into an issue of their own.
function isBy(creator: string | undefined, entry: unknown): boolean {
  const user = member(entry, 'user')
  return creator === undefined ? textMember(user, 'type') === 'Bot' : textMember(user, 'login') === creator
}

/** The token's user; undefined for an app's token, which has none, and if the API has no users. */
async function creatorOf(ask: Ask, signal: AbortSignal, repository: string): Promise<string | undefined> {
  const reply = await answerOf(ask('GET /user', {}, signal), signal, 'not filed')
  const login = textMember(reply.data, 'login')
  if (reply.status === 200 && login !== undefined) return login
  if (reply.status === 404) return undefined
  if (reply.status === 403 && /not accessible by integration/i.test(textMember(reply.data, 'message') ?? ''))
    return undefined
  if (reply.status !== 200) throw failureOf(reply, repository, 'not filed')
  throw unavailable('The answer of GitHub cannot be used.', 'not filed')
}

async function create(ask: Ask, draft: Draft, mark: Mark, signal: AbortSignal): Promise<Issue> {
  const { repository, title, body, labels } = draft
  const issue = { ...ownerAndName(repository), title, body: marked(body, mark), labels }
  const reply = await answerOf(ask('POST /repos/{owner}/{repo}/issues', issue, signal), signal, 'may be filed')
  if (reply.status !== 201) throw failureOf(reply, repository, 'may be filed')
  const created = issueOf(reply.data)
  if (created === undefined) throw unavailable('The answer of GitHub cannot be used.', 'may be filed')
  return created
}

async function answerOf(asking: Promise<Reply>, signal: AbortSignal, doubt: Doubt) {
  try {
    return await asking
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw unavailable(isLate ? 'GitHub did not answer in time.' : 'GitHub cannot be reached.', doubt, error)
  }
}

function ownerAndName(repository: string) {
  const [owner, repo] = repository.split('/')
  return { owner, repo }
}

function issueOf(entry: unknown): Issue | undefined {
  const [number, url, title] = [member(entry, 'number'), textMember(entry, 'html_url'), textMember(entry, 'title')]
  // GitHub lists pull requests among the issues.
  if (member(entry, 'pull_request') !== undefined) return undefined
  if (typeof number !== 'number' || url === undefined || title === undefined) return undefined
  const labels = listMember(entry, 'labels').flatMap(label => textMember(label, 'name') ?? [])
  return { number, url, title, labels }
}
