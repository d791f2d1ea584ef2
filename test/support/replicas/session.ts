// Sessions whose requests go where the test says: `client.at(replica)`.
import type { Test } from 'tap'
import { ABLE, initialize, McpTestClient, sessionIdOf } from '../client/client.ts'
import { type TestReply, textOf as textOfResult } from '../client/reply.ts'
import { type Headers, type Place, replica, retrying } from '../client/transport.ts'

/**
 * A machine that is busy may keep Redis from answering in time, so that a replica says 503: as clients do, it is tried again.
 *
 * @param headers of all its requests
 */
export async function openAt(
  t: Test,
  place: Place,
  headers: Headers = {},
  capabilities: object = ABLE,
): Promise<McpTestClient> {
  const transport = replica(place, t)
  const opened = await initialize(
    retrying(transport, async ({ status }) => status === 503),
    { headers, capabilities },
  )
  const client = new McpTestClient(transport, { headers, sessionId: sessionIdOf(opened) })
  await client.notify('notifications/initialized')
  return client
}

/** The text of a result, or what is wrong instead. */
export async function textOf(call: TestReply | Promise<TestReply>): Promise<string> {
  const reply = await call
  await reply.ended
  return textOfResult(reply) ?? `${reply.error.code} ${reply.error.message}`
}
