// A client that comes back to the stream of a request by way of another replica than the one that serves it.
// Spec 2025-11-25: basic/transports, "Resumability and Redelivery".
import { setTimeout as sleep } from 'node:timers/promises'
import { McpError } from '../protocol/errors.ts'
import { createErrorAnswer } from '../request/answer.ts'
import type { Replay } from '../state/events.ts'
import type { Session } from '../state/sessions.ts'
import type { ResumableStream } from './resumable-stream.ts'
import type { SessionRegistry } from './session-registry.ts'

/** How often what is kept is looked at. */
const LOOK_MS = 250

/** Tells what is said there until it ends, or its session does, or the client leaves. */
export async function follow(stream: ResumableStream, sessions: SessionRegistry, session: Session): Promise<void> {
  const { events, store } = sessions
  const key = { session: session.id, stream: stream.id }
  while (stream.isConnected) {
    await sleep(LOOK_MS, undefined, { ref: false })
    let replay: Replay | undefined
    try {
      // What was said before its session ended is told first.
      const isThere = await store.has(session.id)
      replay = await events.read(key, stream.seq)
      if (!isThere && replay !== undefined) replay = { ...replay, isFinished: true, lost: [] }
    } catch {
      // It is looked at again.
      continue
    }
    if (replay === undefined) stream.end()
    else if (!stream.relay(failLostRequests(replay, session))) return
  }
}

// What nobody will answer any more has failed. It is kept nowhere: who comes back once more is told again.
function failLostRequests(replay: Replay, { revision }: Session): Replay {
  const { events, lastSeq, lost } = replay
  if (lost === undefined) return replay
  const error = new McpError('HANDLER_FAILED', 'The call was interrupted: the replica that ran it has ended')
  const answers = lost.map((id, index) => ({
    seq: lastSeq + index + 1,
    json: createErrorAnswer(error, id, revision).json,
  }))
  return { ...replay, events: [...events, ...answers], isFinished: true }
}
