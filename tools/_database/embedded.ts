// The default database: PostgreSQL as WebAssembly in a thread, with sample data, in memory. A
// statement blocks its thread and has no timeout, so a late statement ends with its thread, and the
// next thread receives the inserted records. A process has one such database, even if the tools are
// loaded again. Its shared state is plain data, since a reloaded file has classes of its own.
import { Worker } from 'node:worker_threads'
import { ToolError } from 'toolrack'
import {
  type Call,
  type Database,
  DEADLINE_MS,
  type Inserted,
  type Lane,
  MAX_WAITING,
  opening,
  type Rows,
  SqlFault,
  type SqlReport,
  type Work,
} from './database.ts'
import { TOO_SLOW } from './faults.ts'
import { stoppable } from './stoppable.ts'

const MAX_RECORDS = 1000
const MAX_RECORD_BYTES = 4 * 1024 * 1024
/**
 * How long a statement may run after its caller has left. Most end sooner, and starting a new
 * thread takes longer.
 */
const LEFT_MS = 1000
const KEY = Symbol.for('toolrack.tools.embedded-database')

export type Answer = ({ rows: Rows } | { fault: SqlReport }) & { isLarge?: boolean; copy?: Uint8Array }

interface State {
  thread: Promise<Worker> | undefined
  /** Copy of the database, for the next thread. */
  copy: Uint8Array | undefined
  turn: Promise<unknown>
  waiting: number
  readonly records: Inserted[]
  bytes: number
  /** Shared by the calls that wait for the first start. */
  isStarting: boolean
}

export function openEmbedded(): Database {
  const shared = globalThis as { [KEY]?: State }
  const nothing = { thread: undefined, copy: undefined, records: [], bytes: 0, isStarting: false }
  shared[KEY] ??= { ...nothing, turn: Promise.resolve(), waiting: 0 }
  return new Embedded(shared[KEY])
}

class Embedded implements Database {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  read<T>(work: Work<T>, call: Call): Promise<T> {
    const before = [...opening(call, 'READ ONLY'), 'SET LOCAL ROLE reader']
    return this.#inTurn(call, () => this.#transact(work, call, before))
  }

  look<T>(work: Work<T>, call: Call): Promise<T> {
    return this.#inTurn(call, () => this.#transact(work, call, opening(call, 'READ ONLY')))
  }

  insert(work: Work<Inserted>, call: Call): Promise<Inserted> {
    return this.#inTurn(call, async () => {
      if (this.#state.records.length >= MAX_RECORDS || this.#state.bytes >= MAX_RECORD_BYTES) throw new ToolError(FULL)
      return await this.#transact(work, call, opening(call, 'READ WRITE'), async (ask, inserted) => {
        // From here on, a caller who leaves does not interrupt the commit; the deadline may.
        const answer = await ask('COMMIT')
        if ('fault' in answer) throw new SqlFault(answer.fault)
        // Recorded at once, so that the thread and its successor hold the same records.
        this.#state.records.push(inserted)
        this.#state.bytes += inserted.record.length
      })
    })
  }

  async #inTurn<T>(call: Call, work: () => Promise<T>): Promise<T> {
    call.signal.throwIfAborted()
    if (this.#state.waiting >= MAX_WAITING) throw new ToolError('The database is busy. Try again in a moment.')
    if (this.#state.isStarting) tellStarting(call)
    this.#state.waiting++
    let isWaiting = true
    const leave = () => {
      if (isWaiting) this.#state.waiting--
      isWaiting = false
    }
    const result = this.#state.turn.then(work)
    this.#state.turn = result.catch(() => {}).finally(leave)
    try {
      // A caller who leaves does not wait for its turn or for its statement; the next call does.
      return await stoppable(result, call.signal)
    } finally {
      leave()
    }
  }

  async #transact<T>(
    work: Work<T>,
    call: Call,
    before: readonly string[],
    commit?: (ask: Ask, result: T) => Promise<void>,
  ): Promise<T> {
    call.signal.throwIfAborted()
    const worker = await this.#firstStart(call)
    const { late, stop } = deadlineOf(call.signal)
    const ask = inOrder(worker, late)
    const lane = laneOf(ask, call.signal)
    try {
      for (const text of before) await lane.run(text)
      const result = await work(lane)
      call.signal.throwIfAborted()
      await commit?.(ask, result)
      return result
    } catch (error) {
      throw late.aborted && !call.signal.aborted ? new ToolError(TOO_SLOW) : error
    } finally {
      await this.#clean(worker, ask)
      stop()
    }
  }

  /** Cleans up after a call, once its statement has ended; if that fails, ends the thread. */
  async #clean(worker: Worker, ask: Ask): Promise<void> {
    try {
      await ask('ROLLBACK')
      const { isLarge } = await ask('DISCARD ALL')
      if (isLarge !== true) return
    } catch {
      // The thread is replaced below.
    }
    this.#state.thread = undefined
    await worker.terminate()
    // Started at once, so that the next call waits less.
    this.#start().catch(() => {})
  }

  /** The first start is announced: without a copy of the build it takes seconds. */
  async #firstStart(call: Call): Promise<Worker> {
    const state = this.#state
    if (state.copy !== undefined) return this.#start()
    state.isStarting = true
    call.log?.notice(LOGGED)
    tellStarting(call)
    try {
      return await this.#start()
    } finally {
      state.isStarting = false
    }
  }

  #start(): Promise<Worker> {
    this.#state.thread ??= this.#startThread().catch(error => {
      this.#state.thread = undefined
      throw error
    })
    return this.#state.thread
  }

  async #startThread(): Promise<Worker> {
    const file = /\.ts(\?|$)/.test(import.meta.url) ? './embedded-worker.ts' : './embedded-worker.js'
    const workerData = { records: this.#state.records, copy: this.#state.copy }
    const worker = new Worker(new URL(file, import.meta.url), { workerData, env: {}, execArgv: [], resourceLimits })
    worker.unref()
    // A call that waits for the thread notices its unexpected end.
    worker.on('error', () => {})
    this.#state.copy = (await answerOf(worker, new AbortController().signal)).copy
    return worker
  }
}

const STARTING = 'The sample database is starting'
const LOGGED =
  'The sample database is starting, which takes 1 s, or 3 s without `npm run build`, and some 350 MB of memory. ' +
  'DATABASE_URL names a server in its place, and SAMPLE_DATABASE=false does without.'

const tellStarting = ({ progress }: Call) => progress?.(0, undefined, STARTING)

const FULL =
  `The sample database is full: it takes ${MAX_RECORDS} records, or 4 MiB of them. It is in memory only and empties ` +
  'with a restart; tell the operator to set DATABASE_URL for one that keeps them.'

// PostgreSQL has to detect deep recursion. If JavaScript's stack overflows first, PGlite returns
// neither rows nor an error.
const resourceLimits = { stackSizeMb: 256, maxOldGenerationSizeMb: 256 }

/** Computes when a call loses the thread: at its deadline, or soon after its caller has left. */
function deadlineOf(signal: AbortSignal): { late: AbortSignal; stop: () => void } {
  const late = new AbortController()
  const end = () => late.abort(new Error('the statement took too long'))
  const timers = [setTimeout(end, DEADLINE_MS)]
  const left = () => void timers.push(setTimeout(end, LEFT_MS))
  signal.addEventListener('abort', left, { once: true })
  if (signal.aborted) left()
  const stop = () => {
    signal.removeEventListener('abort', left)
    for (const timer of timers) clearTimeout(timer)
  }
  return { late: late.signal, stop }
}

type Ask = (text: string, values?: readonly string[]) => Promise<Answer>

/** Runs statements one after another, even if the caller of the previous one has left. */
function inOrder(worker: Worker, late: AbortSignal): Ask {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values = []) => {
    const answer = last.then(() => {
      worker.postMessage({ text, values })
      return answerOf(worker, late)
    })
    last = answer.catch(() => {})
    return answer
  }
}

function laneOf(ask: Ask, signal: AbortSignal): Lane {
  return {
    async run(text, values) {
      signal.throwIfAborted()
      const answer = await stoppable(ask(text, values), signal)
      if ('fault' in answer) throw new SqlFault(answer.fault)
      return answer.rows
    },
  }
}

function answerOf(worker: Worker, late: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const gone = () => reject(new Error('the thread of the embedded database has ended'))
  const stop = () => reject(late.reason)
  worker.once('message', resolve).once('exit', gone)
  late.addEventListener('abort', stop)
  if (late.aborted) stop()
  if (worker.threadId < 0) gone()
  return promise.finally(() => {
    worker.off('message', resolve).off('exit', gone)
    late.removeEventListener('abort', stop)
  })
}
