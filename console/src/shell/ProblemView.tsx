// An error, in words.
import type { Problem } from '../client/problem.ts'
import { PlainText, Visible } from '../results/PlainText.tsx'
import { toJson } from '../results/values.ts'
import { SignIn } from '../sign-in/SignIn.tsx'
import { useConsole } from './context.ts'

export function ProblemView({ problem }: { problem: Problem }) {
  const { signIn } = useConsole()
  // A request to sign in is no failure, and the text of the 401 is for programs.
  if (problem.status === 401) {
    return (
      <div class="notice" role="alert">
        <p>
          <strong>{problem.title}.</strong>
        </p>
        <SignIn signIn={signIn} />
      </div>
    )
  }
  const { title, detail, code, data, status } = problem
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>
          {title}
          {code !== undefined && ` (${code})`}.
        </strong>{' '}
        <Visible text={detail} />
      </p>
      {data !== undefined && <PlainText text={toJson(data)} />}
      {status === 403 && <SignIn signIn={signIn} />}
    </div>
  )
}
