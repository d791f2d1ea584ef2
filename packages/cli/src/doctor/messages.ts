// The messages in the bodies of answers, as JSON or as events.
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import type { HttpAnswer } from './http.ts'

export const isEventStream = ({ headers }: Pick<HttpAnswer, 'headers'>): boolean =>
  /^text\/event-stream\b/i.test(headers['content-type'] ?? '')

export function parseJson(text: string): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? [value] : []
  } catch {
    return []
  }
}

export interface ReceivedEvent {
  readonly type: string
  readonly message: JsonObject
  /** Whether the empty line at its end has arrived. */
  readonly isEnded: boolean
}

/** @param hasOpen includes the text after the last complete event */
export function findEvents(body: string, hasOpen = false): readonly ReceivedEvent[] {
  if (!/^\s*(?:event|data|id|retry|:)/.test(body)) return []
  const parts = body.split(/\r?\n\r?\n/)
  const found = parts.flatMap((part, index) => {
    const [message] = parseJson(readFields(part, 'data').join('\n'))
    const isEnded = index < parts.length - 1
    return message === undefined ? [] : [{ type: readFields(part, 'event').at(-1) || 'message', message, isEnded }]
  })
  return hasOpen ? found : found.filter(({ isEnded }) => isEnded)
}

const readFields = (event: string, name: string) =>
  event
    .split(/\r?\n/)
    .filter(line => line.startsWith(`${name}:`))
    .map(line => line.slice(name.length + 1).replace(/^ /, ''))
