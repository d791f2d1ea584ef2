// Finds the requests of a stream whose process ended before they had a response.
import type { RequestId } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import type { StoredEvent } from 'toolrack/stores'
import { parseJson } from './json-text.ts'

/**
 * Finds the requests of a batch that no event answers.
 * @param requests the ids of the stream's requests, as JSON @param events the kept events
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
