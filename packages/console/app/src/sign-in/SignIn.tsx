// The ways to sign in: by the authorization server, or by a token from elsewhere.
import { useId, useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Code } from '../parts/Code.tsx'
import { Icon } from '../parts/Icon.tsx'
import { Mark } from '../parts/Mark.tsx'
import { Note } from '../parts/Note.tsx'
import { Visible } from '../parts/Visible.tsx'
import type { SignIn as SignInService } from './sign-in.ts'
import type { SignInState } from './state.ts'

interface Props {
  readonly signIn: SignInService
  /** Of the server. */
  readonly name: string
}

export function SignIn({ signIn, name }: Props) {
  const state = useStore(signIn.state)
  const { authority } = signIn
  return (
    <div class="gate-card stack-24">
      <div class="stack-8">
        <Mark />
        <h2>
          {authority === undefined ? (
            <>
              <Visible text={name} /> needs a token
            </>
          ) : (
            <>
              Sign in to <Visible text={name} />
            </>
          )}
        </h2>
        <p class="muted">
          {authority === undefined
            ? 'Paste one, or an API key. Ask whoever runs the server if you have none.'
            : 'This server shows its tools to those it knows.'}
        </p>
      </div>
      {authority !== undefined && (
        <>
          <ByAuthority signIn={signIn} state={state} authority={authority} />
          <p class="or">or</p>
        </>
      )}
      <UseToken signIn={signIn} isOnly={authority === undefined} />
      {authority === undefined && <HowToMake />}
    </div>
  )
}

interface AuthorityProps {
  readonly signIn: SignInService
  readonly state: SignInState
  readonly authority: string
}

function ByAuthority({ signIn, state, authority }: AuthorityProps) {
  const fault = state.problem?.via === 'oauth' ? state.problem.text : undefined
  return (
    <div class="stack-8">
      {fault !== undefined && (
        <Note kind="danger" isAlert>
          <p>
            <Visible text={fault} />
          </p>
        </Note>
      )}
      {state.needsClientId && <ClientIdField signIn={signIn} />}
      {state.status === 'waiting' ? (
        <div class="row" role="status">
          <span class="grow">Sign in in the window that has opened.</span>
          <button type="button" class="button button-narrow" onClick={() => signIn.cancel()}>
            Cancel
          </button>
        </div>
      ) : (
        <>
          <button type="button" class="button button-primary button-l" onClick={() => signIn.signIn()}>
            <span class="cut">Sign in with {authority}</span>
          </button>
          <p class="hint">
            It opens in a new window
            {state.asked.length > 0 && (
              <>
                {' and asks for '}
                <Scopes scopes={state.asked} />
              </>
            )}
          </p>
        </>
      )}
    </div>
  )
}

/** `tools` and `database:read` */
export const Scopes = ({ scopes }: { scopes: readonly string[] }) => (
  <>
    {scopes.map((scope, index) => (
      <>
        {index > 0 && (index === scopes.length - 1 ? ' and ' : ', ')}
        <code key={scope}>
          <Visible text={scope} />
        </code>
      </>
    ))}
  </>
)

function ClientIdField({ signIn }: { signIn: SignInService }) {
  const id = useId()
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>Client id</label>
      </div>
      <input
        id={id}
        class="input input-code"
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onInput={event => signIn.useClientId(event.currentTarget.value)}
      />
      <p id={`${id}-hint`} class="hint">
        A public client whose redirect URL is <code>{signIn.redirectUrl}</code>
      </p>
    </div>
  )
}

/** @param isOnly whether this is the only way to sign in */
export function UseToken({ signIn, isOnly }: { signIn: SignInService; isOnly: boolean }) {
  const state = useStore(signIn.state)
  const id = useId()
  const [token, setToken] = useState('')
  const fault = state.problem?.via === 'token' ? state.problem.text : undefined
  const use = (event: Event) => {
    event.preventDefault()
    signIn.useToken(token)
  }
  return (
    <form class="stack-12" onSubmit={use}>
      <div class={fault === undefined ? 'field' : 'field is-invalid'}>
        <div class="field-head">
          <label for={id}>Token or API key</label>
        </div>
        <input
          id={id}
          class="input input-code"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-hint`}
          onInput={event => setToken(event.currentTarget.value)}
        />
        {fault === undefined ? (
          <p id={`${id}-hint`} class="hint">
            It stays in this tab, and is gone when you close it
          </p>
        ) : (
          <p id={`${id}-hint`} class="error" role="alert">
            <Icon name="alert" />
            <span>
              <Visible text={fault} />
            </span>
          </p>
        )}
      </div>
      <button type="submit" class={isOnly ? 'button button-primary' : 'button'} disabled={token.trim() === ''}>
        Use token
      </button>
    </form>
  )
}

const HowToMake = () => (
  <details>
    <summary>
      <Icon name="right" size={12} />
      <span class="muted">You run the server?</span>
    </summary>
    <div class="stack-8 gate-how">
      <p class="muted">Make a token where its secret is:</p>
      <Code text="npx toolrack token --sub you" label="Copy the command for a token" />
      <p class="muted">Or an API key for a machine:</p>
      <Code text="npx toolrack key create ci" label="Copy the command for a key" />
    </div>
  </details>
)
