// The whole page: header, sidebar, and the view that the address names.
import { useEffect, useRef } from 'preact/hooks'
import type { Store } from '../client/store.ts'
import { useStore } from '../client/use-store.ts'
import { ConnectView } from '../connect/ConnectView.tsx'
import { MessagesView } from '../messages/MessagesView.tsx'
import { PromptsView } from '../prompts/PromptsView.tsx'
import { QuestionDialog } from '../questions/QuestionDialog.tsx'
import { ResourcesView } from '../resources/ResourcesView.tsx'
import { TasksView } from '../tasks/TasksView.tsx'
import { ToolsView } from '../tools/ToolsView.tsx'
import { ActivitySection } from './ActivitySection.tsx'
import { type Console, ConsoleContext, useConsole } from './context.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { Header } from './Header.tsx'
import { Notices } from './Notices.tsx'
import { ProblemView } from './ProblemView.tsx'
import type { Route, Section } from './router.ts'
import { Sidebar } from './Sidebar.tsx'

const VIEWS: Readonly<Record<Section, (props: { name?: string | undefined }) => preact.ComponentChildren>> = {
  tools: ToolsView,
  resources: ResourcesView,
  prompts: PromptsView,
  tasks: TasksView,
  activity: ActivitySection,
  messages: MessagesView,
  connect: ConnectView,
}

export const App = ({ parts, route }: { parts: Console; route: Store<Route> }) => (
  <ConsoleContext.Provider value={parts}>
    <Page route={route} />
  </ConsoleContext.Provider>
)

/** `/` goes to the search, unless the user writes. */
function focusSearch(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog')) return
  const search = document.querySelector<HTMLElement>('input[type="search"]')
  if (search === null) return
  event.preventDefault()
  search.focus()
}

function Page({ route }: { route: Store<Route> }) {
  const { section, name } = useStore(route)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.addEventListener('keydown', focusSearch)
    return () => document.removeEventListener('keydown', focusSearch)
  }, [])
  // A screen reader goes on at the heading of the new view. The first view leaves the focus alone.
  useEffect(() => {
    if (!isFirst.current) main.current?.querySelector<HTMLElement>('[data-view-heading]')?.focus()
    isFirst.current = false
  }, [section, name])
  const View = VIEWS[section]
  return (
    <>
      {/* The address names the view, so a link cannot name a place in it. */}
      <button type="button" class="button skip-link" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header />
      <div class="layout">
        <Sidebar section={section} />
        <main id="main" tabIndex={-1} ref={main}>
          <ConnectionProblem />
          <ErrorBoundary key={`${section}/${name ?? ''}`}>
            <View name={name} />
          </ErrorBoundary>
        </main>
      </div>
      <Notices />
      <QuestionDialog />
    </>
  )
}

function ConnectionProblem() {
  const { connection } = useConsole()
  const { status, problem } = useStore(connection.state)
  return status === 'failed' && problem ? <ProblemView problem={problem} /> : null
}
