// Keeps the calls of this tab over a reload, without their raw messages and logs. Leaves out large
// values, because a browser gives a page some 5 million characters in total.
import { isObject } from '../client/json-rpc.ts'
import { parseExact } from '../results/exact.ts'
import type { Call } from './call.ts'

/** Bounds for one answer, and for all, in characters. */
export const MAX_KEPT = 500_000
const MAX_ALL_KEPT = 2_500_000

type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The stored part of a call. */
type KeptCall = Omit<Call, 'logs' | 'messages' | 'received' | 'result' | 'asked' | 'progress'>

interface Kept {
  readonly owner: string
  readonly calls: readonly KeptCall[]
  /** For each tool, the call that the user looked at. */
  readonly shown?: readonly (readonly [tool: string, id: number])[]
}

export interface LoadedCalls {
  readonly calls: readonly Call[]
  /** For each tool, the call that the user looked at. Its arguments are in the form. */
  readonly shown: ReadonlyMap<string, number>
}

export class CallStorage {
  readonly #endpoint: string
  readonly #kept: KeptStorage | undefined
  #owner: string | undefined

  /**
   * @param storage if undefined, nothing is kept
   * @param owner the user of the calls; undefined until somebody signs in: nothing is kept then
   */
  constructor(storage: KeptStorage | undefined, endpoint: string, owner: string | undefined) {
    this.#kept = storage
    this.#endpoint = endpoint
    this.#owner = owner
  }

  /** @returns whether another user owns the calls from now on */
  open(owner: string | undefined): boolean {
    const isOther = owner !== this.#owner
    this.#owner = owner
    return isOther
  }

  get #storage(): KeptStorage | undefined {
    return this.#owner === undefined ? undefined : this.#kept
  }

  /** Two servers on one origin do not share calls. */
  get #key(): string {
    return `toolrack:calls:${this.#endpoint}`
  }

  /** Removes calls of another user, so that nobody finds them in the browser's tools. */
  load(): LoadedCalls {
    try {
      const kept = JSON.parse(this.#storage?.getItem(this.#key) ?? 'null') as Kept | null
      if (kept !== null && kept.owner !== this.#owner) this.clear()
      else if (kept !== null) return { calls: kept.calls.map(restore), shown: new Map(kept.shown) }
    } catch {
      // Another version wrote them, or they were cut. The calls are lost, but the page works.
    }
    return { calls: [], shown: new Map() }
  }

  /** Leaves out running calls and tasks, since this page loses track of them at a reload. */
  save(calls: readonly Call[], shown: ReadonlyMap<string, number> = new Map()): void {
    const ended = calls.filter(({ status }) => status !== 'running' && status !== 'task')
    let left = MAX_ALL_KEPT
    const kept = ended.toReversed().map(call => {
      const length = call.answerText?.length ?? 0
      const isCut = length > Math.min(left, MAX_KEPT)
      if (!isCut) left -= length
      return toKept(call, isCut)
    })
    this.#write(JSON.stringify({ owner: this.#owner, calls: kept.reverse(), shown: [...shown] }))
  }

  clear(): void {
    this.#storage?.removeItem(this.#key)
  }

  #write(text: string): void {
    try {
      this.#storage?.setItem(this.#key, text)
    } catch {
      // The storage is full, or not available to this page.
      this.clear()
    }
  }
}

function toKept(
  {
    logs: _logs,
    messages: _messages,
    received: _received,
    result: _result,
    asked: _asked,
    progress: _progress,
    answerText,
    ...call
  }: Call,
  isCut: boolean,
): KeptCall {
  return isCut ? { ...call, isCut } : { ...call, ...(answerText !== undefined && { answerText }) }
}

function restore(kept: KeptCall): Call {
  const call: Call = { ...kept, logs: [], logCount: 0, messages: [], messageCount: 0 }
  if (kept.answerText === undefined || kept.status !== 'done') return call
  const answer = parseExact(kept.answerText)
  return isObject(answer) && isObject(answer['result']) ? { ...call, result: answer['result'] } : call
}
