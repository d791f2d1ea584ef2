// The user's sign-in: name, scopes, expiry, and the way to sign out.
import { useStore } from '../client/use-store.ts'
import { Note } from '../parts/Note.tsx'
import { Visible } from '../parts/Visible.tsx'
import { Scopes } from './SignIn.tsx'
import type { SignIn } from './sign-in.ts'
import { formatMoment } from './token-words.ts'

export function Account({ signIn }: { signIn: SignIn }) {
  const { via, who, scopes, missing } = useStore(signIn.state)
  return (
    <div class="stack-12" aria-live="polite">
      <div>
        <strong>{who ? <Visible text={who.name} /> : 'Signed in'}</strong>
        <p class="muted">{via === 'token' ? 'Signed in with a token' : `Signed in with ${signIn.authority}`}</p>
      </div>
      <dl class="facts">
        {who?.issuer !== undefined && (
          <>
            <dt>Issuer</dt>
            <dd>
              <Visible text={who.issuer} />
            </dd>
          </>
        )}
        <dt>Scopes</dt>
        <dd>{scopes.length === 0 ? 'none' : <Scopes scopes={scopes} />}</dd>
        {who?.expiresAt !== undefined && (
          <>
            <dt>Until</dt>
            <dd>{formatMoment(who.expiresAt)}</dd>
          </>
        )}
      </dl>
      {missing.length > 0 && (
        <Note kind="warning">
          <p>
            The last request needs <Scopes scopes={missing} />.
          </p>
        </Note>
      )}
      <div class="row">
        <AskForRight signIn={signIn} />
        <button type="button" class="button button-s" onClick={() => signIn.signOut()}>
          Sign out
        </button>
      </div>
    </div>
  )
}

/**
 * Asks the authorization server for the scopes that the last refused request needed. Shows nothing
 * without such scopes.
 */
export function AskForRight({ signIn }: { signIn: SignIn }) {
  const { missing, status } = useStore(signIn.state)
  if (missing.length === 0 || signIn.authority === undefined) return null
  if (status === 'waiting') {
    return (
      <button type="button" class="button button-s" onClick={() => signIn.cancel()}>
        Cancel
      </button>
    )
  }
  return (
    <button type="button" class="button button-primary button-s" onClick={() => signIn.signIn()}>
      {missing.length === 1 ? 'Ask for this right' : 'Ask for these rights'}
    </button>
  )
}
