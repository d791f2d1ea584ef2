// Replaces a view that needs a token: the ways to sign in.
import { useConsole } from '../shell/context.ts'
import { Work } from '../shell/Work.tsx'
import { SignIn } from './SignIn.tsx'

export function Gate() {
  const { config, signIn } = useConsole()
  return (
    <Work label="Sign in" title="Sign in" pane="list">
      <section class="pane pane-list gate" aria-label="Sign in">
        <SignIn signIn={signIn} name={config.title ?? config.name} />
      </section>
    </Work>
  )
}
