// The line above a result: the outcome of the call, its time, the size of the answer, the revision.
// At its end are the calls before and after, Copy and Download.
import { useStore } from '../client/use-store.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Icon } from '../parts/Icon.tsx'
import { formatBytes } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import type { Call } from './call.ts'
import { Elapsed } from './Elapsed.tsx'
import type { Outcome } from './outcome.ts'
import { stepCall } from './step-call.ts'

/** Larger answers are amber, because a model reads all of it. */
const LARGE_BYTES = 100_000

interface Props {
  readonly tool: string
  readonly call: Call | undefined
  readonly outcome: Outcome | undefined
  /** When the call, or the task that it became, ended. */
  readonly endedAt: number | undefined
  /** The result as text; undefined until there is one. */
  readonly text: (() => string) | undefined
  onDownload(): void
}

export function RequestLine({ tool, call, outcome, endedAt, text, onDownload }: Props) {
  return (
    <header class="pane-head">
      {call === undefined || outcome === undefined ? (
        <div class="request">
          <span class="outcome muted">Not called yet</span>
          <span class="faint hide-narrow">the result shows here</span>
        </div>
      ) : (
        <Facts call={call} outcome={outcome} endedAt={endedAt} />
      )}
      <div class="actions">
        <Steps tool={tool} />
        {text !== undefined && (
          <>
            <CopyButton text={text} label="Copy the result" isIcon />
            <button
              type="button"
              class="icon-button"
              aria-label="Download the result"
              title="Download the result"
              onClick={onDownload}
            >
              <Icon name="download" />
            </button>
          </>
        )}
      </div>
    </header>
  )
}

function Facts({ call, outcome, endedAt }: { call: Call; outcome: Outcome; endedAt: number | undefined }) {
  const { connection } = useConsole()
  const { status } = useStore(connection.state)
  const { httpStatus = call.problem?.status, bytes, revision } = call
  return (
    <div class="request" role="status">
      <span class="outcome">
        <span class={`dot dot-${outcome.dot}`} />
        {outcome.word}
      </span>
      {httpStatus !== undefined && httpStatus !== 200 && <span class="num">HTTP {httpStatus}</span>}
      <Elapsed startedAt={call.startedAt} endedAt={endedAt} />
      {bytes !== undefined && endedAt !== undefined && (
        <span class={bytes > LARGE_BYTES ? 'num warning-text' : 'num'}>{formatBytes(bytes)}</span>
      )}
      {revision !== undefined && <span class="num hide-narrow">{revision}</span>}
      {endedAt !== undefined && status !== 'connected' && status !== 'connecting' && (
        <span class="badge">before the break</span>
      )}
    </div>
  )
}

function Steps({ tool }: { tool: string }) {
  const parts = useConsole()
  const { calls } = parts
  if (useStore(calls.calls).length === 0) return null
  return (
    <>
      <StepButton
        label="Call before"
        icon="left"
        isOff={calls.findNext(tool, -1) === undefined}
        onClick={() => stepCall(parts, tool, -1)}
      />
      <StepButton
        label="Call after"
        icon="right"
        isOff={calls.findNext(tool, 1) === undefined}
        onClick={() => stepCall(parts, tool, 1)}
      />
    </>
  )
}

interface StepProps {
  readonly label: string
  readonly icon: 'left' | 'right'
  readonly isOff: boolean
  onClick(): void
}

const StepButton = ({ label, icon, isOff, onClick }: StepProps) => (
  <button
    type="button"
    class="icon-button hide-phone"
    aria-label={label}
    title={`${label} (${icon === 'left' ? '[' : ']'})`}
    disabled={isOff}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)
