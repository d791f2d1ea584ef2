// A batch of revision 2025-03-26: each entry is limited, audited and answered like a request of its
// own. Spec 2025-03-26: basic/index, "Batching".
import { setImmediate as nextTurn } from 'node:timers/promises'
import { claimsModern } from '../protocol/classify.ts'
import { McpError } from '../protocol/errors.ts'
import { findReadableId, type Message, type RequestId, readMessage } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import type { Answer } from '../request/answer.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import type { RequestMessage } from './session-messages.ts'

const MAX_BATCH = 20

/** A message, or the reason why the entry is not one. */
export type BatchEntry =
  | Message
  | { readonly kind: 'fault'; readonly id: RequestId | undefined; readonly error: unknown }

export interface Batch {
  readonly entries: readonly BatchEntry[]
  /** The value of each entry, to record its size; empty if nothing records it. */
  readonly values: readonly unknown[]
  /** Counts an entry after the first against the client's limits. @returns the error if it is refused */
  count(): MaybePromise<McpError | undefined>
  /** @param bytes the size of the message; 0 if nothing records it */
  answer(message: RequestMessage, bytes: number): MaybePromise<Answer | undefined>
  /** Takes a notification, or an answer to a question. */
  take(message: Exclude<Message, RequestMessage>): void
  /** Records the refusal. @returns the answer; a notification gets none */
  refuse(entry: BatchEntry, bytes: number, error: unknown): Answer
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

/**
 * @param built counts the answers until all are complete
 * @returns the answers in entry order; notifications and cancelled requests have none
 */
export async function serveEntries(batch: Batch, built: ReturnType<UnsentBytes['createUnsent']>): Promise<Answer[]> {
  // Each entry has an audit record with its size. A stream may release the body, so measure it now.
  const sizes = batch.values.map(entry => Buffer.byteLength(JSON.stringify(entry)))
  const latest = new Map<RequestId, Promise<unknown>>()
  const serveInTurn = async (entry: BatchEntry, index: number) => {
    // A repeated id is served if the entry before it is answered in this tick, else refused.
    const before = entry.kind === 'request' ? latest.get(entry.id) : undefined
    if (before !== undefined) await Promise.race([before, nextTurn()])
    const answer = await serveEntry(batch, { entry, index, bytes: sizes[index] ?? 0 })
    // The text stays in memory until the other answers are complete.
    built.add(answer?.json.length ?? 0)
    return answer
  }
  const serving = batch.entries.map((entry, index) => {
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

/** Each entry is limited like a request of its own; the first was counted with the batch. */
async function serveEntry(
  { count, answer, take, refuse }: Batch,
  { entry, index, bytes }: CountedEntry,
): Promise<Answer | undefined> {
  const refusal = index === 0 ? undefined : await count()
  if (entry.kind === 'notification' || entry.kind === 'response') {
    if (refusal === undefined) take(entry)
    // The client gets no answer, but the refusal is recorded.
    else refuse(entry, bytes, refusal)
    return undefined
  }
  if (refusal !== undefined) return refuse(entry, bytes, refusal)
  if (entry.kind === 'fault') return refuse(entry, bytes, entry.error)
  return answer(entry, bytes)
}

/** The answers of a batch as the body of one. */
export const toBatchAnswer = (answers: readonly Answer[]): Answer => ({
  status: 200,
  json: `[${answers.map(({ json }) => json).join(',')}]`,
})
