// One prompt: its arguments, with suggestions, and its messages.
import type { Prompt } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { useRequest } from '../client/use-request.ts'
import { CompletedInput } from '../form/CompletedInput.tsx'
import { Conversation } from '../questions/Conversation.tsx'
import { Prose, Visible } from '../results/PlainText.tsx'
import { Heading } from '../shell/Heading.tsx'
import { ProblemView } from '../shell/ProblemView.tsx'

export function PromptPage({ prompt }: { prompt: Prompt }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [state, send] = useRequest()
  const get = (event: Event) => {
    event.preventDefault()
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    void send({ method: 'prompts/get', params: { name: prompt.name, arguments: filled } })
  }
  return (
    <>
      <Heading>
        <Visible text={prompt.title ?? prompt.name} />
      </Heading>
      <Prose text={prompt.description} />
      <form class="panel" onSubmit={get}>
        {(prompt.arguments ?? []).map(({ name, description, required }) => (
          <CompletedInput
            key={name}
            completes={{ type: 'ref/prompt', name: prompt.name }}
            name={name}
            description={description}
            isRequired={required}
            values={values}
            onInput={value => setValues(all => ({ ...all, [name]: value }))}
          />
        ))}
        <button type="submit" class="button button-primary">
          Get messages
        </button>
      </form>
      {state.status === 'running' && <p role="status">Getting…</p>}
      {state.problem !== undefined && <ProblemView problem={state.problem} />}
      {state.result !== undefined && (
        <section class="panel" aria-label="Messages">
          <Conversation maxCharacters={20_000} messages={state.result['messages']} />
        </section>
      )}
    </>
  )
}
