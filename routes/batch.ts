// A batch of revision 2025-03-26: each entry is limited, audited and answered like a request of its
// own. Spec 2025-03-26: basic/index, "Batching".
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { claimsModern } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { findReadableId, type Message, type RequestId, readMessage } from '../src/protocol/messages.ts'
import type { Revision } from '../src/protocol/revisions/index.ts'
import type { Answer } from '../src/request/answer.ts'
import type { MaybePromise } from '../src/request/maybe-promise.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { answerRefusal, type RequestMessage, type SessionRuntime } from './session-requests.ts'

const MAX_BATCH = 20

/** A message, or the reason why the entry is not one. */
export type BatchEntry =
  | Message
  | { readonly kind: 'fault'; readonly id: RequestId | undefined; readonly error: unknown }

/** Counts a message of a batch against the client's limits. @returns the error if it is refused */
export type CountMessage = (request: FastifyRequest) => MaybePromise<McpError | undefined>

export interface BatchRuntime extends SessionRuntime {
  readonly countMessage: CountMessage
}

export interface Batch {
  readonly entries: readonly BatchEntry[]
  readonly request: FastifyRequest
  readonly revision: Revision
  /** @param bytes the size of the message; 0 if nothing records it */
  answer(message: RequestMessage, bytes: number): MaybePromise<Answer | undefined>
  /** Takes a notification, or an answer to a question. */
  take(message: Exclude<Message, RequestMessage>): void
}

/** @throws McpError INVALID_REQUEST (-32600) if unsupported, empty, or over MAX_BATCH */
export function readBatch(batch: readonly unknown[], { takesBatches, version }: Revision): BatchEntry[] {
  if (!takesBatches)
    throw new McpError('INVALID_REQUEST', `revision ${version} takes one message at a time, not a batch`)
  if (batch.length === 0) throw new McpError('INVALID_REQUEST', 'the batch is empty')
  if (batch.length > MAX_BATCH) throw new McpError('INVALID_REQUEST', `at most ${MAX_BATCH} messages in a batch`)
  return batch.map(readEntry)
}

function readEntry(value: unknown): BatchEntry {
  try {
    const message = readMessage(value)
    if (message.kind === 'response') return message
    if (message.method === 'initialize') throw new McpError('INVALID_REQUEST', 'initialize comes alone, not in a batch')
    if (claimsModern(message)) throw new McpError('INVALID_REQUEST', 'its metadata is of a revision without batches')
    return message
  } catch (error) {
    return { kind: 'fault', id: findReadableId(value), error }
  }
}

/** @returns the answers in entry order; notifications and cancelled requests have none */
export async function serveEntries(runtime: BatchRuntime, batch: Batch): Promise<Answer[]> {
  const { entries, request } = batch
  // Each entry has an audit record with its size. A stream may release the body, so measure it now.
  const raw = runtime.audit.isOn ? (request.body as unknown[]) : []
  const sizes = raw.map(entry => Buffer.byteLength(JSON.stringify(entry)))
  const built = runtime.unsent.createUnsent(request[CLIENT_KEY])
  const latest = new Map<RequestId, Promise<unknown>>()
  const serveInTurn = async (entry: BatchEntry, index: number) => {
    // A repeated id is served if the entry before it is answered in this tick, else refused.
    const before = entry.kind === 'request' ? latest.get(entry.id) : undefined
    if (before !== undefined) await Promise.race([before, nextTurn()])
    const answer = await serveEntry(runtime, batch, { entry, index, bytes: sizes[index] ?? 0 })
    // The text stays in memory until the other answers are there.
    built.add(answer?.json.length ?? 0)
    return answer
  }
  const serving = entries.map((entry, index) => {
    const answer = serveInTurn(entry, index)
    if (entry.kind === 'request') latest.set(entry.id, answer)
    return answer
  })
  const answers = await Promise.all(serving)
  built.release()
  return answers.filter(answer => answer !== undefined)
}

interface CountedEntry {
  readonly entry: BatchEntry
  readonly index: number
  readonly bytes: number
}

/** Each entry is limited like a request of its own; the first was counted with the POST. */
async function serveEntry(
  runtime: BatchRuntime,
  { request, revision, answer, take }: Batch,
  { entry, index, bytes }: CountedEntry,
): Promise<Answer | undefined> {
  const refusal = index === 0 ? undefined : await runtime.countMessage(request)
  const refused = { revision, request, message: entry, bytes }
  if (entry.kind === 'notification' || entry.kind === 'response') {
    if (refusal === undefined) take(entry)
    // The client gets no answer, but the refusal is recorded.
    else answerRefusal(runtime, refused, refusal)
    return undefined
  }
  if (refusal !== undefined) return answerRefusal(runtime, refused, refusal)
  if (entry.kind === 'fault') return answerRefusal(runtime, refused, entry.error)
  return answer(entry, bytes)
}

/** The answers of a batch as the body of one. */
export const toBatchAnswer = (answers: readonly Answer[]): Answer => ({
  status: 200,
  json: `[${answers.map(({ json }) => json).join(',')}]`,
})
