// The messages as a file: JSON lines, the oldest first. The first line counts the omitted ones.
import { type LoggedMessage, MAX_MESSAGE_CHARACTERS, MAX_MESSAGES, MAX_REPEATS } from '../client/message-log.ts'

export interface ExportFacts {
  readonly server: { readonly name: string; readonly version: string }
  readonly revision: string | undefined
  /** ms */
  readonly at: number
}

/** Identifies a session, and may open it for anybody who reads the file. */
const LEFT_OUT = new Set(['mcp-session-id'])

export function toJsonLines(messages: readonly LoggedMessage[], { server, revision, at }: ExportFacts): string {
  const head = {
    file: 'messages of the Toolrack console',
    server,
    revision,
    exportedAt: new Date(at).toISOString(),
    messages: messages.length,
    leftOut: [
      'the token, and headers that may hold a credential',
      'the id of the session in headers',
      `all but the newest ${MAX_MESSAGES} messages`,
      `all but the newest ${MAX_REPEATS} of a notification on one stream`,
      `of a message, what follows ${MAX_MESSAGE_CHARACTERS} characters`,
    ],
  }
  return [JSON.stringify(head), ...messages.map(toLine)].map(line => `${line}\n`).join('')
}

function toLine(message: LoggedMessage): string {
  const { seq, at, direction, http, verb, path, status, headers, text, characters, repeats } = message
  const isCut = characters > text.length
  const isMessage = !isCut && isJson(text)
  const facts = JSON.stringify({
    seq,
    at: new Date(at).toISOString(),
    direction,
    http,
    ...(direction === 'sent' ? { request: `${verb} ${path}` } : { status }),
    headers: headers && Object.fromEntries(headers.filter(([name]) => !LEFT_OUT.has(name))),
    ...(repeats !== undefined && { nth: repeats.times }),
    ...(isCut && { cut: { kept: text.length, of: characters } }),
    ...(!isMessage && { text }),
  })
  // Unchanged, since parsing and writing could change a number. In JSON, line breaks are never
  // within strings.
  return isMessage ? `${facts.slice(0, -1)},"message":${text.replace(/[\r\n]+/g, ' ')}}` : facts
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
