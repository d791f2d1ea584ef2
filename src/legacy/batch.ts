// Several messages in one POST, as revision 2025-03-26 allows. Each is read like one of its own.
// Spec 2025-03-26: basic/index, "Batching", and basic/transports, "Sending Messages to the Server".
import { claimsModern } from '../protocol/classify.ts'
import { McpError } from '../protocol/errors.ts'
import { findReadableId, type Message, type RequestId, readMessage } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'

export const MAX_BATCH = 20

/** A message, or why it is none. */
export type BatchEntry =
  | Message
  | { readonly kind: 'fault'; readonly id: RequestId | undefined; readonly error: unknown }

/** @throws McpError INVALID_REQUEST (-32600) where there may be no batch, or not this one */
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
