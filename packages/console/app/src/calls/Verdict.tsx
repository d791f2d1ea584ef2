// The outcome of a call without a plain result: refused, unanswered, declined, cancelled. First what
// happened, then what to do, and the codes last.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../client/problem.ts'
import { useStore } from '../client/use-store.ts'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatDuration } from '../results/format.ts'
import { CodeText } from '../results/Markdown.tsx'
import { toJson } from '../results/values.ts'
import { useConsole } from '../shell/context.ts'
import { AskForRight } from '../sign-in/Account.tsx'
import { UseToken } from '../sign-in/SignIn.tsx'
import type { Answer } from './answers.ts'
import type { Call } from './call.ts'

interface Props {
  readonly icon?: IconName
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
}

const Danger = ({ icon = 'alert', title, children }: Props) => (
  <section class="verdict verdict-danger" role="alert">
    <h2>
      <Icon name={icon} />
      <span>{title}</span>
    </h2>
    {children}
  </section>
)

const Quiet = ({ title, children }: Props) => (
  <section class="verdict verdict-quiet">
    <h2>{title}</h2>
    {children}
  </section>
)

export const Cancelled = () => (
  <Quiet title="You cancelled this call">
    <p class="muted">The server was told. What the tool had done by then stays done.</p>
  </Quiet>
)

export function Declined({ answer: { question, action } }: { answer: Answer }) {
  const title = action === 'cancel' ? 'You closed the question' : question.isYesNo ? 'You answered No' : 'You declined'
  return (
    <Quiet title={title}>
      {question.message !== '' && (
        <p class="muted">
          <CodeText text={question.message} />
        </p>
      )}
    </Quiet>
  )
}

export const NoAnswer = ({ call, problem }: { call: Call; problem: Problem }) => (
  <>
    <Danger title="The server did not answer">
      <p>
        The connection broke off {formatDuration((call.endedAt ?? call.startedAt) - call.startedAt)} after the call was
        sent. The tool may have run all the same.
      </p>
    </Danger>
    <dl class="facts">
      <dt>The browser says</dt>
      <dd>
        <Visible text={problem.said ?? problem.detail} />
      </dd>
    </dl>
  </>
)

export function Refused({ call, problem }: { call: Call; problem: Problem }) {
  const { status, code, data, error } = problem
  return (
    <>
      <Danger icon={status === 401 || status === 403 ? 'lock' : 'alert'} title={<Missing problem={problem} />}>
        <p>
          <Why problem={problem} />
        </p>
        <Remedies problem={problem} />
      </Danger>
      <dl class="facts">
        {error !== undefined && <Fact name="Error" value={error} />}
        {code !== undefined && <Fact name="Code" value={String(code)} />}
        {call.requestId !== undefined && (
          <>
            <dt>Request</dt>
            <dd>
              <code>
                <Visible text={call.requestId} />
              </code>
              , for whoever reads the server's log
            </dd>
          </>
        )}
        {data !== undefined && (
          <>
            <dt>Data</dt>
            <dd>
              <pre class="plain">
                <JsonText text={toJson(data)} />
              </pre>
            </dd>
          </>
        )}
      </dl>
    </>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <code>
        <Visible text={value} />
      </code>
    </dd>
  </>
)

function Missing({ problem: { title, scopes } }: { problem: Problem }) {
  if (scopes === undefined) return <Visible text={title} />
  return (
    <>
      This call needs the scope{scopes.length > 1 ? 's' : ''}{' '}
      {scopes.map((scope, index) => (
        <>
          {index > 0 && ', '}
          <code>
            <Visible text={scope} />
          </code>
        </>
      ))}
    </>
  )
}

function Why({ problem: { scopes, detail } }: { problem: Problem }) {
  const { signIn } = useConsole()
  const own = useStore(signIn.state).scopes
  if (scopes === undefined) return <CodeText text={detail} />
  return (
    <>
      {own.length > 0 ? (
        <>
          Your token has <Visible text={listWords(own)} />.
        </>
      ) : (
        'Your token does not have it.'
      )}{' '}
      The server did not run the tool.
    </>
  )
}

const listWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Another token, or more rights for this one. */
function Remedies({ problem: { status } }: { problem: Problem }) {
  const { signIn } = useConsole()
  const [asksForToken, askForToken] = useState(false)
  if (status !== 401 && status !== 403) return null
  return (
    <>
      <div class="row row-wrap">
        {status === 403 && <AskForRight signIn={signIn} />}
        {status === 401 && signIn.authority !== undefined && (
          <button type="button" class="button button-primary" onClick={() => void signIn.signIn()}>
            Sign in
          </button>
        )}
        <button type="button" class="button" aria-expanded={asksForToken} onClick={() => askForToken(!asksForToken)}>
          Use another token
        </button>
      </div>
      {asksForToken && <UseToken signIn={signIn} isOnly />}
    </>
  )
}
