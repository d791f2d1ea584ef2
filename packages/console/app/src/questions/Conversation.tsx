// Messages with a role: of a request for a model, or of a prompt.
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { ContentView } from '../results/ContentView.tsx'
import { formatBytes } from '../results/format.ts'

interface Props {
  readonly messages: unknown
  /** Longer texts are cut, with a button to show the rest. */
  readonly maxCharacters: number
}

export const Conversation = ({ messages, maxCharacters }: Props) => (
  <>
    {(Array.isArray(messages) ? messages : []).filter(isObject).map((message, index) => (
      <Bubble key={index} who={toWho(message['role'])}>
        {[message['content']].flat().map((content, each) => (
          <Content key={each} content={content} maxCharacters={maxCharacters} />
        ))}
      </Bubble>
    ))}
  </>
)

const toWho = (role: unknown): string => {
  const text = String(role)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const Bubble = ({ who, children }: { who: string; children: preact.ComponentChildren }) => (
  <article class="bubble">
    <p class="who">
      <Visible text={who} />
    </p>
    {children}
  </article>
)

function Content({ content, maxCharacters }: { content: unknown; maxCharacters: number }) {
  if (isObject(content) && content['type'] === 'text' && typeof content['text'] === 'string')
    return <CutText text={content['text']} max={maxCharacters} />
  if (isObject(content) && content['type'] === 'resource' && isObject(content['resource']))
    return <Attachment resource={content['resource']} content={content} />
  return <ContentView content={content} />
}

/** A resource in a message: its address, and its contents on demand. */
function Attachment({ resource, content }: { resource: JsonObject; content: JsonObject }) {
  const text = resource['text'] ?? resource['blob']
  return (
    <details>
      <summary class="attach">
        <Icon name="resources" />
        <code>
          <Visible text={String(resource['uri'] ?? '')} />
        </code>
        {typeof text === 'string' && <span class="faint">{formatBytes(text.length)}</span>}
      </summary>
      <ContentView content={content} />
    </details>
  )
}

/** Keeps the lines of the text. */
export function CutText({ text, max }: { text: string; max: number }) {
  const [isWhole, showWhole] = useState(text.length <= max)
  return (
    <>
      <p class="plain">
        <Visible text={isWhole ? text : `${text.slice(0, max).trimEnd()} …`} />
      </p>
      {!isWhole && (
        <button type="button" class="button button-ghost button-s" onClick={() => showWhole(true)}>
          Show all, {formatBytes(new TextEncoder().encode(text).length)}
        </button>
      )}
    </>
  )
}
