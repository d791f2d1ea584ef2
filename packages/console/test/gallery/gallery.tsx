// Each view by itself, for tests in a browser: a test says what to show.
import '../../app/src/client/no-eval.ts'
import { render } from 'preact'
import { ActivityView } from '../../app/src/activity/ActivityView.tsx'
import { type ActivityQuery, toSearch } from '../../app/src/activity/activity-query.ts'
import { useStore } from '../../app/src/client/use-store.ts'
import { ContentView } from '../../app/src/results/ContentView.tsx'
import { ResultView } from '../../app/src/results/ResultView.tsx'
import { Account } from '../../app/src/sign-in/Account.tsx'
import { SignIn } from '../../app/src/sign-in/SignIn.tsx'
import { createSignIn, type SignInConfig, type SignIn as SignInService } from '../../app/src/sign-in/sign-in.ts'
import { ThemeButton } from '../../app/src/theme/ThemeButton.tsx'
import type { Activity } from '../../src/activity/activity.ts'

const root = document.getElementById('app')!

/** Another view than before keeps nothing of it. */
function show(view: preact.ComponentChildren): void {
  render(null, root)
  render(
    <main class="gallery">
      <h1>Gallery</h1>
      <ThemeButton />
      {view}
    </main>,
    root,
  )
}

const ask = async (query: ActivityQuery, after: number): Promise<Activity> => {
  const response = await fetch(`api/activity?${toSearch(query, after)}`)
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return response.json()
}

/** The way in, or as whom one is in. */
function Access({ signIn }: { signIn: SignInService }) {
  const { status, via } = useStore(signIn.state)
  const isIn = status === 'signed-in' || (status === 'waiting' && via !== undefined)
  return isIn ? <Account signIn={signIn} /> : <SignIn signIn={signIn} name="the server" />
}

const gallery = {
  result: (result: never) => show(<ResultView result={result} />),
  contents: (contents: readonly unknown[]) =>
    show(contents.map((content, index) => <ContentView key={index} content={content} />)),
  activity: (tool?: string | null) => show(<ActivityView fetchActivity={ask} tool={tool ?? undefined} />),
  async signIn() {
    const config = (await (await fetch('config.json')).json()) as SignInConfig
    const signIn = createSignIn({ ...config, endpoint: new URL(config.endpoint, document.baseURI).href })
    /** Sends a request to the endpoint, as the console does. */
    const send = async (body: string, headers: Record<string, string>) => {
      const response = await signIn.fetch(config.endpoint, { method: 'POST', body, headers })
      return { status: response.status, text: await response.text() }
    }
    Object.assign(window, { send, fetchSignedIn: signIn.fetch })
    show(<Access signIn={signIn} />)
  },
}

export type Gallery = typeof gallery

Object.assign(window, { gallery })
