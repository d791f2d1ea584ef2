// The rows of the message table: a request and its answer are one row, and so are repeats of a
// notification.
import type { HttpExchange, LoggedMessage } from '../client/message-log.ts'
import { groupRepeats } from './groups.ts'

export interface MessageRow {
  /** In the address of the row. */
  readonly key: number
  readonly at: number
  /** `received`: the server started. */
  readonly direction: LoggedMessage['direction']
  /** The HTTP verb, if no message was sent. */
  readonly method: string
  readonly name?: string | undefined
  readonly callId?: number | undefined
  /** `200`, `200 · -32602`, `open`; undefined if there is none. */
  readonly status: string | undefined
  readonly isError: boolean
  /** Until the answer. */
  readonly tookMs?: number | undefined
  /** It has not ended, so its time still grows. */
  readonly isOpen: boolean
  /** Bytes that the server sent for it. */
  readonly bytes: number
  readonly times: number
  /** The message that started it, if any. For repeats, the newest. */
  readonly request?: LoggedMessage | undefined
  readonly answer?: LoggedMessage | undefined
  /** All messages that belong to it. */
  readonly stream: readonly LoggedMessage[]
  readonly exchange?: HttpExchange | undefined
}

/** @returns the oldest first */
export function toRows(messages: readonly LoggedMessage[], exchanges: readonly HttpExchange[]): readonly MessageRow[] {
  const context = createContext(messages, exchanges)
  const requests = messages.filter(({ direction, kind }) => direction === 'sent' && kind !== 'answer')
  const sent = requests.map(request => toSentRow(request, context))
  const received = groupRepeats(messages.filter(isBegunByServer)).map(group => toReceivedRow(group, context))
  const used = new Set([...sent, ...received].flatMap(({ answer }) => (answer === undefined ? [] : [answer.seq])))
  const withoutRequest = messages.filter(
    ({ direction, kind, seq }) => direction === 'received' && (kind === 'answer' || kind === 'text') && !used.has(seq),
  )
  const alone = withoutRequest.map(answer => toLateRow(answer, context))
  const bare = exchanges.filter(({ verb, seq }) => verb !== 'POST' && !context.sentOn.has(seq)).map(toBareRow(context))
  return [...sent, ...received, ...alone, ...bare].sort((a, b) => a.key - b.key)
}

const isBegunByServer = ({ direction, kind }: LoggedMessage): boolean =>
  direction === 'received' && (kind === 'request' || kind === 'notification')

interface Context {
  readonly exchanges: ReadonlyMap<number, HttpExchange>
  readonly receivedOn: ReadonlyMap<number, readonly LoggedMessage[]>
  readonly sentOn: ReadonlySet<number>
  /** Answers by direction and id. Ids start again with each connection. */
  readonly answers: ReadonlyMap<string, readonly LoggedMessage[]>
}

function createContext(messages: readonly LoggedMessage[], exchanges: readonly HttpExchange[]): Context {
  const received = messages.filter(({ direction }) => direction === 'received')
  const answers = messages.filter(({ kind, id }) => kind === 'answer' && id !== undefined)
  return {
    exchanges: new Map(exchanges.map(each => [each.seq, each])),
    receivedOn: Map.groupBy(received, ({ http }) => http),
    sentOn: new Set(messages.filter(({ direction }) => direction === 'sent').map(({ http }) => http)),
    answers: Map.groupBy(answers, ({ direction, id }) => `${direction} ${id}`),
  }
}

function toSentRow(request: LoggedMessage, context: Context): MessageRow {
  const { seq, at, method, name, callId, http, id, summary } = request
  const exchange = context.exchanges.get(http)
  const stream = context.receivedOn.get(http) ?? []
  const answer =
    stream.find(({ kind, id: answered }) => kind === 'answer' && answered === id) ??
    stream.find(({ kind }) => kind === 'text') ??
    // A stream that broke off continues in another HTTP request.
    (id === undefined ? undefined : context.answers.get(`received ${id}`)?.find(({ seq: later }) => later > seq))
  return {
    key: seq,
    at,
    direction: 'sent',
    method: method ?? summary,
    name,
    callId,
    ...describeEnd(at, answer, exchange),
    bytes: exchange?.bytes ?? sumBytes(stream),
    times: 1,
    request,
    answer,
    stream,
    exchange,
  }
}

/** A request without a body: a GET that listens, or a DELETE of a session. */
const toBareRow =
  ({ receivedOn }: Context) =>
  (exchange: HttpExchange): MessageRow => {
    const { seq, at, verb, path, callId } = exchange
    const stream = receivedOn.get(seq) ?? []
    const end = describeEnd(at, undefined, exchange)
    const bytes = exchange.bytes ?? sumBytes(stream)
    return {
      key: seq,
      at,
      direction: 'sent',
      method: verb,
      name: path,
      callId,
      ...end,
      bytes,
      times: 1,
      stream,
      exchange,
    }
  }

function toReceivedRow(
  { key, messages, last, times, bytes }: ReturnType<typeof groupRepeats>[number],
  context: Context,
) {
  const { http, method, callId, id, kind, seq, at } = last
  const answer =
    kind === 'request' ? context.answers.get(`sent ${id}`)?.find(({ seq: later }) => later > seq) : undefined
  return {
    key,
    at,
    direction: 'received',
    method: method ?? '',
    name: describeReceived(last, context),
    callId,
    status: undefined,
    isError: answer?.isError ?? false,
    tookMs: answer && answer.at - at,
    isOpen: false,
    bytes,
    times,
    request: last,
    answer,
    stream: messages,
    exchange: context.exchanges.get(http),
  } satisfies MessageRow
}

/** Progress names no tool; the request of its stream does. */
function describeReceived({ method, name, http }: LoggedMessage, { exchanges }: Context): string | undefined {
  const tool = method === 'notifications/progress' ? exchanges.get(http)?.name : undefined
  return tool === undefined ? name : `${tool}, ${name}`
}

/** An answer whose request was dropped. */
function toLateRow(answer: LoggedMessage, { exchanges }: Context): MessageRow {
  const { seq, at, callId, http, bytes, summary, sentAt } = answer
  const exchange = exchanges.get(http)
  return {
    key: seq,
    at,
    direction: 'sent',
    method: exchange?.method ?? exchange?.verb ?? summary,
    name: exchange?.name,
    callId,
    ...describeEnd(sentAt ?? at, answer, exchange),
    bytes,
    times: 1,
    answer,
    stream: [],
    exchange,
  }
}

type End = Pick<MessageRow, 'status' | 'isError' | 'tookMs' | 'isOpen'>

function describeEnd(at: number, answer: LoggedMessage | undefined, exchange: HttpExchange | undefined): End {
  const status = answer?.status ?? exchange?.status
  if (answer !== undefined) {
    const code = /^error (.*)/.exec(answer.summary)?.[1]
    const isRefused = status !== undefined && status >= 400
    const also = code ?? (answer.isError ? 'tool error' : undefined)
    const text = [status, isRefused ? undefined : also].filter(part => part !== undefined).join(' · ')
    return { status: text, isError: answer.isError || isRefused, tookMs: answer.at - at, isOpen: false }
  }
  if (exchange === undefined) return { status: undefined, isError: false, isOpen: false }
  const { failure, isStream, endedAt, answeredAt } = exchange
  const isOpen = endedAt === undefined
  if (failure !== undefined) return { status: 'no answer', isError: true, tookMs: endedAt! - at, isOpen }
  if (isOpen) return { status: isStream ? 'open' : 'waits', isError: false, isOpen }
  const isError = status !== undefined && status >= 400
  return { status: String(status), isError, tookMs: (isStream ? endedAt : (answeredAt ?? endedAt)) - at, isOpen }
}

const sumBytes = (messages: readonly LoggedMessage[]): number => {
  const repeats = new Map<string, number>()
  let sum = 0
  for (const { repeats: all, method = '', bytes } of messages) {
    if (all === undefined) sum += bytes
    else repeats.set(method, all.bytes)
  }
  return [...repeats.values()].reduce((total, bytes) => total + bytes, sum)
}

export type Which = 'all' | 'calls' | 'server' | 'errors'

/** @param query a part of the method, the name or the text, in any case */
export function filterRows(rows: readonly MessageRow[], which: Which, query: string): readonly MessageRow[] {
  const wanted = query.trim().toLowerCase()
  const isOf: Readonly<Record<Which, (row: MessageRow) => boolean>> = {
    all: () => true,
    calls: ({ callId }) => callId !== undefined,
    server: ({ direction }) => direction === 'received',
    errors: ({ isError }) => isError,
  }
  return rows.filter(row => isOf[which](row) && (wanted === '' || contains(row, wanted)))
}

const contains = ({ method, name, request, answer, stream }: MessageRow, wanted: string): boolean =>
  [method, name, request?.text, answer?.text, ...stream.map(({ text }) => text)].some(text =>
    text?.toLowerCase().includes(wanted),
  )
