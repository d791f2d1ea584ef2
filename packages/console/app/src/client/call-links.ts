// Finds the call that a raw message belongs to: by its request, its progress token or its question.
import { isObject, type RawMessage } from './json-rpc.ts'

const MAX_LINKS = 2000

export class CallLinks {
  readonly #calls = new Map<string, number>()

  /** @param streamCall the call whose POST contains the message */
  find(direction: 'sent' | 'received', message: RawMessage, streamCall: number | undefined): number | undefined {
    const callId = streamCall ?? this.#findKnown(direction, message)
    if (callId !== undefined) this.#remember(direction, message, callId)
    return callId
  }

  /** The call that asked a question, by the question's key or the id of the server's request. */
  findAsking(id: string | number): number | undefined {
    return this.#calls.get(`received ${id}`)
  }

  #findKnown(direction: 'sent' | 'received', { id, method, params }: RawMessage): number | undefined {
    const other = direction === 'sent' ? 'received' : 'sent'
    if (method === undefined) return this.#calls.get(`${other} ${id}`)
    if (method === 'notifications/progress') return this.#calls.get(`token ${String(params?.['progressToken'])}`)
    if (method === 'notifications/cancelled') return this.#calls.get(`${direction} ${String(params?.['requestId'])}`)
    return undefined
  }

  #remember(direction: 'sent' | 'received', { id, method, params, result }: RawMessage, callId: number): void {
    if (method !== undefined && id !== undefined) this.#set(`${direction} ${id}`, callId)
    const meta = params?.['_meta']
    if (direction === 'sent' && isObject(meta) && 'progressToken' in meta)
      this.#set(`token ${String(meta['progressToken'])}`, callId)
    const questions = result?.['inputRequests']
    if (isObject(questions)) for (const key of Object.keys(questions)) this.#set(`received ${key}`, callId)
  }

  #set(key: string, callId: number): void {
    this.#calls.delete(key)
    this.#calls.set(key, callId)
    if (this.#calls.size > MAX_LINKS) this.#calls.delete(this.#calls.keys().next().value!)
  }
}
