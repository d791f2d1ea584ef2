// Removes the data of a user when another user comes: calls, arguments, messages, tasks and own
// headers. The next user of this browser sees none of it.
import type { SignInState } from '../sign-in/state.ts'
import type { Console } from './context.ts'

type Parts = Pick<Console, 'signIn' | 'calls' | 'tasks' | 'drafts' | 'connection'>

/** The owner of the data. `null` for a user whom the server does not name: never the same as before. */
type Owner = string | null | undefined

export function followUser(parts: Parts): void {
  const { signIn, calls } = parts
  let owner: Owner
  const follow = () => {
    const next = findOwner(signIn.state.get(), owner)
    if (next === owner) return
    if (owner !== undefined) forgetUser(parts)
    owner = next
    if (typeof owner === 'string') calls.open(owner)
  }
  signIn.state.subscribe(follow)
}

/**
 * After a sign-in has ended, the same user may sign in again. So the data stay until another user
 * comes.
 */
function findOwner({ status, who, problem }: SignInState, before: Owner): Owner {
  if (who) return `${who.issuer ?? ''} ${who.subject}`
  if (who === null) return null
  return status === 'signed-out' && problem === undefined ? undefined : before
}

function forgetUser({ calls, tasks, drafts, connection }: Parts): void {
  calls.forget()
  tasks.forget()
  drafts.forget()
  connection.forget()
}
