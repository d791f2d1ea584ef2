// An error in plain words, and what to do about it.
import type { Problem } from '../client/problem.ts'
import { useStore } from '../client/use-store.ts'
import { JsonText } from '../parts/JsonText.tsx'
import { Note } from '../parts/Note.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toJson } from '../results/values.ts'
import { AskForRight } from '../sign-in/Account.tsx'
import { Scopes } from '../sign-in/SignIn.tsx'
import { useConsole } from './context.ts'

export function ProblemView({ problem: { title, detail, code, data, status } }: { problem: Problem }) {
  const { connection, signIn } = useConsole()
  const { missing } = useStore(signIn.state)
  return (
    <Note kind="danger" isAlert>
      <p>
        <strong>{title}.</strong> {status === 401 ? null : <Visible text={detail} />}
      </p>
      {status === 403 && missing.length > 0 && (
        <p>
          It needs <Scopes scopes={missing} />.
        </p>
      )}
      <p class="row">
        {status === 401 && (
          <button type="button" class="button button-s" onClick={() => void connection.connect()}>
            Sign in
          </button>
        )}
        {status === 403 && <AskForRight signIn={signIn} />}
      </p>
      {data !== undefined && (
        <pre class="plain">
          <JsonText text={toJson(data)} />
        </pre>
      )}
      {code !== undefined && <p class="faint num">Code {code}</p>}
    </Note>
  )
}
