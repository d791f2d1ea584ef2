// The raw messages of a call in their order, each with its headers. Repeats of a notification are
// shown as one.
import type { LoggedMessage } from '../client/message-log.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Icon } from '../parts/Icon.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatBytes, formatDuration, formatNumber, formatTime } from '../results/format.ts'
import { groupRepeats, type MessageGroup } from './groups.ts'

/** @param messages such as `call.messages` */
export const CallMessages = ({ messages }: { messages: readonly LoggedMessage[] }) => (
  <>
    {groupRepeats(messages).map(group => (
      <Message key={group.key} group={group} />
    ))}
  </>
)

function Message({ group: { last, times, bytes } }: { group: MessageGroup }) {
  const { direction, kind, verb, path, headers, text } = last
  const what = WHAT[direction][kind]
  return (
    <article class="message" aria-label={what}>
      <header class="message-head">
        {kind === 'answer' ? (
          <span class={last.isError ? 'dot dot-danger' : 'dot dot-ok'} />
        ) : (
          <span class={direction === 'sent' ? undefined : 'way-down'}>
            <Icon name="up" size={12} />
          </span>
        )}
        <span class="cut">
          {direction === 'sent' ? `${verb} ${path}` : <Visible text={describeAnswer(last)} />}
          {times > 1 && <span class="badge">{formatNumber(times)} times</span>}
        </span>
        <span class="faint num grow cut">
          {formatTime(last.at)} · {formatBytes(bytes)}
          {kind === 'answer' && last.sentAt !== undefined && ` · after ${formatDuration(last.at - last.sentAt)}`}
        </span>
        <CopyButton text={text} label={`Copy the ${what.toLowerCase()}`} />
      </header>
      {headers !== undefined && headers.length > 0 && kind !== 'notification' && <HeaderLines headers={headers} />}
      <RawText message={last} />
    </article>
  )
}

const WHAT = {
  sent: { request: 'Request', notification: 'Notification sent', answer: 'Answer sent', text: 'Text sent' },
  received: { request: 'Question', notification: 'Notification', answer: 'Answer', text: 'Text' },
} as const satisfies Record<LoggedMessage['direction'], Record<LoggedMessage['kind'], string>>

function describeAnswer({ kind, method, status, summary }: LoggedMessage): string {
  if (kind === 'answer' || method === undefined) return status === undefined ? summary : describeStatus(status)
  return method
}

const STATUSES: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/** Such as `200 OK`. HTTP/2 has no words, so these are ours. */
export const describeStatus = (status: number): string =>
  STATUSES[status] === undefined ? String(status) : `${status} ${STATUSES[status]}`

export const HeaderLines = ({ headers }: { headers: NonNullable<LoggedMessage['headers']> }) => (
  <p class="headers">
    {headers.map(([name, value]) => (
      <span key={name}>
        <Visible text={name} />:{' '}
        <b>
          <Visible text={value} />
        </b>
        <br />
      </span>
    ))}
  </p>
)

/** The message itself, and how much of it there is. */
export const RawText = ({ message: { text, characters } }: { message: LoggedMessage }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
    <pre tabIndex={0} class="plain">
      <JsonText text={text} />
    </pre>
    {characters > text.length && (
      <p class="hint cut-note">
        The first {formatNumber(text.length)} of {formatNumber(characters)} characters
      </p>
    )}
  </>
)
