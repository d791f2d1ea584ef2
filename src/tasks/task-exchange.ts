// The exchange of a task: as its request was, but for the connection that it came over.
import { logOf } from '../audit/trace.ts'
import type { Exchange } from '../exchange.ts'
import { unsupportedVersion } from '../protocol/classify.ts'
import { revisionOf } from '../protocol/revisions/index.ts'
import type { Job, Task } from '../task.ts'
import { givenOf, mapValues } from './outcome.ts'

type Own = Pick<Exchange, 'cancellation' | 'progress' | 'log'>

/** @throws McpError UNSUPPORTED_VERSION where another version of this server made the task */
export function exchangeOf({ job, tool, answers, clientKey }: Task & { readonly job: Job }, own: Own): Exchange {
  const { arguments: args, meta, version, capabilities, caller, id, requestId, traceparent } = job
  const revision = revisionOf(version)
  if (revision === undefined) throw unsupportedVersion(version)
  const headers = traceparent === undefined ? {} : { traceparent }
  return {
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, inputResponses: mapValues(answers, givenOf) },
    meta,
    revision,
    headers,
    capabilities,
    caller,
    clientKey,
    sink: undefined,
    logLevel: undefined,
    session: undefined,
    ask: undefined,
    requestId,
    traceparent,
    ...own,
    log: logOf(own.log, undefined, headers),
  }
}
