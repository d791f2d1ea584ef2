// Raw messages of JSON-RPC with their headers, folded.
import type { LoggedMessage } from '../client/message-log.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { PlainText, Visible } from '../results/PlainText.tsx'

export const MessageTable = ({ messages }: { messages: readonly LoggedMessage[] }) => (
  <ol class="messages">
    {messages.map(message => (
      <li key={message.seq}>
        <MessageEntry message={message} />
      </li>
    ))}
  </ol>
)

function MessageEntry({ message }: { message: LoggedMessage }) {
  const { at, direction, summary, id, status, headers, text, characters } = message
  return (
    <details>
      <summary>
        <time class="hint">{new Date(at).toISOString().slice(11, 23)}</time>{' '}
        <span class="direction">{direction === 'sent' ? '→ sent' : '← received'}</span>{' '}
        <code>
          <Visible text={summary} />
        </code>
        {id !== undefined && <span class="hint"> id {String(id)}</span>}
        {status !== undefined && <span class="hint"> HTTP {status}</span>}
      </summary>
      {headers !== undefined && <PlainText text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />}
      <PlainText text={format(text)} />
      {characters > text.length && (
        <p class="hint">
          The first {text.length.toLocaleString('en')} of {characters.toLocaleString('en')} characters.
        </p>
      )}
      <CopyButton text={text} label="Copy message" />
    </details>
  )
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
