// A connection for one command. It answers the questions of the server, shows its reports, and ends
// with the command.
import {
  type Client,
  type ElicitRequestParams,
  type LoggingLevel,
  MissingRequiredClientCapabilityError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import type { JsonObject } from 'toolrack'
import { isObject, META_LOG_LEVEL, TASKS_EXTENSION } from 'toolrack/protocol'
import { toShownUrl, toVisible, toVisibleLine } from 'toolrack/text'
import { CommandError, UnansweredError, UsageError } from '../errors.ts'
import { runInterruptible } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { type Connection, connect, disconnect, offers } from './connect.ts'
import { Deadline, NO_LIMIT_MS } from './deadline.ts'
import { explainFailure } from './failures.ts'
import { type Progress, ProgressLine } from './progress.ts'
import { type Answers, answer, parseAnswers } from './questions.ts'
import { findServer } from './servers.ts'
import { isExposed, isServer, isServerBefore, resolveTarget, type Target, type TargetOptions } from './target.ts'
import { passTasks } from './tasks.ts'

export interface SessionOptions extends TargetOptions {
  readonly answer?: readonly string[]
  readonly yes?: boolean
  readonly logLevel: LoggingLevel | 'none'
}

/** Everything that a command needs at each step. */
export interface Session {
  readonly client: Client
  readonly io: Io
  readonly line: ProgressLine
  readonly answers: Answers
  readonly target: Target
  readonly logLevel: LoggingLevel | 'none'
  /** Ends the command: after Ctrl-C, at a timeout, or at a question that nobody can answer. */
  readonly stopper: AbortController
  readonly deadline: Deadline
}

type Opening = Omit<Session, 'client'>

/** @throws CommandError that says what to do; the errors of the work */
export async function runSession(
  url: string | undefined,
  options: SessionOptions,
  io: Io,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const target = resolveTarget(url, options)
  const answers = parseAnswers(options.answer, options.yes)
  if (isExposed(target)) io.note('Warning: the token is sent without TLS; others can read it on the way.')
  await runInterruptible(async signal => {
    const stopper = new AbortController()
    signal.addEventListener('abort', () => stopper.abort(signal.reason))
    const deadline = new Deadline(target.timeoutMs, () => stopper.abort(new CommandError(TOO_LATE)))
    const opening = { io, line: new ProgressLine(io), answers, target, logLevel: options.logLevel, stopper, deadline }
    const connection = await open(opening)
    try {
      await work({ ...opening, client: connection.client })
    } catch (error) {
      throw stopper.signal.aborted ? stopper.signal.reason : explainError(error, connection, target)
    } finally {
      opening.line.clear()
      await disconnect(connection)
    }
  })
}

const TOO_LATE = 'the server did not answer in time; --timeout 5m waits longer'

/** The kind of name that each command takes after the URL. */
const TAKES = { call: 'tool', prompt: 'prompt' } as const

/** Reads `[URL] NAME …`: a word before the name is the URL. */
export function readWords(command: keyof typeof TAKES, words: readonly string[]) {
  const [first, second] = words
  const kind = TAKES[command]
  const hasUrl = first !== undefined && isServerBefore(first, second)
  const [name, ...rest] = hasUrl ? words.slice(1) : words
  if (hasUrl && findServer(first) !== undefined && name?.includes('='))
    throw new UsageError(
      `${first} is the name of a server, so its ${kind} comes next: toolrack ${command} ${first} ${kind.toUpperCase()} ${name} …`,
    )
  if (!hasUrl && second !== undefined && isServer(second) && !second.includes('='))
    throw new UsageError(`the URL comes first: toolrack ${command} ${toShownUrl(second)} ${first} …`)
  return { url: hasUrl ? first : undefined, name, rest }
}

async function open(opening: Opening): Promise<Connection> {
  const { line, target, stopper } = opening
  const connection = await connect(target, {
    signal: stopper.signal,
    capabilities: { elicitation: { form: {}, url: {} }, extensions: { [TASKS_EXTENSION]: {} } },
    prepare(client) {
      client.setRequestHandler(
        'elicitation/create',
        oneByOne(({ params }) => answerQuestion(params, opening)),
      )
      client.setNotificationHandler('notifications/message', ({ params }) => noteEntry(params, opening))
      client.onerror = () => {}
    },
  })
  passTasks(connection, progress => line.update(progress))
  return connection
}

/** Shows a log entry of a tool above the progress bar. */
export function noteEntry({ level, logger, data }: JsonObject, { io, line }: Pick<Opening, 'io' | 'line'>): void {
  const from = typeof logger === 'string' ? `${toVisibleLine(logger)}: ` : ''
  line.note(`${io.paintNote('dim', toVisibleLine(String(level)))} ${from}${toVisible(formatEntry(data))}`)
}

/** Ends the command if nobody answers; then the server gets no answer. */
export async function answerQuestion(params: ElicitRequestParams, opening: Opening) {
  const { line, answers, io, stopper, deadline } = opening
  line.clear()
  try {
    return await deadline.hold(() => answer(params, answers, io, stopper.signal))
  } catch (error) {
    const reason = error instanceof UnansweredError ? new UnansweredError(error.message, [params]) : error
    stopper.abort(reason)
    throw reason
  }
}

/** A text as it is, followed by its data; any other value as JSON. */
function formatEntry(entry: unknown): string {
  if (typeof entry === 'string') return entry
  if (!isObject(entry) || typeof entry['message'] !== 'string') return JSON.stringify(entry)
  const { message, ...rest } = entry
  const names = Object.keys(rest)
  if (names.length === 0) return message
  return `${message} ${JSON.stringify(names.length === 1 && names[0] === 'data' ? rest['data'] : rest)}`
}

/** Asks simultaneous questions one after the other, since there is one terminal. */
function oneByOne<P, T>(run: (params: P) => Promise<T>): (params: P) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return params => {
    const next = last.then(() => run(params))
    last = next.catch(() => {})
    return next
  }
}

/** Options of a request that a command makes before its call, such as for a list. */
export const toOwnOptions = ({ stopper, target }: Session): RequestOptions => ({
  signal: stopper.signal,
  timeout: target.timeoutMs,
})

interface RequestParts {
  /** For the params: asks for log messages. */
  readonly meta: { readonly _meta?: JsonObject }
  readonly options: RequestOptions
}

/**
 * Sends a request during which the server may ask, log and report progress, within the time for an
 * answer.
 */
export async function sendRequest<T>(session: Session, send: (parts: RequestParts) => Promise<T>): Promise<T> {
  const parts = await prepare(session)
  session.deadline.start()
  try {
    return await send(parts)
  } finally {
    session.deadline.stop()
  }
}

async function prepare(session: Session): Promise<RequestParts> {
  const { client, line, logLevel, stopper, deadline } = session
  const isModern = client.getProtocolEra() === 'modern'
  if (!isModern && logLevel !== 'none' && offers(client, 'logging'))
    await client.setLoggingLevel(logLevel, toOwnOptions(session))
  return {
    meta: isModern && logLevel !== 'none' ? { _meta: { [META_LOG_LEVEL]: logLevel } } : {},
    options: {
      signal: stopper.signal,
      timeout: NO_LIMIT_MS,
      onprogress: (progress: Progress) => {
        deadline.start()
        // The client also reports its own rounds. Only their text distinguishes them.
        if (!/^Fulfilling input/.test(progress.message ?? '')) line.update(progress)
      },
    },
  }
}

/** Whether the server refuses a client without a model, or asks for one. */
function needsModel(error: unknown): error is Error {
  if (error instanceof MissingRequiredClientCapabilityError) return error.requiredCapabilities.sampling !== undefined
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.CapabilityNotSupported) return false
  return (error.data as { method?: unknown } | undefined)?.method === 'sampling/createMessage'
}

/** Says in terms of the command line which capability is missing. */
function explainError(error: unknown, { url }: Connection, target: Target): unknown {
  if (error instanceof UrlElicitationRequiredError) {
    const urls = error.elicitations.map(each => toVisibleLine(each.url))
    return new UnansweredError(
      `the tool needs a page to be opened first, then call again: ${urls.join(' ')}`,
      error.elicitations,
    )
  }
  if (needsModel(error))
    return new CommandError(
      `the tool asks for a model (sampling), and the command line has none: ${toVisibleLine(error.message)}`,
    )
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new CommandError(TOO_LATE, { cause: error })
  return explainFailure(error, url, target)
}
