// The whole page: the bar above, the sections, and the view that the address names.
import { lazy, Suspense } from 'preact/compat'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Store } from '../client/store.ts'
import { useStore } from '../client/use-store.ts'
import { ConnectView } from '../connect/ConnectView.tsx'
import { KeysDialog } from '../keys/KeysDialog.tsx'
import { MessagesView } from '../messages/MessagesView.tsx'
import { PromptsView } from '../prompts/PromptsView.tsx'
import { QuestionDialog } from '../questions/QuestionDialog.tsx'
import { ResourcesView } from '../resources/ResourcesView.tsx'
import { Gate } from '../sign-in/Gate.tsx'
import { TasksView } from '../tasks/TasksView.tsx'
import { ToolsView } from '../tools/ToolsView.tsx'
import { type Console, ConsoleContext, useConsole } from './context.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { focusForm, focusHeading } from './focus.ts'
import { loadActivity } from './later.ts'
import { Notices } from './Notices.tsx'
import { useActions } from './page-keys.ts'
import { Rail } from './Rail.tsx'
import type { Route, Section } from './router.ts'
import { TopBar } from './TopBar.tsx'

const ActivitySection = lazy(async () => ({ default: (await loadActivity()).ActivitySection }))

/** Each renders its `Work`. */
const VIEWS: Readonly<Record<Section, (props: { name?: string | undefined }) => preact.ComponentChildren>> = {
  tools: ToolsView,
  resources: ResourcesView,
  prompts: PromptsView,
  tasks: TasksView,
  activity: ActivitySection,
  messages: MessagesView,
  connect: ConnectView,
}

/** Sections that are useful without a sign-in. */
const OPEN_TO_ALL: readonly Section[] = ['connect', 'messages']

export const App = ({ parts, route }: { parts: Console; route: Store<Route> }) => (
  <ConsoleContext.Provider value={parts}>
    <Page route={route} />
  </ConsoleContext.Provider>
)

function Page({ route }: { route: Store<Route> }) {
  const { section, name } = useStore(route)
  const [showsKeys, showKeys] = useState(false)
  const isShut = useNeedsToken() && !OPEN_TO_ALL.includes(section)
  const View = isShut ? Gate : VIEWS[section]
  useFocusOnChange(`${section} ${name}`)
  useActions({ section, name }, () => showKeys(true))
  return (
    <>
      {/* A button, because the address already names the view, so a link cannot name a place in it. */}
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <TopBar />
      <Rail section={section} />
      <ErrorBoundary key={section}>
        <Suspense fallback={null}>
          <View name={name} />
        </Suspense>
      </ErrorBoundary>
      <Notices />
      {showsKeys && <KeysDialog onClose={() => showKeys(false)} />}
      <QuestionDialog />
    </>
  )
}

/** While a token is tried, the sign-in stays, with the fault of the previous token. */
function useNeedsToken(): boolean {
  const { connection } = useConsole()
  const { status, problem } = useStore(connection.state)
  const before = useRef(false)
  if (status !== 'connecting') before.current = status === 'failed' && problem?.status === 401
  return before.current
}

/** The first view does not move the focus. */
function useFocusOnChange(view: string): void {
  const { view: state } = useConsole()
  const before = useRef(view)
  useLayoutEffect(() => {
    if (before.current === view) return
    before.current = view
    if (!(state.takeGoesToForm() && focusForm())) focusHeading()
  }, [state, view])
}
