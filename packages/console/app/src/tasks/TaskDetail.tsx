// One task: its result, its JSON, its log, and where to find it.
import { useMemo, useState } from 'preact/hooks'
import { type Answered, readAnswered } from '../calls/answered.ts'
import type { Call } from '../calls/call.ts'
import { Elapsed } from '../calls/Elapsed.tsx'
import { JsonView } from '../calls/JsonView.tsx'
import { LogList } from '../calls/LogList.tsx'
import { Ended } from '../calls/OutcomeView.tsx'
import { findOutcome } from '../calls/outcome.ts'
import { ProgressCard } from '../calls/ProgressCard.tsx'
import { useStore } from '../client/use-store.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { type Tab, Tabs } from '../parts/Tabs.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatBytes, formatTime } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { toHash } from '../shell/router.ts'
import { hasEnded, type TaskEntry } from './task-list.ts'
import { describeRunning } from './task-state.ts'

type Part = 'result' | 'json' | 'log' | 'details'

const PANEL = 'task-panel'

interface Props {
  readonly task: TaskEntry | undefined
  /** The id in the address, which may belong to a task that is gone. */
  readonly wanted: string | undefined
}

export function TaskDetail({ task, wanted }: Props) {
  const { calls } = useConsole()
  const call = useStore(calls.calls).find(({ id }) => id === task?.callId) ?? task?.call
  const [chosen, choose] = useState<Part>('result')
  const answered = useMemo(
    () => (task === undefined || !hasEnded(task) ? undefined : readAnswered(task.tool, call, task)),
    [call, task],
  )
  if (task === undefined || call === undefined) return <NoTask wanted={wanted} />
  const { logs, logCount } = task.log ?? call
  const tabs = listTabs(logCount)
  const part = tabs.some(({ id }) => id === chosen) ? chosen : 'result'
  return (
    <section class="pane pane-result" aria-label="Result of the task">
      <Head task={task} call={call} answered={answered} />
      <div class="pane-bar">
        <Tabs label="Views of the task" tabs={tabs} chosen={part} panelId={PANEL} onChoose={id => choose(id)} />
      </div>
      <div class="tab-panel" id={PANEL} role="tabpanel" aria-labelledby={`${PANEL}-${part}`}>
        <ErrorBoundary key={part}>
          {part === 'result' && <Result task={task} call={call} answered={answered} />}
          {part === 'json' && <JsonView call={call} answered={answered} isWrapped />}
          {part === 'log' && (
            <Scroll label="Log" isPadded>
              <LogList entries={logs} count={logCount} />
            </Scroll>
          )}
          {part === 'details' && <Details task={task} call={call} />}
        </ErrorBoundary>
      </div>
    </section>
  )
}

const listTabs = (logCount: number): readonly Tab<Part>[] => [
  { id: 'result', label: 'Result' },
  { id: 'json', label: 'JSON' },
  ...(logCount > 0 ? [{ id: 'log', label: 'Log', count: logCount } as const] : []),
  { id: 'details', label: 'Details' },
]

interface ShownProps {
  readonly task: TaskEntry
  readonly call: Call
  readonly answered: Answered | undefined
}

function Head({ task, call, answered }: ShownProps) {
  const { connection } = useConsole()
  const isAsking = useStore(connection.questions.open).some(({ callId }) => callId === call.id)
  const { word, dot } = findOutcome(call, isAsking, task)
  return (
    <header class="pane-head">
      <div class="request" role="status">
        <span class="outcome">
          <span class={`dot dot-${dot}`} />
          {word === 'OK' ? 'Done' : word}
        </span>
        <Elapsed startedAt={call.startedAt} endedAt={task.endedAt} />
        {answered !== undefined && call.bytes !== undefined && <span class="num">{formatBytes(call.bytes)}</span>}
        {call.revision !== undefined && <span class="num hide-narrow">{call.revision}</span>}
      </div>
      <div class="actions">
        {answered !== undefined && <CopyButton text={answered.toText} label="Copy the result" isIcon />}
      </div>
    </header>
  )
}

function Result({ task, call, answered }: ShownProps) {
  const { tasks } = useConsole()
  const steps = call.progress ?? task.progress
  return (
    <Scroll label="Result" isPadded>
      <div class="stack-16">
        {hasEnded(task) ? (
          <Ended call={call} task={task} answered={answered} />
        ) : (
          <ProgressCard steps={steps} lead={describeRunning(task)} onCancel={() => void tasks.cancel(task)}>
            Cancel task
          </ProgressCard>
        )}
      </div>
    </Scroll>
  )
}

const Details = ({ task: { taskId, tool, status, endedAt }, call }: Omit<ShownProps, 'answered'>) => (
  <Scroll label="Details" isPadded>
    <dl class="facts">
      <dt>Tool</dt>
      <dd>
        <a class="mono" href={toHash({ section: 'tools', name: tool })}>
          <Visible text={tool} />
        </a>
      </dd>
      <dt>Arguments</dt>
      <dd>
        <code>
          <Visible text={JSON.stringify(call.args)} />
        </code>
      </dd>
      <dt>Task</dt>
      <dd>
        <code>
          <Visible text={taskId} />
        </code>
      </dd>
      <dt>Status</dt>
      <dd>{status.replaceAll('_', ' ')}</dd>
      <dt>Called at</dt>
      <dd class="num">{formatTime(call.startedAt)}</dd>
      {endedAt !== undefined && (
        <>
          <dt>Ended at</dt>
          <dd class="num">{formatTime(endedAt)}</dd>
        </>
      )}
    </dl>
  </Scroll>
)

const NoTask = ({ wanted }: { wanted: string | undefined }) => (
  <section class="pane pane-result" aria-label="Result of the task">
    <Scroll label="Result">
      <div class="empty">
        <strong>{wanted === undefined ? 'No task is open' : 'This tab does not follow that task'}</strong>
        <p>{wanted === undefined ? 'A task shows its result here' : 'Tasks are forgotten when the page is left'}</p>
      </div>
    </Scroll>
  </section>
)
