// Starts the console in the page.
import { render } from 'preact'
import { CallRunner } from './calls/call-runner.ts'
import { CallStorage } from './calls/call-storage.ts'
import { loadConfig } from './client/config.ts'
import { Connection } from './client/connection.ts'
import { findTabStorage, keep, readKept } from './client/kept.ts'
import { describeProblem } from './client/problem.ts'
import { App } from './shell/App.tsx'
import { followUser } from './shell/follow-user.ts'
import { loadLater } from './shell/later.ts'
import { createRouter } from './shell/router.ts'
import { ViewState } from './shell/view-state.ts'
import { createSignIn } from './sign-in/sign-in.ts'
import { TaskList } from './tasks/task-list.ts'
import { readTheme, showTheme } from './theme/theme.ts'
import { Drafts } from './tools/draft.ts'

const page = document.getElementById('app')!

/** Replaces the text that the page shows while it loads. */
function show(view: preact.ComponentChildren): void {
  page.replaceChildren()
  render(view, page)
}

/** Kept over a reload, in this tab only. */
const REVISION = 'revision'
const perTab = () => sessionStorage

async function start(): Promise<void> {
  showTheme(readTheme())
  const config = await loadConfig()
  const endpoint = new URL(config.endpoint, document.baseURI).href
  const signIn = createSignIn({ ...config, endpoint })
  const connection = new Connection(config, signIn.fetch, readKept(REVISION, perTab))
  const tasks = new TaskList(connection)
  const storage = findTabStorage()
  const isOpen = config.access === 'open'
  const kept = new CallStorage(storage, endpoint, isOpen ? '' : undefined)
  const calls = new CallRunner(connection, tasks, kept)
  const parts = {
    config,
    connection,
    calls,
    tasks,
    signIn,
    // If access needs a token, a reload ends the sign-in, and the next user may be another one.
    drafts: new Drafts(isOpen ? storage : undefined, endpoint),
    view: new ViewState(),
  }
  followUser(parts)
  // Another user may see other tools.
  let { status, tokens } = signIn.state.get()
  signIn.state.subscribe(() => {
    const now = signIn.state.get()
    const isOther = now.status !== 'waiting' && (now.status !== status || now.tokens !== tokens)
    if (!isOther) return
    status = now.status
    tokens = now.tokens
    void connection.connect()
  })
  connection.state.subscribe(() => keep(REVISION, connection.choice, perTab))
  window.addEventListener('pagehide', () => connection.leave())
  window.addEventListener('pageshow', ({ persisted }) => persisted && void connection.connect())
  const connected = connection.connect()
  // Sends the first request before the page is drawn.
  await new Promise(resolve => setTimeout(resolve))
  show(<App parts={parts} route={createRouter()} />)
  await connected
  await loadLater()
}

start().catch((error: unknown) => {
  const { title, detail } = describeProblem(error)
  show(
    <main class="panel">
      <h1>{title}</h1>
      <p role="alert">{detail}</p>
    </main>,
  )
})
