// A question with a form. Spec: client/elicitation, "Form Mode".
import { useState } from 'preact/hooks'
import { createInitialData } from '../form/model.ts'
import { SchemaForm } from '../form/SchemaForm.tsx'
import { EscapeHint, QuestionText } from './QuestionText.tsx'
import type { Question } from './question-queue.ts'

export function FormQuestion({ question, titleId }: { question: Question; titleId: string }) {
  const { message, requestedSchema } = question.params
  const [data, setData] = useState<unknown>(() => createInitialData(requestedSchema))
  return (
    <SchemaForm
      schema={requestedSchema}
      value={data}
      idPrefix="answer"
      onChange={setData}
      onSubmit={content => question.answer({ action: 'accept', content })}
    >
      {fields => (
        <>
          <div class="dialog-body">
            <QuestionText text={message} titleId={titleId} />
            {fields}
          </div>
          <div class="dialog-foot">
            <EscapeHint>cancels the call</EscapeHint>
            <button type="button" class="button" onClick={() => question.answer({ action: 'decline' })}>
              Decline
            </button>
            <button type="submit" class="button button-primary">
              Send answer
            </button>
          </div>
        </>
      )}
    </SchemaForm>
  )
}
