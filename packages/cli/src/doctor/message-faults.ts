// Finds faults that make clients refuse an answer, or wait for it in vain.
import type { JsonObject } from 'toolrack'
import { toVisibleLine } from 'toolrack/text'
import type { CheckContext, Fault } from './check-context.ts'
import type { HttpAnswer } from './http.ts'
import { findEvents, isEventStream } from './messages.ts'

const FAULTS = {
  contentType: {
    id: 'content-type',
    severity: 'problem',
    effect: 'Clients go by Content-Type: the SDKs, Claude Code, Codex and VS Code refuse the answer unread.',
    fix: 'send Content-Type: application/json, or text/event-stream for events',
  },
  otherId: {
    id: 'other-id',
    severity: 'problem',
    effect: 'Clients match answers to requests by the id. They go on waiting, until they time out.',
    fix: 'answer with the id of the request, of the same type: 0 is not "0"',
  },
  noVersion: {
    id: 'no-jsonrpc',
    severity: 'problem',
    effect: 'Clients of the TypeScript and Python SDKs refuse the message, and wait until they time out.',
    fix: 'send "jsonrpc": "2.0" in each message',
  },
  errorBesideResult: {
    id: 'error-beside-result',
    severity: 'problem',
    effect: 'Clients of the TypeScript SDK refuse such an answer, and wait until they time out.',
    fix: 'leave "error" away if there is a result; do not send it as null',
  },
  eventType: {
    id: 'event-type',
    severity: 'problem',
    effect: 'Clients read events of the type message only. They go on waiting, until they time out.',
    fix: 'send answers as events without a type, or of the type message',
  },
  openEvent: {
    id: 'open-event',
    severity: 'problem',
    effect: 'An event ends with an empty line. Without it clients drop the answer, and wait until they time out.',
    fix: 'write two line feeds behind each event, also the last',
  },
} as const satisfies Record<string, Fault>

export function reportMessageFaults(
  context: CheckContext,
  { id, method }: { readonly id: unknown; readonly method: string },
  answer: HttpAnswer,
  message: JsonObject,
): void {
  const isResult = 'result' in message
  if (!isResult && !('error' in message)) return
  const said = message['id']
  // If a request was refused before it was read, the error may have no id, or any id.
  if (said !== id && (isResult || (answer.status === 200 && said !== undefined && said !== null)))
    context.reportOnce(FAULTS.otherId, `${method} with the id ${show(id)} is answered with the id ${show(said)}`)
  if (answer.status >= 300) return
  const type = answer.headers['content-type']
  const [what, isRight] =
    findEvents(answer.body, true).length > 0
      ? ['an event stream', isEventStream(answer)]
      : ['JSON', /^application\/json\b/i.test(type ?? '')]
  if (!isRight)
    context.reportOnce(
      FAULTS.contentType,
      `${what} comes ${type === undefined ? 'without a Content-Type' : `as ${toVisibleLine(type)}`}`,
    )
  if (message['jsonrpc'] !== '2.0')
    context.reportOnce(FAULTS.noVersion, `an answer has jsonrpc: ${show(message['jsonrpc'])}`)
  if (isResult && 'error' in message)
    context.reportOnce(FAULTS.errorBesideResult, 'an answer has both result and error')
  if (isEventStream(answer)) reportEventFaults(context, answer, said)
}

function reportEventFaults(context: CheckContext, { body, isCut }: HttpAnswer, id: unknown): void {
  const event = findEvents(body, true).find(({ message }) => message['id'] === id)
  if (event === undefined) return
  if (event.type !== 'message')
    context.reportOnce(FAULTS.eventType, `an answer comes as an event of the type ${toVisibleLine(event.type)}`)
  if (!event.isEnded && !isCut) context.reportOnce(FAULTS.openEvent, 'a stream ends before its last event has ended')
}

const show = (value: unknown) => (value === undefined ? 'none' : toVisibleLine(JSON.stringify(value)).slice(0, 80))
