// Sign-in: by the authorization server, or by a token from elsewhere.
import { useId, useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import type { SignIn as SignInService, SignInState } from './sign-in.ts'

export function SignIn({ signIn }: { signIn: SignInService }) {
  const state = useStore(signIn.state)
  return (
    <section class="panel sign-in" aria-label="Sign-in">
      <div aria-live="polite">
        {state.problem !== undefined && (
          <p class="notice notice-error">
            <Visible text={state.problem} />
          </p>
        )}
        <Status state={state} />
      </div>
      {state.status === 'waiting' ? (
        <button type="button" class="button" onClick={() => signIn.cancel()}>
          Cancel
        </button>
      ) : (
        <Ways signIn={signIn} state={state} />
      )}
    </section>
  )
}

function Status({ state: { status, via, scopes, missing } }: { state: SignInState }) {
  if (status === 'waiting') return <p>Sign in in the window that has opened.</p>
  if (status === 'signed-out') return null
  return (
    <>
      <p class="row">
        <span class="badge badge-ok">{via === 'token' ? 'Signed in with a token' : 'Signed in'}</span>
        {scopes.map(scope => (
          <span key={scope} class="badge">
            <Visible text={scope} />
          </span>
        ))}
      </p>
      {missing.length > 0 && (
        <p class="notice notice-warning">
          The last request needs more rights: <Visible text={missing.join(', ')} />.
        </p>
      )}
    </>
  )
}

function Ways({ signIn, state }: { signIn: SignInService; state: SignInState }) {
  const hasOAuth = signIn.config.authorizationServers.length > 0
  const isIn = state.status === 'signed-in'
  return (
    <>
      {state.needsClientId && <ClientIdField signIn={signIn} />}
      <div class="row">
        {hasOAuth && (!isIn || state.missing.length > 0) && (
          <button type="button" class="button button-primary" onClick={() => signIn.signIn()}>
            {isIn ? 'Ask for these rights' : 'Sign in'}
          </button>
        )}
        {isIn && (
          <button type="button" class="button" onClick={() => signIn.signOut()}>
            Sign out
          </button>
        )}
      </div>
      {!isIn && <TokenField signIn={signIn} label={hasOAuth ? 'Or use a token' : 'Token'} />}
    </>
  )
}

function ClientIdField({ signIn }: { signIn: SignInService }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Client id</label>
      <input
        id={id}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onInput={event => signIn.useClientId(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        A public client whose redirect URL is <code>{signIn.redirectUrl}</code>
      </span>
    </div>
  )
}

function TokenField({ signIn, label }: { signIn: SignInService; label: string }) {
  const id = useId()
  const [token, setToken] = useState('')
  const use = (event: Event) => {
    event.preventDefault()
    signIn.useToken(token)
    setToken('')
  }
  return (
    <form class="token" onSubmit={use}>
      <div class="field">
        <label for={id}>{label}</label>
        <div class="row">
          <input
            id={id}
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            aria-describedby={`${id}-hint`}
            onInput={event => setToken(event.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={token.trim() === ''}>
            Use token
          </button>
        </div>
        <span id={`${id}-hint`} class="hint">
          A token or an API key. It is kept in this page only, until you leave it.
        </span>
      </div>
    </form>
  )
}
