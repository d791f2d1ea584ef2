// The question that waits longest, in a modal dialog. It closes when the question is answered or withdrawn.
import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import { useConsole } from '../shell/context.ts'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { FormQuestion } from './FormQuestion.tsx'
import type { Question } from './question-queue.ts'
import { SamplingQuestion } from './SamplingQuestion.tsx'
import { UrlQuestion } from './UrlQuestion.tsx'

export function QuestionDialog() {
  const { connection } = useConsole()
  const open = useStore(connection.questions.open)
  const [question] = open
  return question === undefined ? null : <Dialog key={question.id} question={question} waiting={open.length - 1} />
}

function Dialog({ question, waiting }: { question: Question; waiting: number }) {
  const { calls } = useConsole()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const tool = question.callId === undefined ? undefined : calls.calls.get().get(question.callId)?.tool
  const isSampling = question.method === 'sampling/createMessage'
  const dismiss = (event: Event) => {
    event.preventDefault()
    if (isSampling) question.reject('The user rejected the request')
    else question.answer({ action: 'cancel' })
  }
  return (
    <dialog ref={dialog} class="question" aria-labelledby="question-title" onCancel={dismiss}>
      <h2 id="question-title">
        {isSampling ? 'A request for a model' : 'A question'}
        {tool !== undefined && (
          <>
            {' '}
            of <Visible text={tool} />
          </>
        )}
      </h2>
      {waiting > 0 && (
        <p class="hint" role="status">
          {waiting} more {waiting === 1 ? 'waits' : 'wait'} behind it.
        </p>
      )}
      <ErrorBoundary>
        <Body question={question} />
      </ErrorBoundary>
    </dialog>
  )
}

function Body({ question }: { question: Question }) {
  if (question.method === 'sampling/createMessage') return <SamplingQuestion question={question} />
  return question.params['mode'] === 'url' ? <UrlQuestion question={question} /> : <FormQuestion question={question} />
}
