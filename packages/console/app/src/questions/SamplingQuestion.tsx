// A request for a model, which the user answers by hand. Spec: client/sampling.
import { useId, useState } from 'preact/hooks'
import type { JsonObject } from '../client/json-rpc.ts'
import { Icon } from '../parts/Icon.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import { Bubble, Conversation, CutText } from './Conversation.tsx'
import { EscapeHint } from './QuestionText.tsx'
import type { Question } from './question-queue.ts'

const MAX_CHARACTERS = 300

export function SamplingQuestion({ question, titleId }: { question: Question; titleId: string }) {
  const id = useId()
  const [text, setText] = useState('')
  const [model, setModel] = useState('human')
  const { messages, systemPrompt, ...options } = question.params
  const answer = (event: Event) => {
    event.preventDefault()
    question.answer({ role: 'assistant', model, stopReason: 'endTurn', content: { type: 'text', text } })
  }
  return (
    <form onSubmit={answer} onKeyDown={sendByKey}>
      <div class="dialog-body">
        <h2 id={titleId}>You are the model. What do you answer?</h2>
        <div class="stack-16 sampling">
          <div>
            {typeof systemPrompt === 'string' && (
              <Bubble who="System">
                <CutText text={systemPrompt} max={MAX_CHARACTERS} />
              </Bubble>
            )}
            <Conversation messages={messages} maxCharacters={MAX_CHARACTERS} />
          </div>
          <div class="field">
            <div class="field-head">
              <label for={id}>Your answer</label>
              <span class="req">required</span>
            </div>
            <textarea
              id={id}
              class="textarea textarea-4"
              rows={1}
              required
              spellcheck={false}
              data-first
              value={text}
              onInput={event => setText(event.currentTarget.value)}
            />
          </div>
          <details>
            <summary>
              <Icon name="right" size={12} />
              <span class="muted">{describeOptions(options)}</span>
            </summary>
            <div class="stack-12 sampling">
              <pre class="plain code-plain">
                <JsonText text={JSON.stringify(options)} />
              </pre>
              <div class="field">
                <div class="field-head">
                  <label for={`${id}-model`}>Name of the model</label>
                </div>
                <input
                  id={`${id}-model`}
                  class="input"
                  required
                  value={model}
                  onInput={event => setModel(event.currentTarget.value)}
                />
              </div>
            </div>
          </details>
        </div>
      </div>
      <div class="dialog-foot">
        <EscapeHint>rejects</EscapeHint>
        <button type="button" class="button" onClick={() => question.reject('The user rejected the request')}>
          Reject
        </button>
        <button type="submit" class="button button-primary">
          Send answer
        </button>
      </div>
    </form>
  )
}

/** Sends the answer, also in inputs where Enter is a new line. */
export function sendByKey(event: KeyboardEvent & { currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

function describeOptions({ maxTokens, temperature }: JsonObject): string {
  const words = [
    typeof maxTokens === 'number' && `at most ${maxTokens} tokens`,
    typeof temperature === 'number' && `temperature ${temperature}`,
  ].filter(Boolean)
  return words.length === 0 ? 'Options' : `Options: ${words.join(', ')}`
}
