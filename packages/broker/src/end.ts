// `server.ts end --user …` and `--client …`: ends sign-ins now, with everything that depends on them.
import { hashId, OF_GRANT, SIGN_IN } from './state/adapter.ts'
import type { RedisStore } from './state/redis.ts'

/** The sign-ins to end: of a user, with a client, or of a user with a client. */
export interface Whose {
  /** The `sub` of its access tokens, or its email address. */
  readonly user: string | undefined
  readonly client: string | undefined
}

export interface EndedSignIn {
  readonly subject: string
  readonly clientId: string
}

export interface Ended {
  readonly signIns: number
  readonly refreshTokens: number
  /** Codes, sessions and requests in progress. */
  readonly underWay: number
}

type Entry = Readonly<Record<string, unknown>>

type EndStore = Pick<RedisStore, 'entries' | 'get' | 'delete'>

/** @param onEnded called for each sign-in that has ended, even if a later one fails */
export async function endSignIns(
  store: EndStore,
  whose: Whose,
  onEnded: (signIn: EndedSignIn) => void,
): Promise<Ended> {
  const ended = new Map<string, EndedSignIn>()
  for await (const [id, grant] of store.entries('Grant')) {
    const signIn = { subject: String(grant['accountId']), clientId: String(grant['clientId']) }
    if (!isOf(signIn, await store.get(SIGN_IN, id), whose)) continue
    for (const kind of OF_GRANT) await store.delete(kind, id)
    ended.set(id, signIn)
    onEnded(signIn)
  }
  const isOfGrant = ({ grantId }: Entry) => typeof grantId === 'string' && ended.has(hashId(grantId))
  const subjects = new Set([...ended.values()].map(({ subject }) => subject))
  const refreshTokens = await remove(store, 'RefreshToken', isOfGrant)
  const codes = await remove(store, 'AuthorizationCode', isOfGrant)
  const requests = await remove(store, 'Interaction', ({ result }) =>
    isOfGrant((result as { readonly consent?: Entry } | undefined)?.consent ?? {}),
  )
  const isAll = whose.client === undefined
  const sessions = isAll ? await remove(store, 'Session', ({ accountId }) => subjects.has(String(accountId))) : 0
  if (isAll) for (const subject of subjects) await store.delete('Account', hashId(subject))
  // The client has to register again.
  if (whose.user === undefined) await store.delete('Client', hashId(whose.client!))
  return { signIns: ended.size, refreshTokens, underWay: codes + requests + sessions }
}

function isOf({ subject, clientId }: EndedSignIn, kept: Entry | undefined, { user, client }: Whose): boolean {
  const email = String(kept?.['email'] ?? '').toLowerCase()
  return (
    (user === undefined || user === subject || user.toLowerCase() === email) &&
    (client === undefined || client === clientId)
  )
}

async function remove(store: EndStore, kind: string, isMeant: (entry: Entry) => boolean): Promise<number> {
  let count = 0
  for await (const [id, entry] of store.entries(kind)) {
    if (!isMeant(entry)) continue
    await store.delete(kind, id)
    count++
  }
  return count
}
