// One row of the messages in detail: its answer, its request, their headers, and everything on its
// stream.
import { useState } from 'preact/hooks'
import type { LoggedMessage } from '../client/message-log.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { reformatJson } from '../parts/json-layout.ts'
import { Scroll } from '../parts/Scroll.tsx'
import { type Tab, TabPanel, Tabs } from '../parts/Tabs.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatDuration, formatNumber } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import { toHash } from '../shell/router.ts'
import { CallMessages, describeStatus, HeaderLines, RawText } from './CallMessages.tsx'
import type { MessageRow } from './rows.ts'

type Part = 'answer' | 'request' | 'headers' | 'stream'

const PANEL = 'message-part'

export function MessageDetail({ row }: { row: MessageRow | undefined }) {
  const [wanted, choose] = useState<Part>('answer')
  if (row === undefined) return <NoDetail />
  const tabs = listTabs(row)
  const part = tabs.some(({ id }) => id === wanted) ? wanted : (tabs[0]?.id ?? 'headers')
  const message = part === 'answer' ? row.answer : part === 'request' ? row.request : undefined
  const title = tabs.find(({ id }) => id === part)?.label ?? ''
  return (
    <section class="pane pane-result" aria-label={row.method}>
      <Head row={row} />
      <div class="pane-bar">
        <Tabs label="Parts of the message" tabs={tabs} chosen={part} panelId={PANEL} onChoose={id => choose(id)} />
        {message !== undefined && (
          <CopyButton text={() => reformatJson(message.text)} label={`Copy the ${title.toLowerCase()}`} />
        )}
      </div>
      <TabPanel id={PANEL} chosen={part}>
        {message !== undefined && <RawText message={message} />}
        {part === 'headers' && <HeaderParts row={row} />}
        {part === 'stream' && <Stream row={row} />}
      </TabPanel>
    </section>
  )
}

function Head({ row: { method, name, callId, status, isError, tookMs } }: { row: MessageRow }) {
  const { calls } = useConsole()
  const tool = callId === undefined ? undefined : calls.get(callId)?.tool
  return (
    <header class="pane-head">
      <div class="request">
        <span class="outcome cut">
          <code>
            <Visible text={method} />
          </code>
          {name !== undefined && (
            <span class="cut">
              <Visible text={name} />
            </span>
          )}
        </span>
        {status !== undefined && <span class={isError ? 'num danger-text' : 'num'}>{status}</span>}
        {tookMs !== undefined && <span class="num">{formatDuration(tookMs)}</span>}
      </div>
      <div class="actions">
        {tool !== undefined && (
          <a class="button button-ghost button-s" href={toHash({ section: 'tools', name: tool })}>
            Open the call
          </a>
        )}
      </div>
    </header>
  )
}

function listTabs({ request, answer, exchange, stream, direction, times }: MessageRow): readonly Tab<Part>[] {
  const isAnswered = answer !== undefined
  const others = stream.filter(({ seq }) => seq !== answer?.seq && seq !== request?.seq)
  const tabs: (Tab<Part> | false)[] = [
    isAnswered && { id: 'answer', label: 'Answer' },
    request !== undefined && { id: 'request', label: direction === 'sent' ? 'Request' : 'Message' },
    (exchange !== undefined || (answer ?? request)?.headers !== undefined) && { id: 'headers', label: 'Headers' },
    others.length > 0 && { id: 'stream', label: 'Stream', count: times > 1 ? times : stream.length },
  ]
  return tabs.filter(tab => tab !== false)
}

function HeaderParts({ row: { exchange, request, answer } }: { row: MessageRow }) {
  const sent = exchange?.requestHeaders ?? (request?.direction === 'sent' ? request.headers : undefined)
  const received = exchange?.headers ?? [answer, request].find(each => each?.direction === 'received')?.headers
  const { verb, path } = exchange ?? request ?? answer!
  const status = exchange?.status ?? answer?.status
  return (
    <div class="stack-16">
      {sent !== undefined && <HeaderBox title={`${verb} ${path}`} headers={sent} />}
      {received !== undefined && (
        <HeaderBox title={status === undefined ? 'Answer' : describeStatus(status)} headers={received} />
      )}
      {exchange?.failure !== undefined && <p>No answer. The browser says: {exchange.failure}</p>}
      <p class="hint">The token is left out, and so are values that may be a credential.</p>
    </div>
  )
}

const HeaderBox = ({ title, headers }: { title: string; headers: NonNullable<LoggedMessage['headers']> }) => (
  <section class="message" aria-label={`Headers: ${title}`}>
    <header class="message-head">
      <span>{title}</span>
    </header>
    <HeaderLines headers={headers} />
  </section>
)

function Stream({ row: { stream, times } }: { row: MessageRow }) {
  return (
    <>
      {times > stream.length && (
        <p class="hint stream-note">
          The newest {formatNumber(stream.length)} of {formatNumber(times)}
        </p>
      )}
      {times > 1 ? <Repeats messages={stream} /> : <CallMessages messages={stream} />}
    </>
  )
}

/** Each repeat by itself, the newest first. */
const Repeats = ({ messages }: { messages: readonly LoggedMessage[] }) => (
  <ol class="repeats">
    {messages.toReversed().map(message => (
      <li key={message.seq}>
        <RawText message={message} />
      </li>
    ))}
  </ol>
)

const NoDetail = () => (
  <section class="pane pane-result" aria-label="Message">
    <Scroll label="Message">
      <div class="empty">
        <strong>No message is open</strong>
        <p>A row opens its request, its answer and their headers</p>
      </div>
    </Scroll>
  </section>
)
