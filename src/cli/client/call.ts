// `toolrack call`: finds the tool, types its arguments, checks them, calls it and prints the result.

import {
  type CallToolResult,
  type Client,
  type ElicitRequestParams,
  type LoggingLevel,
  SdkError,
  SdkErrorCode,
  type Tool,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import { isObject, type JsonObject } from '../../protocol/messages.ts'
import { META_LOG_LEVEL, TASKS_EXTENSION } from '../../protocol/schemas/common.ts'
import { withLocalReferences } from '../../schema/local-references.ts'
import { formatSignature, listProperties } from '../../signature.ts'
import { findNearestName } from '../../text/nearest-name.ts'
import { toShownUrl } from '../../text/url-credentials.ts'
import { CommandError, UsageError } from '../errors.ts'
import { runInterruptible } from '../interrupt.ts'
import type { Io } from '../io.ts'
import { parseArgumentObject, parseArguments, readStdin } from './arguments.ts'
import { type Connection, compileIfPossible, connect } from './connect.ts'
import { explainFailure } from './failures.ts'
import { type Progress, ProgressLine } from './progress.ts'
import { type Answers, answer, parseAnswers, UnansweredError } from './questions.ts'
import { printResult, type ResultOptions } from './result.ts'
import { findServer } from './servers.ts'
import { isExposed, isServer, isServerBefore, resolveTarget, type Target, type TargetOptions } from './target.ts'
import { ANY_RESULT, findTask, followTask, passTaskHandles } from './tasks.ts'
import { toVisible, toVisibleLine } from './visible.ts'

interface CallOptions extends TargetOptions, ResultOptions {
  readonly args?: string
  readonly answer?: readonly string[]
  readonly yes?: boolean
  readonly logLevel: LoggingLevel | 'none'
}

/** What one call needs at every step. */
interface Call {
  readonly io: Io
  readonly line: ProgressLine
  readonly answers: Answers
  readonly target: Target
  readonly logLevel: LoggingLevel | 'none'
  /** Ends the call: Ctrl-C, or a question that nobody can answer. */
  readonly stopper: AbortController
}

export async function runCall(words: readonly string[], options: CallOptions, io: Io): Promise<void> {
  const { url, name, rest } = readWords(words)
  if (name === undefined) throw new UsageError('the name of the tool is missing; toolrack list shows all')
  const target = resolveTarget(url, options)
  const answers = parseAnswers(options.answer, options.yes)
  const base = await readBase(rest.includes('-'), options.args)
  if (isExposed(target)) io.note('Warning: the token is sent without TLS; others can read it on the way.')
  await runInterruptible(async signal => {
    const stopper = new AbortController()
    signal.addEventListener('abort', () => stopper.abort(signal.reason))
    const call: Call = { io, line: new ProgressLine(io), answers, target, logLevel: options.logLevel, stopper }
    const connection = await open(call)
    try {
      const tool = await findTool(connection.client, name)
      const args = readArguments(tool, rest, base)
      for (const slip of findSlips(tool, args)) io.note(`Warning: ${slip}`)
      const result = await callTool(connection.client, tool, args, call)
      call.line.clear()
      await printResult(connection.client, result, options, io)
    } catch (error) {
      call.line.clear()
      throw stopper.signal.aborted ? stopper.signal.reason : explainCall(error, connection, target)
    } finally {
      await close(connection)
    }
  })
}

function readWords(words: readonly string[]) {
  const [first, second] = words
  const hasUrl = first !== undefined && isServerBefore(first, second)
  const [name, ...rest] = hasUrl ? words.slice(1) : words
  if (hasUrl && findServer(first) !== undefined && name?.includes('='))
    throw new UsageError(
      `${first} is the name of a server, so its tool comes next: toolrack call ${first} TOOL ${name} …`,
    )
  if (!hasUrl && second !== undefined && isServer(second) && !second.includes('='))
    throw new UsageError(`the URL comes first: toolrack call ${toShownUrl(second)} ${first} …`)
  return { url: hasUrl ? first : undefined, name, rest }
}

async function readBase(isStdin: boolean, args: string | undefined): Promise<JsonObject> {
  const fromStdin = isStdin ? parseArgumentObject('stdin', await readStdin(process.stdin)) : {}
  return { ...fromStdin, ...(args === undefined ? {} : parseArgumentObject('--args', args)) }
}

async function open(call: Call): Promise<Connection> {
  const { io, line, answers, target, stopper } = call
  const ask = async (params: ElicitRequestParams) => {
    line.clear()
    try {
      return await answer(params, answers, io, stopper.signal)
    } catch (error) {
      // The tool gets no answer: the call ends with this error.
      stopper.abort(error)
      throw error
    }
  }
  const connection = await connect(target, {
    signal: stopper.signal,
    capabilities: { elicitation: { form: {}, url: {} }, extensions: { [TASKS_EXTENSION]: {} } },
    prepare(client) {
      client.setRequestHandler(
        'elicitation/create',
        oneByOne(({ params }) => ask(params)),
      )
      client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
        const from = logger === undefined ? '' : `${toVisibleLine(logger)}: `
        line.note(`${io.paintNote('dim', level)} ${from}${toVisible(formatEntry(data))}`)
      })
      client.onerror = () => {}
    },
  })
  passTaskHandles(connection)
  return connection
}

/** A text as it is, also beside its data; anything else as JSON. */
function formatEntry(entry: unknown): string {
  if (typeof entry === 'string') return entry
  if (!isObject(entry) || typeof entry['message'] !== 'string') return JSON.stringify(entry)
  const { message, ...rest } = entry
  const names = Object.keys(rest)
  if (names.length === 0) return message
  return `${message} ${JSON.stringify(names.length === 1 && names[0] === 'data' ? rest['data'] : rest)}`
}

/** Several questions at once are asked one after the other: there is one terminal. */
function oneByOne<P, T>(run: (params: P) => Promise<T>): (params: P) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return params => {
    const next = last.then(() => run(params))
    last = next.catch(() => {})
    return next
  }
}

const CLOSE_WITHIN_MS = 1000

/** A session is ended, so that the server need not wait for it. */
async function close({ client, transport }: Connection): Promise<void> {
  if ('terminateSession' in transport) {
    const ended = transport.terminateSession().catch(() => {})
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, CLOSE_WITHIN_MS).unref())])
  }
  await client.close().catch(() => {})
}

async function findTool(client: Client, name: string): Promise<Tool> {
  // What the server does not offer is not asked for: the client would say so on stdout.
  const { tools } = client.getServerCapabilities()?.tools === undefined ? { tools: [] } : await client.listTools()
  const found = tools.find(tool => tool.name === name)
  if (found !== undefined) return withLocalReferences(found)
  const meant = findNearest(
    name,
    tools.map(tool => tool.name),
  )
  const hint = meant === undefined ? 'toolrack list shows all' : `did you mean ${toVisibleLine(meant)}?`
  throw new UsageError(`the server has no tool ${JSON.stringify(name)}; ${hint}`)
}

/** A third of the letters may differ. */
const findNearest = (name: string, names: readonly string[]): string | undefined =>
  findNearestName(name, names, Math.floor((name.length + 1) / 3)) ??
  names.find(each => name.length > 2 && each.includes(name))

/** @throws UsageError with the signature, before anything is sent */
function readArguments(tool: Tool, words: readonly string[], base: JsonObject): JsonObject {
  const { inputSchema } = tool
  const explain = (faults: string) => new UsageError(`${faults}; expected ${toVisibleLine(formatSignature(tool))}`)
  try {
    const args = parseArguments(
      words.filter(word => word !== '-'),
      inputSchema,
      base,
    )
    const issues = compileIfPossible(inputSchema)?.issues(args, MAX_ISSUES) ?? []
    if (issues.length === 0) return args
    const names = Object.keys(isObject(inputSchema.properties) ? inputSchema.properties : {})
    const faults = issues.map(issue => `${issue.path} ${issue.expected}${suggest(issue, names)}`)
    const isMissing = issues.some(({ expected }) => expected === 'is required')
    throw new UsageError([...faults, ...(isMissing ? findSlips(tool, args) : [])].join('; '))
  } catch (error) {
    throw error instanceof UsageError ? explain(error.message) : error
  }
}

const MAX_ISSUES = 5

/** Names that look misspelt, for a schema that takes every name. */
function findSlips({ inputSchema }: Tool, args: JsonObject): readonly string[] {
  if (inputSchema['additionalProperties'] !== undefined) return []
  const names = listProperties(inputSchema).map(({ name }) => name)
  const free = names.filter(name => !Object.hasOwn(args, name))
  return Object.keys(args)
    .filter(name => !names.includes(name))
    .map(name => ({ name, meant: findNearest(name, free) }))
    .filter(({ meant }) => meant !== undefined)
    .map(({ name, meant }) => toVisibleLine(`${name} is not an argument of the tool; did you mean ${meant}?`))
}

function suggest({ path, expected }: { path: string; expected: string }, names: readonly string[]): string {
  const meant = expected === 'is not a known property' ? findNearest(path, names) : undefined
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

async function callTool(client: Client, tool: Tool, args: JsonObject, call: Call): Promise<CallToolResult> {
  const { line, logLevel, stopper, target } = call
  const isModern = client.getProtocolEra() === 'modern'
  if (!isModern && logLevel !== 'none' && client.getServerCapabilities()?.logging !== undefined)
    await client.setLoggingLevel(logLevel)
  const _meta = isModern && logLevel !== 'none' ? { [META_LOG_LEVEL]: logLevel } : undefined
  const params = { name: tool.name, arguments: args, ...(_meta && { _meta }) }
  const options = {
    signal: stopper.signal,
    timeout: target.timeoutMs,
    resetTimeoutOnProgress: true,
    // The client reports its own rounds too.
    onprogress: (progress: Progress) => /^Fulfilling input/.test(progress.message ?? '') || line.update(progress),
  }
  // Older revisions have tasks on request; only what cannot be called otherwise is called so.
  const isTask = !isModern && tool.execution?.taskSupport === 'required'
  const result = isTask
    ? await client.request({ method: 'tools/call', params: { ...params, task: {} } }, ANY_RESULT, options)
    : await client.callTool(params, options)
  const task = findTask(result as JsonObject)
  if (task === undefined) return result as CallToolResult
  return followTask(client, task, {
    signal: stopper.signal,
    timeoutMs: target.timeoutMs,
    onStatus: message => line.update({ progress: 0, message }),
    answer: request => answerRequest(request, call),
  })
}

async function answerRequest({ method, params }: JsonObject, { io, line, answers, stopper }: Call): Promise<unknown> {
  line.clear()
  if (method === 'elicitation/create') return answer(params as ElicitRequestParams, answers, io, stopper.signal)
  throw new CommandError(`the task asks for ${toVisibleLine(String(method))}, which a terminal cannot give`)
}

/** What the client cannot do, and what the tool wants, in words of the command line. */
function explainCall(error: unknown, { url }: Connection, target: Target): unknown {
  if (error instanceof UrlElicitationRequiredError) {
    const urls = error.elicitations.map(each => toVisibleLine(each.url))
    return new UnansweredError(`the tool needs a page to be opened first, then call again: ${urls.join(' ')}`)
  }
  const { message } = error as Error
  if (/sampling/i.test(message) && !(error instanceof CommandError))
    return new CommandError(`the tool asks for a model (sampling), which a terminal has not: ${toVisibleLine(message)}`)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new CommandError('the tool did not answer in time; --timeout 5m waits longer', { cause: error })
  return explainFailure(error, url, target)
}
