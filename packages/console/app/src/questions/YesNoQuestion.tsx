// A question without fields. No is the safe answer, and has the focus. Yes is red if the tool is
// destructive.
import { isObject } from '../client/json-rpc.ts'
import { Visible } from '../parts/Visible.tsx'
import { useAskingCall, useTool } from './asking.ts'
import { EscapeHint, QuestionText } from './QuestionText.tsx'
import type { Question } from './question-queue.ts'

const MAX_ARGUMENTS = 20
const MAX_VALUE = 500

export const isYesNo = (schema: unknown): boolean =>
  isObject(schema) && !(isObject(schema['properties']) && Object.keys(schema['properties']).length > 0)

export function YesNoQuestion({ question, titleId }: { question: Question; titleId: string }) {
  const isDestructive = useTool(question)?.annotations?.destructiveHint === true
  const args = Object.entries(useAskingCall(question)?.args ?? {})
  return (
    <>
      <div class="dialog-body">
        <QuestionText text={question.params['message']} titleId={titleId} />
        {args.length > 0 && (
          <dl class="args" id={`${titleId}-args`}>
            {args.slice(0, MAX_ARGUMENTS).map(([name, value]) => (
              <>
                <dt>
                  <Visible text={name} />
                </dt>
                <dd>
                  <Visible text={toShort(value)} />
                </dd>
              </>
            ))}
          </dl>
        )}
      </div>
      <div class="dialog-foot">
        <EscapeHint>cancels the call</EscapeHint>
        <button type="button" class="button" data-first onClick={() => question.answer({ action: 'decline' })}>
          No
        </button>
        <button
          type="button"
          class={isDestructive ? 'button button-danger' : 'button button-primary'}
          onClick={() => question.answer({ action: 'accept', content: {} })}
        >
          Yes
        </button>
      </div>
    </>
  )
}

function toShort(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}
