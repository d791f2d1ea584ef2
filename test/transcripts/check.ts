// Whether a message that came is one of its revision: by the official schema, and by the same, closed.
import { strictOf } from '../protocol/revisions/strict.ts'
import type { WireMessage } from '../wire.ts'
import { NEWS_NAMES, RESULT_NAMES } from '../wire-names.ts'
import { wireOf } from '../wire-of.ts'

/** What each message is called in the schema: the results, what is said, what is asked. */
const STRICT: Readonly<Record<string, string>> = {
  'server/discover': 'DiscoverResult',
  initialize: 'InitializeResult',
  ...RESULT_NAMES,
  ...NEWS_NAMES,
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
  'elicitation/create': 'ElicitRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
}

/** @param asked the method of the request, for a response */
export function faultsOf(message: WireMessage, version: string, asked: string | undefined): string[] {
  const method = message.method ?? asked
  try {
    wireOf(version)(message, method)
  } catch (error) {
    return [(error as Error).message]
  }
  const definition = message.result?.resultType === 'input_required' ? 'InputRequiredResult' : STRICT[method ?? '']
  if (message.error !== undefined || definition === undefined) return []
  return [strictOf(version)(definition, message.result ?? envelope(message, version))].filter(fault => fault !== '')
}

// Before 2025-11-25 the definition of a request or notification is what is within the envelope.
function envelope({ jsonrpc, id, ...message }: WireMessage, version: string): object {
  return version < '2025-11-25' ? message : { jsonrpc, ...(id !== undefined && { id }), ...message }
}
