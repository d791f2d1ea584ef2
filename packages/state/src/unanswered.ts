// The requests of a stream that its process has left without a response.
import type { RequestId } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import type { StoredEvent } from 'toolrack/stores'
import { parseJson } from './json-text.ts'

/**
 * Finds the requests of a batch that no event answers.
 * @param requests the ids that the stream was to answer, as JSON @param events those that are kept
 */
export function findUnanswered(requests: string, events: readonly StoredEvent[]): RequestId[] {
  return parseRequestIds(requests).filter(id => !events.some(event => answers(event, id)))
}

function parseRequestIds(text: string): RequestId[] {
  const ids = parseJson(text)
  return Array.isArray(ids) ? ids.filter(id => typeof id === 'string' || Number.isSafeInteger(id)) : []
}

function answers({ json }: StoredEvent, id: RequestId): boolean {
  const message = parseJson(json)
  return isObject(message) && message['id'] === id && message['method'] === undefined
}
