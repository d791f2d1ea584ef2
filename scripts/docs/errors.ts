// Generates docs/reference/errors.md. Names, codes, statuses and texts come from the catalogue; this file
// explains when the server answers with each error.
import { CATALOGUE, type ErrorName } from '../../src/protocol/errors.ts'
import { code, markdownTable } from './table.ts'

export const PAGE = 'docs/reference/errors.md'

const WHEN: Readonly<Record<ErrorName, string>> = {
  PARSE_ERROR: 'The body is empty, not UTF-8 or not JSON.',
  INVALID_REQUEST: 'The body is a batch or not a JSON-RPC request, is too deep or too large, or has a key twice.',
  METHOD_NOT_FOUND: 'This revision lacks the method, or nothing is registered for it.',
  INVALID_PARAMS: 'The params or `_meta` break the schema of the method.',
  UNKNOWN_TOOL: 'No tool has this name.',
  UNKNOWN_PROMPT: 'No prompt has this name.',
  RESOURCE_NOT_FOUND: 'No resource has the URI of `data.uri`.',
  INVALID_ARGUMENTS: 'A prompt or a completion got an unknown argument, or lacks one.',
  INVALID_CURSOR: 'The cursor is of another list, or the list has changed.',
  TASK_NOT_FOUND: 'The task is unknown, has expired, or belongs to someone else.',
  TASK_ENDED: 'it can no longer be cancelled (2025-11-25 only).',
  INVALID_STATE: 'it was changed, has expired, was used, or belongs to another request.',
  HANDLER_FAILED: 'The handler of a prompt, a resource or a completion failed.',
  INTERNAL_ERROR: 'A fault of the server. The log has it under the id of the request.',
  HEADER_MISMATCH: 'A mirrored header is missing, is malformed, or differs from the body.',
  MISSING_CAPABILITY: '`data.requiredCapabilities` names it.',
  UNSUPPORTED_VERSION: 'the revision is not served, or only after `initialize`; see `data.supported`.',
  SESSION_REQUIRED:
    'The request needs a session: `SESSIONS=required`, or a log level, a subscription, a stream, an answer.',
  UNAUTHENTICATED: 'no token, or one that is not accepted. `WWW-Authenticate` says how to get one.',
  INSUFFICIENT_SCOPE: 'The token lacks scopes. `WWW-Authenticate` names all that are needed.',
  FORBIDDEN_ORIGIN: 'see `ALLOWED_ORIGINS`.',
  FORBIDDEN_HOST: 'see `ALLOWED_HOSTS`.',
  NOT_FOUND: 'The server has nothing at this path.',
  SESSION_NOT_FOUND: 'The session is unknown, has ended, or belongs to someone else. Open a new one.',
  METHOD_NOT_ALLOWED: '`Allow` names those that are.',
  NOT_ACCEPTABLE: '`Accept` takes neither JSON nor an event stream.',
  REQUEST_TIMEOUT: 'The headers took longer than 5 s, or the whole request longer than 10 s.',
  BODY_TOO_LARGE: 'The body is larger than `MAX_BODY_BYTES`.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not `application/json` in UTF-8, or has a `Content-Encoding`.',
  EXPECTATION_FAILED: '`Expect` says something other than `100-continue`.',
  RATE_LIMITED: 'also calls and streams of one subject.',
  TOO_MANY_HEADERS: 'More than 2,000 headers, or more than 16 KiB of them.',
  NOT_IMPLEMENTED: '`Transfer-Encoding` says something other than `chunked`.',
  BUSY: 'too many calls, streams or new tokens, or the process is overloaded.',
  UNVERIFIABLE: 'the issuer does not answer.',
  STATE_UNAVAILABLE: 'Redis, or the file of `STATE`, cannot be reached.',
  AUDIT_UNAVAILABLE: 'With `AUDIT_REQUIRED`: the audit cannot be written.',
  DRAINING: 'calls under way end, then the server.',
}

const INTRODUCTION = `<!-- Written by \`npm run docs\` from src/protocol/errors.ts and scripts/docs/errors.ts. -->

# Errors

Every error of the protocol, with its code and its status.
[Troubleshooting](../guides/troubleshooting.md) goes by what you see.

A tool that fails answers with a [result](tools.md#what-happens-to-a-call) that has \`isError\`, and
HTTP 200, so that the model can mend its call. Everything else is a JSON-RPC error with the \`id\` of
the request. The log has its name as \`reason\`. Positive codes are Toolrack's own: the status times
100. With 429 and 503, \`Retry-After\` says when to come again. Older clients get
[other codes](revisions.md).
`

export function errorsPage(): string {
  const rows = Object.entries(CATALOGUE).map(([name, { code: number, status, text }]) => [
    code(name),
    String(number),
    String(status),
    `${toQuote(name, text)}${WHEN[name as ErrorName]}`,
  ])
  return `${INTRODUCTION}\n${markdownTable(['name', 'code', 'HTTP', 'when'], rows)}\n`
}

/** How the message begins, if it does not begin with the words of the name. */
function toQuote(name: string, text: string): string {
  const words = text.replace(/:? ?%s$/, '')
  return words === '' || toWords(words) === toWords(name) ? '' : `“${words}”: `
}

const toWords = (text: string) => text.toLowerCase().replaceAll('_', ' ')
