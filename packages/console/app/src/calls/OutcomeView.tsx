// The tab Result: before a call the type of the result, during a call its progress, after that its
// outcome.
import type { Tool } from '@modelcontextprotocol/client'
import type { ComponentChildren } from 'preact'
import { Scroll } from '../parts/Scroll.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatBytes, formatNumber } from '../results/format.ts'
import { PartView } from '../results/PartView.tsx'
import { hasOwnMeta, Leftovers, PartList, ToolError } from '../results/ResultView.tsx'
import { useConsole } from '../shell/context.ts'
import { hasEnded, type TaskEntry } from '../tasks/task-list.ts'
import type { Answered } from './answered.ts'
import type { Call } from './call.ts'
import { LargeNote } from './LargeNote.tsx'
import { LogList } from './LogList.tsx'
import { ProgressCard } from './ProgressCard.tsx'
import { Returns } from './Returns.tsx'
import { TaskProgress } from './TaskProgress.tsx'
import { Cancelled, Declined, NoAnswer, Refused } from './Verdict.tsx'

interface Props {
  readonly tool: Tool
  readonly call: Call | undefined
  readonly task: TaskEntry | undefined
  readonly answered: Answered | undefined
  readonly view: string | undefined
}

export function OutcomeView({ tool, call, task, answered, view }: Props) {
  if (call === undefined) {
    return (
      <Page>
        <Returns tool={tool} />
      </Page>
    )
  }
  if (call.status === 'running') return <Running call={call} />
  if (call.status === 'task' && (task === undefined || !hasEnded(task))) {
    return (
      <Page>
        <TaskProgress call={call} task={task} />
      </Page>
    )
  }
  const isPlain =
    answered?.only !== undefined && call.answered?.action !== 'decline' && call.answered?.action !== 'cancel'
  return isPlain ? (
    <Plain call={call} answered={answered} view={view} />
  ) : (
    <Page>
      <Ended call={call} task={task} answered={answered} />
    </Page>
  )
}

const Page = ({ children }: { children: ComponentChildren }) => (
  <Scroll label="Result" isPadded>
    <div class="stack-16">{children}</div>
  </Scroll>
)

function Plain({ call, answered, view }: { call: Call; answered: Answered; view: string | undefined }) {
  const { parts, result, only, fileName } = answered
  const hasLeftovers = parts!.copies.length > 0 || hasOwnMeta(result?.['_meta'])
  return (
    <PartView
      part={only!}
      view={view}
      fileName={fileName}
      before={<LargeNote bytes={call.bytes} />}
      after={hasLeftovers && <Leftovers parts={parts!} meta={result?.['_meta']} />}
    />
  )
}

function Running({ call }: { call: Call }) {
  const { calls } = useConsole()
  return (
    <Page>
      <ProgressCard steps={call.progress} lead={`Calling ${call.tool}`} onCancel={() => calls.cancel(call.id)}>
        Cancel <kbd>Esc</kbd>
      </ProgressCard>
      {call.logCount > 0 && (
        <section class="stack-4">
          <div class="row">
            <h2>Log</h2>
            <span class="count">{formatNumber(call.logCount)}</span>
          </div>
          <LogList entries={call.logs} count={call.logCount} />
        </section>
      )}
    </Page>
  )
}

interface EndedProps {
  readonly call: Call
  readonly task: TaskEntry | undefined
  readonly answered: Answered | undefined
}

/** The outcome of a call or a task that has ended. */
export function Ended({ call, task, answered }: EndedProps) {
  const problem = call.status === 'task' ? task?.problem : call.problem
  const isDecided = call.answered?.action === 'decline' || call.answered?.action === 'cancel'
  if (call.status === 'cancelled' || task?.status === 'cancelled') return <Cancelled />
  if (isDecided) {
    return (
      <>
        <Declined answer={call.answered!} />
        <section class="stack-8">
          <h2>The tool then said</h2>
          {answered?.parts === undefined ? (
            <p>
              <Visible text={problem?.detail ?? 'Nothing'} />
            </p>
          ) : (
            <PartList parts={answered.parts} fileName={answered.fileName} />
          )}
        </section>
      </>
    )
  }
  if (problem !== undefined) {
    const hasAnswer = problem.said === undefined
    return hasAnswer ? <Refused call={call} problem={problem} /> : <NoAnswer call={call} problem={problem} />
  }
  if (answered?.parts === undefined) {
    return (
      <p class="muted">
        {call.isCut
          ? `This result of ${formatBytes(call.bytes ?? 0)} was too large to be kept over the reload. Call again to see it.`
          : 'The result is empty.'}
      </p>
    )
  }
  const { parts, fileName, result } = answered
  return (
    <div class="result stack-12">
      <LargeNote bytes={call.bytes} />
      {answered.isToolError ? (
        <ToolError parts={parts} fileName={fileName} />
      ) : (
        <PartList parts={parts} fileName={fileName} />
      )}
      <Leftovers parts={parts} meta={result?.['_meta']} />
    </div>
  )
}
