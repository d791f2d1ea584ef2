// The context of one tool call. Its parts are created on first use, since most calls need few.
import type { ConfirmationSource } from '../input/confirmation.ts'
import { readNotes } from '../input/notes.ts'
import { Questions } from '../input/questions.ts'
import type { JsonObject, RequestId } from '../protocol/messages.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { CallState } from '../registry/call-state.ts'
import { ToolError } from '../registry/content.ts'
import type { InputContext, LogMethod, TokenRequest, ToolCaller, ToolContext } from '../registry/handler-context.ts'
import type { Exchange, ProgressListener } from '../request/exchange.ts'
import { createClientLog } from './client-log.ts'
import type { Executor } from './executor.ts'
import { Progress } from './progress.ts'
import { toToolCaller } from './tool-caller.ts'

/** The `progress` function of a call whose client does not listen. */
export const ignoreProgress = () => {}

let readExchange: (ctx: ToolContext) => Exchange
let toCall: (ctx: ToolContext) => CallContext

/**
 * The exchange of a context. Not a member of the class, because handlers reach the class by
 * `ctx.constructor`, and the headers of the exchange contain the caller's token.
 */
export const getExchange = (ctx: ToolContext): Exchange => readExchange(ctx)

/** Getters return unbound functions, so that handlers may destructure the context. */
export class CallContext implements ToolContext {
  readonly #tool: string
  readonly #exchange: Exchange
  readonly #executor: Pick<Executor, 'mask' | 'callerTokens' | 'rules'>
  readonly #answers: JsonObject
  readonly #source: ConfirmationSource | undefined
  #caller: ToolCaller | undefined
  #questions: Questions | undefined
  #log: Readonly<Record<LogLevel, LogMethod>> | undefined
  #progress: ProgressListener | undefined
  #state: CallState | undefined
  #isClosed = false
  #onClose: (() => void)[] | undefined
  /** For a handler within hooks: the context of its call, which it shares except for the signal. */
  #call: CallContext | undefined
  #abort: AbortController | undefined
  #signal: AbortSignal | undefined

  /** @param source of the confirmations for the call of a tool */
  constructor(
    tool: string,
    exchange: Exchange,
    executor: Pick<Executor, 'mask' | 'callerTokens' | 'rules'>,
    answers: JsonObject,
    source?: ConfirmationSource,
  ) {
    this.#tool = tool
    this.#exchange = exchange
    this.#executor = executor
    this.#answers = answers
    this.#source = source
  }

  static {
    readExchange = ctx => (ctx as CallContext).#exchange
    toCall = ctx => (ctx as CallContext).#call ?? (ctx as CallContext)
  }

  /** Whether the call is still under way: neither answered nor cancelled. */
  static isOpen(ctx: ToolContext): boolean {
    const context = toCall(ctx)
    return !context.#isClosed && context.#exchange.cancellation.reason === undefined
  }

  /** The state that hooks share with the handler; undefined if no hook has read it. */
  static findState(ctx: ToolContext): CallState | undefined {
    return toCall(ctx).#state
  }

  /** The values that the call has kept so far. */
  static findKept(ctx: ToolContext): JsonObject | undefined {
    const call = toCall(ctx)
    return call.#questions === undefined ? readNotes(call.#answers).kept : call.#questions.kept
  }

  /** Runs `work` at the end of the call, or at once if the call has ended. */
  static onClose(ctx: ToolContext, work: () => void): void {
    // Handlers can reach this by `ctx.constructor`.
    if (typeof work !== 'function') throw new TypeError('onClose: expected a function')
    const context = toCall(ctx)
    if (context.#isClosed) work()
    else (context.#onClose ??= []).push(work)
  }

  /** A context for a handler that a hook has called: the hook may settle first. */
  static forHandler(ctx: ToolContext): CallContext {
    const call = ctx as CallContext
    const own = new CallContext(call.#tool, call.#exchange, call.#executor, call.#answers, call.#source)
    own.#call = call
    return own
  }

  /** Aborts the signal of a handler that a hook has called. */
  static abandon(ctx: CallContext): void {
    ctx.#abort ??= new AbortController()
    ctx.#abort.abort(new DOMException('A hook has ended without the handler', 'AbortError'))
  }

  /** Undefined if the handler has not asked anything. */
  get questions(): Questions | undefined {
    return this.#questions
  }

  get signal(): AbortSignal {
    const { signal } = this.#exchange.cancellation
    if (this.#call === undefined) return signal
    this.#abort ??= new AbortController()
    return (this.#signal ??= AbortSignal.any([signal, this.#abort.signal]))
  }

  get caller(): ToolCaller | undefined {
    const { caller } = this.#exchange
    if (caller === undefined) return undefined
    if (this.#call !== undefined) return this.#call.caller
    return (this.#caller ??= toToolCaller(caller, request => this.#tokenFor(request)))
  }

  get state(): CallState {
    return this.#call?.state ?? (this.#state ??= {})
  }

  get capabilities(): Readonly<ClientCapabilities> {
    return this.#exchange.capabilities
  }

  get requestId(): RequestId {
    return this.#exchange.id
  }

  get revision(): string {
    return this.#exchange.revision.version
  }

  get meta(): Readonly<RequestMeta> {
    return this.#exchange.meta
  }

  get log(): Readonly<Record<LogLevel, LogMethod>> {
    return this.#call?.log ?? (this.#log ??= createClientLog(this.#tool, this.#exchange, this.#executor))
  }

  get progress(): ToolContext['progress'] {
    if (this.#call !== undefined) return this.#call.progress
    const { cancellation } = this.#exchange
    const progress = (this.#progress ??= createProgressListener(this.#exchange))
    if (progress === undefined) return ignoreProgress
    return (value, total, message) => {
      if (cancellation.reason === undefined) progress.report(value, total, message)
    }
  }

  get closeStream(): ToolContext['closeStream'] {
    const { sink } = this.#exchange
    return () => sink?.disconnect?.()
  }

  get elicit(): InputContext['elicit'] {
    const questions = this.#ask()
    const elicit: InputContext['elicit'] = (key, params) => questions.elicit(key, params, elicit)
    return elicit
  }

  get confirm(): ToolContext['confirm'] {
    const questions = this.#ask()
    const confirm: ToolContext['confirm'] = message => questions.confirm(message, confirm)
    return confirm
  }

  get sample(): InputContext['sample'] {
    const questions = this.#ask()
    const sample: InputContext['sample'] = (key, params) => questions.sample(key, params, sample)
    return sample
  }

  get listRoots(): InputContext['listRoots'] {
    const questions = this.#ask()
    const listRoots: InputContext['listRoots'] = key => questions.listRoots(key, listRoots)
    return listRoots
  }

  get keep(): InputContext['keep'] {
    const questions = this.#ask()
    return (name, compute) => questions.keep(name, compute)
  }

  /** Sends the last pending progress; later progress is dropped. */
  close(): void {
    this.#isClosed = true
    this.#questions?.close()
    this.#progress?.close()
    for (const work of this.#onClose ?? []) work()
  }

  // A tool that keeps the caller must not act for somebody who is gone.
  async #tokenFor(request: TokenRequest): Promise<string> {
    if (this.#isClosed) throw new ToolError('tokenFor: the call of this caller has ended')
    return this.#executor.callerTokens.tokenFor(this.#exchange, request)
  }

  #ask(): Questions {
    if (this.#call !== undefined) return this.#call.#ask()
    this.#questions ??= new Questions(this.#exchange.capabilities, this.#answers, this.#source)
    if (this.#isClosed) this.#questions.close()
    return this.#questions
  }
}

function createProgressListener({ progress, sink, meta, revision }: Exchange): ProgressListener | undefined {
  const token = meta.progressToken
  if (progress !== undefined || sink === undefined || token === undefined) return progress
  return new Progress(sink, token, { hasMessages: revision.hasProgressMessages })
}
