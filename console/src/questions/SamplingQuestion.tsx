// A request for a model, which the user answers by hand. Spec: client/sampling.
import { useId, useState } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { ContentView } from '../results/ContentView.tsx'
import { PlainText, Visible } from '../results/PlainText.tsx'
import { toJson } from '../results/values.ts'
import type { Question } from './question-queue.ts'

export function SamplingQuestion({ question }: { question: Question }) {
  const id = useId()
  const [text, setText] = useState('')
  const [model, setModel] = useState('human')
  const { messages, systemPrompt, ...options } = question.params
  const answer = (event: Event) => {
    event.preventDefault()
    question.answer({ role: 'assistant', model, stopReason: 'endTurn', content: { type: 'text', text } })
  }
  return (
    <form onSubmit={answer}>
      {typeof systemPrompt === 'string' && (
        <>
          <h3>System prompt</h3>
          <PlainText text={systemPrompt} />
        </>
      )}
      <SampledMessages messages={messages} />
      <details class="extras">
        <summary>Options</summary>
        <PlainText text={toJson(options)} />
      </details>
      <div class="field">
        <label for={id}>Answer of the model</label>
        <textarea id={id} rows={5} value={text} onInput={event => setText(event.currentTarget.value)} />
      </div>
      <div class="field">
        <label for={`${id}-model`}>Name of the model</label>
        <input id={`${id}-model`} required value={model} onInput={event => setModel(event.currentTarget.value)} />
      </div>
      <div class="row">
        <button type="submit" class="button button-primary">
          Answer
        </button>
        <button type="button" class="button" onClick={() => question.reject('The user rejected the request')}>
          Reject
        </button>
      </div>
    </form>
  )
}

/** Messages with a role: of sampling, and of prompts. */
export const SampledMessages = ({ messages }: { messages: unknown }) => (
  <ol class="conversation">
    {(Array.isArray(messages) ? messages : []).filter(isObject).map((message, index) => (
      <li key={index}>
        <span class="badge">
          <Visible text={String(message['role'])} />
        </span>
        {[message['content']].flat().map((content, each) => (
          <ContentView key={each} content={content} />
        ))}
      </li>
    ))}
  </ol>
)
