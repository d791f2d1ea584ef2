// The question that has waited longest, in a modal dialog. It closes when the question is answered
// or withdrawn.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { useConsole } from '../shell/context.ts'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { useAskingCall, useTool } from './asking.ts'
import { FormQuestion } from './FormQuestion.tsx'
import type { Question } from './question-queue.ts'
import { SamplingQuestion } from './SamplingQuestion.tsx'
import { UrlQuestion } from './UrlQuestion.tsx'
import { isYesNo, YesNoQuestion } from './YesNoQuestion.tsx'

/** A key for the page must not answer a question that has just appeared. */
const DEAF_MS = 500

export function QuestionDialog() {
  const { connection } = useConsole()
  const open = useStore(connection.questions.open)
  const [question] = open
  return question === undefined ? null : <Shown key={question.id} question={question} total={open.length} />
}

type Kind = 'yes-no' | 'form' | 'url' | 'sampling'

interface KindRow {
  readonly icon: IconName
  /** Follows the name of the one who asks. */
  readonly asks: string
  readonly View: (props: { question: Question; titleId: string }) => ComponentChildren
}

const KINDS: Readonly<Record<Kind, KindRow>> = {
  'yes-no': { icon: 'prompts', asks: 'asks', View: YesNoQuestion },
  form: { icon: 'prompts', asks: 'asks', View: FormQuestion },
  url: { icon: 'globe', asks: 'wants to open a page', View: UrlQuestion },
  sampling: { icon: 'prompts', asks: 'asks for a model', View: SamplingQuestion },
}

function findKind({ method, params }: Question): Kind {
  if (method === 'sampling/createMessage') return 'sampling'
  if (params['mode'] === 'url') return 'url'
  return isYesNo(params['requestedSchema']) ? 'yes-no' : 'form'
}

function Shown({ question, total }: { question: Question; total: number }) {
  const titleId = useId()
  const kind = findKind(question)
  const { icon, asks, View } = KINDS[kind]
  const isDestructive = kind === 'yes-no' && useTool(question)?.annotations?.destructiveHint === true
  const cancel = () => cancelQuestion(question)
  return (
    <Dialog
      labelledBy={titleId}
      describedBy={kind === 'yes-no' ? `${titleId}-args` : undefined}
      role={kind === 'yes-no' ? 'alertdialog' : 'dialog'}
      isWide={kind === 'sampling'}
      deafMs={DEAF_MS}
      onCancel={cancel}
    >
      <div class="dialog-head">
        <span class={isDestructive ? 'danger-text' : undefined}>
          <Icon name={isDestructive ? 'alert' : icon} />
        </span>
        <span class="grow">
          <Asker question={question} /> {asks}
        </span>
        {total > 1 && <span class="badge num">1 of {total}</span>}
        <button
          type="button"
          class="icon-button"
          aria-label={kind === 'sampling' ? 'Reject the request' : 'Cancel the call'}
          onClick={cancel}
        >
          <Icon name="x" />
        </button>
      </div>
      <ErrorBoundary>
        <View question={question} titleId={titleId} />
      </ErrorBoundary>
    </Dialog>
  )
}

/** For Escape and ×. */
function cancelQuestion(question: Question): void {
  if (question.method === 'sampling/createMessage') question.reject('The user rejected the request')
  else question.answer({ action: 'cancel' })
}

/** Names the tool and the server, so that a tool cannot pretend to be another. */
function Asker({ question }: { question: Question }) {
  const { config, connection } = useConsole()
  const { server = config } = useStore(connection.state)
  const tool = useAskingCall(question)?.tool
  const name = <Visible text={server.title ?? server.name} />
  if (tool === undefined) return name
  return (
    <>
      <code>
        <Visible text={tool} />
      </code>{' '}
      of {name}
    </>
  )
}
