// The program of a child process: loads a tool's module and runs its handler, one run at a time.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ToolContext, ToolDefinition, ToolServer } from 'toolrack'
import type { ToolModule } from 'toolrack/definitions'
import {
  createLevels,
  createParse,
  discardFiles,
  type ErrorSource,
  fileName,
  findDefinitionKind,
  followFolder,
  getSourceName,
  importModule,
  JsonCopier,
  NotJsonError,
  noteUnhandled,
  parseReturned,
  readArguments,
  TokenBucket,
  TooLargeError,
  toPlainError,
} from 'toolrack/isolation'
import { CHANNEL_FD, Channel } from './channel.ts'
import { ChildContext } from './context.ts'
import type { End, FromChild, Task, ToChild } from './messages.ts'
import { forbidProcessEnds } from './process-exit-guard.ts'
import { toSentFiles } from './sent-files.ts'

/** The tool or file whose code, or asynchronous work, runs. */
interface Run {
  readonly source: ErrorSource
  /** Ends the run; undefined after its end, and for the top level of a file. */
  fail: ((thrown: unknown) => void) | undefined
}

const runs = new AsyncLocalStorage<Run>()
const faultAllowance = new TokenBucket(100, 10)
const send = connect()

// These signals go to a whole process group, or service. The server ends this process after its drain.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})

// An uncaught error ends its run, which would otherwise last until the deadline.
process.on('uncaughtException', thrown => {
  const run = runs.getStore()
  if (run === undefined) throw thrown
  if (run.fail === undefined) report(run, thrown)
  else run.fail(thrown)
})

process.on('unhandledRejection', reason => {
  if (noteUnhandled(reason)) return
  const run = runs.getStore()
  if (run === undefined) throw reason
  report(run, reason)
})

forbidProcessEnds(['exit', 'abort', 'kill'], () => {
  const run = runs.getStore()
  return run && getSourceName(run.source)
})
// Otherwise a tool could add members to every object of every other tool.
Object.preventExtensions(Object.prototype)

/** Connects to the server. @returns sends a message */
function connect(): (message: FromChild) => void {
  const kill = process.kill.bind(process)
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  // The server has ended. A tool's listeners must not delay this.
  socket.on('close', () => kill(process.pid, 'SIGKILL'))
  let context: ChildContext | undefined
  const channel = new Channel(socket, {
    maxLength: Number.POSITIVE_INFINITY,
    onMessage(message) {
      const said = message as ToChild
      if (said.kind === 'run') context = start(said.task)
      else context?.receive(said)
    },
    onNonsense() {
      throw new Error('the server does not speak JSON')
    },
  })
  return message => channel.send(message)
}

function start(task: Task): ChildContext {
  const context = new ChildContext(task, send)
  void run(task, context).then(end => send({ kind: 'end', end }))
  return context
}

function report({ source }: Run, thrown: unknown): void {
  if (faultAllowance.take()) send({ kind: 'fault', source, error: toPlainError(thrown) })
}

/** By file path; only the newest generation. */
const loaded = new Map<string, { readonly url: string; readonly exported: Promise<object> }>()

function load(module: ToolModule): Promise<object> {
  const [path] = module.url.split('?', 1) as [string]
  const known = loaded.get(path)
  if (known?.url === module.url) return known.exported
  followFolder(module)
  // The first call of a tool loads its file; errors of its top level are not errors of that call.
  const run: Run = { source: { file: fileName(fileURLToPath(module.url)) }, fail: undefined }
  const exported = runs.run(run, async () => setUp(await importModule(module)))
  loaded.set(path, { url: module.url, exported })
  exported.catch(() => loaded.delete(path))
  return exported
}

/** The server runs the same `setup`; its changes count there. */
const NO_SERVER: ToolServer = Object.freeze({
  log: createLevels(() => {}),
  add: () => {},
  remove: () => false,
  resourceUpdated: () => {},
})

/** By function: files may export the same function of a helper. */
const setUps = new Map<object, Promise<unknown>>()

// Everything that it opens ends with the process.
async function setUp<T extends object>(exported: T): Promise<T> {
  const { setup } = exported as { setup?: unknown }
  if (typeof setup !== 'function') return exported
  let running = setUps.get(setup)
  if (running === undefined) {
    setUps.set(setup, (running = (async () => setup(NO_SERVER))()))
    // The next call tries again.
    running.catch(() => setUps.delete(setup))
  }
  await running
  return exported
}

/** Finds a tool by name in a module's exports, each a definition or an array of them. */
function findTool(exported: object, name: string): ToolDefinition | undefined {
  const isIt = (value: unknown) => findDefinitionKind(value) === 'tool' && (value as { name?: unknown }).name === name
  return Object.values(exported)
    .flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    .find(isIt)
}

async function findDefinition({ tool, module }: Task): Promise<ToolDefinition> {
  const definition = findTool(await load(module), tool)
  if (definition === undefined) throw new Error(`${tool} is not exported by the module that it is isolated with`)
  return definition
}

function run(task: Task, link: ChildContext): Promise<End> {
  const run: Run = { source: { tool: task.tool }, fail: undefined }
  return runs.run(run, async (): Promise<End> => {
    const failed = new Promise<never>((_resolve, reject) => (run.fail = reject))
    try {
      const work = findDefinition(task).then(tool => callHandler(tool, task.args, link.context))
      const returned = await Promise.race([work, failed])
      const forgotten = await Promise.race([link.findForgotten(), failed])
      if (forgotten !== undefined) throw forgotten
      return fit(await toSentFiles(returned, link.context.signal, text => new UnfitResult(text)), task.maxBytes)
    } catch (thrown) {
      if (thrown instanceof UnfitResult) return { kind: 'unfit', reason: thrown.message, detail: thrown.detail }
      return { kind: 'threw', error: toPlainError(thrown) }
    } finally {
      run.fail = undefined
      link.end()
    }
  })
}

/** The schema library refuses what the handler returned. */
class UnfitResult extends Error {
  readonly detail: string

  constructor(text: string, detail = text) {
    super(text)
    this.detail = detail
  }
}

// The server has had the arguments checked. Here the handler gets the values that the library makes
// of them.
async function callHandler(tool: ToolDefinition, args: unknown, context: ToolContext): Promise<unknown> {
  const [parseInput, parseOutput] = [createParse(tool.inputSchema, 'input'), createParse(tool.outputSchema, 'output')]
  const parsed = parseInput === undefined ? args : readArguments(tool.name, await parseInput(args))
  // The call may have been cancelled before the handler starts.
  context.signal.throwIfAborted()
  send({ kind: 'ready' })
  const returned = await tool.handler(parsed as never, context)
  return parseOutput === undefined
    ? returned
    : parseReturned(returned, parseOutput, (text, detail) => new UnfitResult(text, detail))
}

// Getters, proxies and toJSON run here, in the tool's process.
function fit(returned: unknown, maxBytes: number): End {
  if (returned === undefined) return { kind: 'returned' }
  try {
    return { kind: 'returned', value: new JsonCopier({ maxBytes, tally: undefined }).copy(returned) }
  } catch (error) {
    discardFiles(returned)
    if (error instanceof TooLargeError) return { kind: 'unfit' }
    return {
      kind: 'unfit',
      reason: error instanceof NotJsonError ? error.message.slice(0, 300) : 'reading it threw an error',
    }
  }
}
