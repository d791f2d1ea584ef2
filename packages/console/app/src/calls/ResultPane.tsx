// The pane of a tool's call: the request line, the tabs, and the chosen view.
import type { Tool } from '@modelcontextprotocol/client'
import { useMemo, useState } from 'preact/hooks'
import { keep, readKept } from '../client/kept.ts'
import { useStore } from '../client/use-store.ts'
import { CallMessages } from '../messages/CallMessages.tsx'
import { saveFile } from '../parts/download.ts'
import { Scroll } from '../parts/Scroll.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import type { ResultFile } from '../results/part-text.ts'
import { useConsole } from '../shell/context.ts'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import type { TaskEntry } from '../tasks/task-list.ts'
import { readAnswered } from './answered.ts'
import { CodeView, LANGUAGES } from './CodeView.tsx'
import type { Call } from './call.ts'
import type { ResultTab } from './call-runner.ts'
import { JsonView } from './JsonView.tsx'
import { LogList } from './LogList.tsx'
import { OutcomeView } from './OutcomeView.tsx'
import { findOutcome } from './outcome.ts'
import { RequestLine } from './RequestLine.tsx'
import { type Language, SNIPPETS } from './snippets.ts'

const PANEL = 'result-panel'

export function ResultPane({ tool }: { tool: Tool }) {
  const { calls, tasks, connection } = useConsole()
  useStore(calls.calls)
  useStore(calls.shown)
  const call = calls.find(tool.name)
  const task = useStore(tasks.tasks).find(each => each.taskId === call?.taskId && call?.taskId !== undefined)
  const isAsking = useStore(connection.questions.open).some(({ callId }) => callId === call?.id && callId !== undefined)
  const outcome = call && findOutcome(call, isAsking, task)
  const answered = useMemo(() => readAnswered(tool.name, call, task), [tool.name, call, task])
  return (
    <section class="pane pane-result" aria-label="Result">
      <RequestLine
        tool={tool.name}
        call={call}
        outcome={outcome}
        endedAt={findEnd(call, task)}
        text={answered?.toText}
        onDownload={() => answered !== undefined && save(answered.toFile())}
      />
      {/* A new call starts with the views that fit its result. */}
      <Views key={call?.id} tool={tool} call={call} task={task} />
    </section>
  )
}

const save = ({ name, data }: ResultFile) => saveFile(name, data)

/** A task continues after its call. */
function findEnd(call: Call | undefined, task: TaskEntry | undefined): number | undefined {
  return call?.status === 'task' && task !== undefined ? task.endedAt : call?.endedAt
}

interface ViewsProps {
  readonly tool: Tool
  readonly call: Call | undefined
  readonly task: TaskEntry | undefined
}

function Views({ tool, call, task }: ViewsProps) {
  const { calls } = useConsole()
  const tabs = listTabs(call)
  const chosen = useStore(calls.tab)
  const tab = tabs.find(({ id }) => id === chosen)?.id ?? 'result'
  const answered = useMemo(() => readAnswered(tool.name, call, task), [tool.name, call, task])
  const [view, chooseView] = useState<string>()
  const [isWrapped, wrap] = useState(false)
  const [language, speak] = useLanguage()
  const views = answered?.views ?? []
  const shownView = views.some(([each]) => each === view) ? view : views[0]?.[0]
  return (
    <>
      <div class="pane-bar">
        <Tabs label="Views of the call" tabs={tabs} chosen={tab} panelId={PANEL} onChoose={id => calls.tab.set(id)} />
        {tab === 'result' && views.length > 0 && (
          <Segmented label={answered!.viewLabel} choices={views} value={shownView} onChange={chooseView} />
        )}
        {tab === 'json' && answered !== undefined && (
          <button
            type="button"
            class="button button-ghost button-s"
            aria-pressed={isWrapped}
            onClick={() => wrap(!isWrapped)}
          >
            Wrap lines
          </button>
        )}
        {tab === 'code' && <Segmented label="Language" choices={LANGUAGES} value={language} onChange={speak} />}
      </div>
      <div class="tab-panel" id={PANEL} role="tabpanel" aria-labelledby={`${PANEL}-${tab}`}>
        <ErrorBoundary key={tab}>
          {tab === 'result' && <OutcomeView tool={tool} call={call} task={task} answered={answered} view={shownView} />}
          {tab === 'json' && <JsonView call={call} answered={answered} isWrapped={isWrapped} />}
          {tab === 'log' && call !== undefined && (
            <Scroll label="Log" isPadded>
              <LogList entries={call.logs} count={call.logCount} />
            </Scroll>
          )}
          {tab === 'messages' && <MessagesTab call={call} />}
          {tab === 'code' && <CodeView tool={tool} language={language} />}
        </ErrorBoundary>
      </div>
    </>
  )
}

interface TabRow {
  readonly id: ResultTab
  readonly label: string
  readonly count?: number | undefined
}

function listTabs(call: Call | undefined): readonly TabRow[] {
  // During a call, the log is below the bar.
  const hasLog = call !== undefined && call.logCount > 0 && call.status !== 'running'
  return [
    { id: 'result', label: 'Result' },
    { id: 'json', label: 'JSON' },
    ...(hasLog ? [{ id: 'log', label: 'Log', count: call.logCount } as const] : []),
    { id: 'messages', label: 'Messages', count: call?.messageCount },
    { id: 'code', label: 'Code' },
  ]
}

function MessagesTab({ call }: { call: Call | undefined }) {
  return (
    <Scroll label="Messages" isPadded>
      {call === undefined && <p class="muted">Nothing called yet</p>}
      {call !== undefined && call.messages.length === 0 && (
        <p class="muted">The messages of a call are not kept over a reload.</p>
      )}
      {call !== undefined && <CallMessages messages={call.messages} />}
    </Scroll>
  )
}

function useLanguage(): readonly [Language, (language: Language) => void] {
  const [language, set] = useState<Language>(() => {
    const kept = readKept('language') ?? ''
    return Object.hasOwn(SNIPPETS, kept) ? (kept as Language) : 'curl'
  })
  const speak = (next: Language) => {
    set(next)
    keep('language', next)
  }
  return [language, speak]
}
