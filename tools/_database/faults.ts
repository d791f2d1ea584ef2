// Turns errors of PostgreSQL and of the connection into sentences for a model. They never contain
// addresses, roles or passwords.
import { ToolError } from 'toolrack'
import { DEADLINE_MS, SqlFault, type SqlReport } from './database.ts'

const MAX_TEXT = 600

export const TOO_SLOW =
  `The database took longer than ${DEADLINE_MS / 1000} s, and was stopped. ` +
  'Ask for less: narrow WHERE, aggregate fewer rows, or look at the schema resource for what is indexed.'

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The database refuses connections.',
  ENOTFOUND: 'The host of the database is not known.',
  '28P01': 'The database does not accept the login of this server.',
  '28000': 'The database does not accept the login of this server.',
  '3D000': 'The database that this server is set to use does not exist.',
  '53300': 'The database has no free connection.',
  '57P01': 'The database has ended the connection.',
  '57P02': 'The database has ended the connection.',
  '57P03': 'The database is starting up or shutting down.',
}

// Error codes of OpenSSL, and of Node, which checks host names.
const CERTIFICATE = /CERT|^UNABLE_TO_|^ERR_TLS_/

// PostgreSQL reports this with the code of an internal error.
const TOO_LARGE = /^invalid memory alloc request size/

const LATER = ' Nothing was changed. Try again in a moment; if it stays so, tell the operator.'

export function toolErrorOf(error: unknown): unknown {
  if (error instanceof ToolError || (error instanceof DOMException && error.name === 'AbortError')) return error
  if (!(error instanceof SqlFault)) return new ToolError(lostText(error))
  const { report } = error
  if (TOO_LARGE.test(report.message)) return new ToolError('A value in the query is too large. Ask for less at once.')
  const lost = CONNECTION[report.code] ?? (/^(08|58|XX|F0)/.test(report.code) ? 'The database has failed.' : undefined)
  if (lost !== undefined) return new ToolError(lost + LATER)
  return new ToolError(textOf(report))
}

function lostText(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  if (typeof code !== 'string') return `The database cannot be reached or has gone away.${LATER}`
  const what = CERTIFICATE.test(code)
    ? 'The certificate of the database is not accepted'
    : 'The database cannot be reached or has gone away'
  return (CONNECTION[code] ?? `${what} (${code}).`) + LATER
}

function textOf(report: SqlReport): string {
  switch (report.code) {
    case '57014':
      return TOO_SLOW
    case '25006':
    case '42501':
      return `${said(report)}. Only reading is possible here, and only of what this server may see.`
    case '53200':
    case '53100':
      return `The query needs more memory than there is: ${said(report)}. Ask for less at once.`
    default:
      return `${said(report)}.${isGrammar(report) ? ' Pass exactly one SELECT, VALUES, TABLE or WITH … SELECT.' : ''}`
  }
}

const isGrammar = ({ code, message }: SqlReport) => code === '42601' || /DECLARE CURSOR|data-modifying/.test(message)

/** Message, position and hint of PostgreSQL, shortened: they may repeat the caller's values. */
export function said({ message, position, detail, hint }: SqlReport): string {
  const at = position === undefined ? '' : ` at character ${position}`
  const sentences = [`PostgreSQL says: ${message}${at}`, detail, hint].filter(text => text !== undefined && text !== '')
  return cut(sentences.map(text => text?.replace(/\.$/, '')).join('. '))
}

export const cut = (text: string, max = MAX_TEXT): string => (text.length > max ? `${text.slice(0, max)}…` : text)
