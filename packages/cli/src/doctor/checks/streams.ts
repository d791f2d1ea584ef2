// Does everything between client and server pass streams on at once, and leave them open?
import { AbortChecks, type Check, type CheckContext, type Fault } from '../check-context.ts'
import { openSessionStream, sendModern } from '../mcp.ts'
import { type Head, isOpenStream, WatchedStream } from '../watched-stream.ts'

/** How long the first bytes of an open stream may take, ms. */
const FIRST_EVENT_MS = 4000
/** The same for a session, whose server may have nothing to send. */
const SESSION_EVENT_MS = 1000
/** How long a stream is watched at least. */
const WATCH_MS = 2000

const FAULTS = {
  heldBack: {
    id: 'stream-held-back',
    severity: 'problem',
    effect: 'Clients see neither progress nor news, and take long calls for dead.',
    fix: 'turn buffering off for this path (nginx: proxy_buffering off; others: flush_interval, no CDN cache)',
  },
  lateHeaders: {
    id: 'stream-headers-late',
    severity: 'warning',
    effect: 'Clients wait for the stream, and then give it up: news of the server do not reach them.',
    fix: 'flush the headers at once, and turn buffering off in proxies; or answer GET with 405',
  },
  brokenOff: {
    id: 'stream-broken-off',
    severity: 'problem',
    effect: 'A call that takes longer loses its answer, and clients connect again and again.',
    fix: 'raise the idle and read time-outs of each proxy for this path (nginx: proxy_read_timeout 1h)',
  },
  ended: {
    id: 'stream-ended',
    severity: 'warning',
    effect: 'Clients open the stream again and again, and miss what the server sends meanwhile.',
    fix: 'keep the stream open, or answer GET with 405; look at time-outs of proxies and of the platform',
  },
  compressed: {
    id: 'stream-compressed',
    severity: 'warning',
    effect: 'Some compressors hold events back, until enough have come.',
    fix: 'do not compress text/event-stream',
  },
  cacheable: {
    id: 'stream-cacheable',
    severity: 'warning',
    effect: 'A cache may keep a stream, or hold it back.',
    fix: 'send Cache-Control: no-cache',
  },
  get: {
    id: 'get-answer',
    severity: 'warning',
    effect: 'Clients ask for a stream by GET after the handshake: they log an error, and some give up.',
    fix: 'answer GET with a stream, or with 405',
  },
} as const satisfies Record<string, Fault>

/** A stream stays open, so bytes that arrive before its end were not held back. */
export const checkStreaming: Check = async context => {
  const { modern, session } = context
  if (modern !== undefined) {
    const notifications = { toolsListChanged: true }
    const stream = new WatchedStream(sending => sendModern(context, 'subscriptions/listen', { notifications }, sending))
    const head = await stream.headWithin(FIRST_EVENT_MS)
    if (head === undefined || isOpenStream(head)) return watch(context, stream, head)
    stream.close()
  }
  if (session === undefined) return context.ok('whether streams are held back cannot be told: it opens none')
  const stream = new WatchedStream(sending => openSessionStream(context, session, sending))
  const head = await stream.headWithin(FIRST_EVENT_MS)
  if (head === undefined) {
    stream.close()
    return context.report(FAULTS.lateHeaders, `the headers of a stream do not come within ${FIRST_EVENT_MS / 1000} s`)
  }
  if (isOpenStream(head)) return watch(context, stream, head)
  if (head.status === 429) {
    // The end of the answer is reported as for other checks.
    await stream.ended
    throw new AbortChecks()
  }
  stream.close()
  if (head.status === 405) context.ok('opens no stream by GET (405)')
  else context.report(FAULTS.get, `GET is answered with ${head.status} ${head.headers['content-type'] ?? ''}`.trimEnd())
}

async function watch(context: CheckContext, stream: WatchedStream, head: Head | undefined): Promise<void> {
  context.stream = stream
  const mostMs = context.modern === undefined ? SESSION_EVENT_MS : FIRST_EVENT_MS
  const ms = await stream.bytesWithin(head === undefined ? 0 : mostMs - stream.ms)
  if (head !== undefined) reportHead(context, head)
  if (ms !== undefined) return context.ok(`a stream shows its first bytes after ${ms} ms, while it is open`)
  if ((await stream.endWithin(0)) !== undefined) return
  if (context.modern === undefined)
    return context.ok('opens a stream for a session; whether events are held back cannot be told, as none was due')
  context.report(
    FAULTS.heldBack,
    `a stream shows nothing within ${FIRST_EVENT_MS / 1000} s: something between holds it back until it ends`,
  )
}

function reportHead(context: CheckContext, { headers }: Head): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    context.report(FAULTS.compressed, `streams are compressed (${encoding})`)
  if (!/no-(?:cache|store)/.test(headers['cache-control'] ?? ''))
    context.report(FAULTS.cacheable, 'streams have no Cache-Control: no-cache')
}

/** The last check: how long did the stream of the first check stay open? */
export const checkOpenStream: Check = async context => {
  const { stream } = context
  if (stream === undefined) return
  const end = await stream.endWithin(WATCH_MS - stream.ms)
  const { ms } = stream
  stream.close()
  if (end === undefined) return context.ok(`a stream stays open (watched for ${format(ms)})`)
  if (end.how === 'broken off') context.report(FAULTS.brokenOff, `a stream broke off after ${format(end.afterMs)}`)
  // A server that sends `retry` may end it. Spec 2025-11-25: basic/transports.
  else if (end.how === 'ended' && !/^retry:/m.test(end.body))
    context.report(FAULTS.ended, `a stream ended after ${format(end.afterMs)}, and nobody had closed it`)
}

const format = (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)
