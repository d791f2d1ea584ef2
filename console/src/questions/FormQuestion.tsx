// A question with a form. Spec: client/elicitation, "Form Mode".
import { useState } from 'preact/hooks'
import { createInitialData, SchemaForm } from '../form/SchemaForm.tsx'
import { Prose } from '../results/PlainText.tsx'
import type { Question } from './question-queue.ts'

export function FormQuestion({ question }: { question: Question }) {
  const { message, requestedSchema } = question.params
  const [data, setData] = useState<unknown>(() => createInitialData(requestedSchema))
  return (
    <>
      <Prose text={String(message ?? '')} />
      <SchemaForm
        schema={requestedSchema}
        value={data}
        idPrefix="answer"
        onChange={setData}
        onSubmit={content => question.answer({ action: 'accept', content })}
      >
        <Refusals question={question}>
          <button type="submit" class="button button-primary">
            Answer
          </button>
        </Refusals>
      </SchemaForm>
    </>
  )
}

export const Refusals = ({ question, children }: { question: Question; children: preact.ComponentChildren }) => (
  <div class="row">
    {children}
    <button type="button" class="button" onClick={() => question.answer({ action: 'decline' })}>
      Decline
    </button>
    <button type="button" class="button" onClick={() => question.answer({ action: 'cancel' })}>
      Cancel
    </button>
  </div>
)
