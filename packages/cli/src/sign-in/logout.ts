// `toolrack logout`: revokes the tokens of a sign-in (RFC 7009), and deletes it. It also deletes
// tokens that it cannot revoke.
import { isSafeUrl } from 'toolrack/settings'
import { resolveTarget } from '../client/target.ts'
import { CommandError } from '../errors.ts'
import type { Io } from '../io.ts'
import { deleteSignIn, hasSignIn, readSignIn, type SignIn, withSignInLock } from './kept.ts'

const TIMEOUT_MS = 10_000

export async function runLogout(text: string | undefined, io: Io): Promise<void> {
  const { urls } = resolveTarget(text, {})
  const url = urls.find(hasSignIn)
  if (url === undefined) throw new CommandError(`nobody is signed in to ${urls[0]!.href} here`)
  const isRevoked = await withSignInLock(url, async () => {
    const kept = readIfWhole(url)
    const done = kept !== undefined && (await revoke(kept).catch(() => false))
    deleteSignIn(url)
    return done
  })
  io.print(`Signed out of ${url.href}.`)
  if (!isRevoked) io.note('The tokens could not be revoked; the authorization server ends them in its time.')
}

/** Undefined for an invalid file, which is deleted, too. */
function readIfWhole(url: URL): SignIn | undefined {
  try {
    return readSignIn(url)
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

async function revoke({ metadata, client, tokens }: SignIn): Promise<boolean> {
  const { revocation_endpoint: named } = Object(metadata) as { revocation_endpoint?: unknown }
  const endpoint = URL.parse(String(named))
  if (endpoint === null || !isSafeUrl(endpoint)) return false
  // A self-contained access token cannot be revoked, but its refresh token can.
  const all = [tokens.refresh_token, tokens.access_token].filter(token => token !== undefined)
  const answers = await Promise.all(
    all.map(token =>
      fetch(endpoint, {
        method: 'POST',
        body: new URLSearchParams({
          token,
          client_id: client.client_id,
          ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    ),
  )
  await Promise.all(answers.map(answer => answer.body?.cancel()))
  return answers[0]!.ok
}
