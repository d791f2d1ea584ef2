// One prompt: its arguments, with suggestions, and its messages.
import type { Prompt } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { type RequestState, useMessages, useRequest } from '../client/use-request.ts'
import { useStore } from '../client/use-store.ts'
import { CompletedInput } from '../form/CompletedInput.tsx'
import { KeyHint } from '../keys/KeyHint.tsx'
import { CallMessages } from '../messages/CallMessages.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { TabPanel, Tabs } from '../parts/Tabs.tsx'
import { Visible } from '../parts/Visible.tsx'
import { Conversation } from '../questions/Conversation.tsx'
import { formatBytes, formatDuration } from '../results/format.ts'
import { InlineText } from '../results/Markdown.tsx'
import { useConsole } from '../shell/context.ts'
import { BackToList } from '../shell/PhoneNav.tsx'
import { ProblemView } from '../shell/ProblemView.tsx'

const FORM = 'prompt-form'
const MAX_CHARACTERS = 20_000

export function PromptView({ prompt }: { prompt: Prompt }) {
  const { connection, view } = useConsole()
  const { status } = useStore(connection.state)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [state, send] = useRequest()
  const get = (event: Event) => {
    event.preventDefault()
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    view.pane.set('result')
    void send({ method: 'prompts/get', params: { name: prompt.name, arguments: filled } })
  }
  const { name, title, description, arguments: args = [] } = prompt
  return (
    <>
      <section class="pane pane-form" aria-label="Arguments">
        <header class="tool-head">
          <BackToList section="prompts">All prompts</BackToList>
          <h2>
            <Visible text={name} />
          </h2>
          {title !== undefined && title !== name && (
            <p>
              <Visible text={title} />
            </p>
          )}
          {description !== undefined && (
            <p>
              <InlineText text={description} />
            </p>
          )}
        </header>
        <Scroll label="Fields" isPadded>
          <form class="fields" id={FORM} onSubmit={get}>
            {args.length === 0 && <p class="hint">This prompt takes no arguments.</p>}
            {args.map(each => (
              <CompletedInput
                key={each.name}
                completes={{ type: 'ref/prompt', name }}
                name={each.name}
                description={each.description}
                isRequired={each.required === true}
                values={values}
                onInput={value => setValues(all => ({ ...all, [each.name]: value }))}
              />
            ))}
          </form>
        </Scroll>
        <footer class="pane-foot">
          <button type="submit" form={FORM} class="button button-primary" disabled={status !== 'connected'}>
            Get messages
            <span class="keys hide-phone">
              <KeyHint keys={['Ctrl', '↵']} />
            </span>
          </button>
          {status !== 'connected' && <span class="faint">Waits for the server</span>}
        </footer>
      </section>
      <PromptResult state={state} />
    </>
  )
}

type Shown = 'conversation' | 'json' | 'messages'

function PromptResult({ state }: { state: RequestState }) {
  const [shown, show] = useState<Shown>('conversation')
  const messages = useMessages(state)
  const json = state.result === undefined ? '' : JSON.stringify(state.result, null, 2)
  const tabs = [
    { id: 'conversation', label: 'Conversation' },
    { id: 'json', label: 'JSON' },
    { id: 'messages', label: 'Messages', count: messages.length },
  ] as const
  return (
    <section class="pane pane-result" aria-label="Messages">
      <header class="pane-head">
        <RequestLine state={state} bytes={new TextEncoder().encode(json).length} />
        {json !== '' && (
          <div class="actions">
            <CopyButton isIcon text={json} label="Copy the messages" />
          </div>
        )}
      </header>
      <div class="pane-bar">
        <Tabs<Shown> label="Views of the prompt" tabs={tabs} chosen={shown} panelId="prompt" onChoose={show} />
      </div>
      <TabPanel id="prompt" chosen={shown}>
        {state.problem !== undefined && <ProblemView problem={state.problem} />}
        {shown === 'conversation' && (
          <Conversation messages={state.result?.['messages']} maxCharacters={MAX_CHARACTERS} />
        )}
        {shown === 'json' && (
          <pre class="plain">
            <JsonText text={json} />
          </pre>
        )}
        {shown === 'messages' && <CallMessages messages={messages} />}
      </TabPanel>
    </section>
  )
}

const OUTCOMES = {
  idle: { dot: undefined, word: 'Not asked yet' },
  running: { dot: 'dot dot-run', word: 'Asking' },
  done: { dot: 'dot dot-ok', word: 'OK' },
  failed: { dot: 'dot dot-danger', word: 'Refused' },
} as const

function RequestLine({ state: { status, tookMs }, bytes }: { state: RequestState; bytes: number }) {
  const { connection } = useConsole()
  const { revision } = useStore(connection.state)
  const { dot, word } = OUTCOMES[status]
  return (
    <div class="request" role="status">
      <span class={status === 'idle' ? 'outcome muted' : 'outcome'}>
        {dot !== undefined && <span class={dot} />}
        {word}
      </span>
      {tookMs !== undefined && <span class="num">{formatDuration(tookMs)}</span>}
      {status === 'done' && (
        <>
          <span class="num">{formatBytes(bytes)}</span>
          <span class="num hide-narrow">{revision}</span>
        </>
      )}
    </div>
  )
}
