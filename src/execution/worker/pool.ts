// The processes of a server. One is started if a call needs it, is kept for the next call, and is
// ended when it has been idle for a while.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { Child, type ChildOptions } from './child.ts'

const IDLE_MS = 30_000

export class Pool {
  readonly #options: Omit<ChildOptions, 'onEnd'>
  readonly #children = new Set<Child>()
  /** The one that was used last is taken first, so that the others become idle. */
  readonly #idle = new Map<Child, NodeJS.Timeout>()
  readonly #orphans = new OrphanGuard()
  #onEmpty: (() => void) | undefined
  #isClosed = false

  constructor(options: Omit<ChildOptions, 'onEnd'>) {
    this.#options = options
  }

  /** A process that nobody uses; it may be a new one. */
  take(): Child {
    if (this.#isClosed) throw new Error('the server has closed')
    const child = [...this.#idle.keys()].at(-1)
    if (child === undefined) return this.#start()
    this.#stopIdling(child)
    return child
  }

  /** Keeps the process for the next call, if it can run one. */
  giveBack(child: Child): void {
    child.letGo()
    if (!child.isUsable) return
    const timer = setTimeout(() => this.#end(child), IDLE_MS).unref()
    this.#idle.set(child, timer)
  }

  /** Ends all processes, whatever they are doing. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const child of this.#children) this.#end(child)
    if (this.#children.size > 0) await new Promise<void>(resolve => (this.#onEmpty = resolve))
    this.#orphans.close()
  }

  #start(): Child {
    const child: Child = new Child({ ...this.#options, onEnd: () => this.#forget(child) })
    this.#children.add(child)
    this.#orphans.start()
    this.#orphans.watch(this.#children)
    return child
  }

  #end(child: Child): void {
    this.#stopIdling(child)
    child.kill()
  }

  #stopIdling(child: Child): void {
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
  }

  #forget(child: Child): void {
    this.#stopIdling(child)
    this.#children.delete(child)
    this.#orphans.watch(this.#children)
    if (this.#children.size === 0) this.#onEmpty?.()
  }
}

/**
 * Reads the ids of the processes, one line for each change, and ends the last ones it has read at
 * the end of input.
 */
const SCRIPT = `trap '' INT TERM HUP; while read -r ids; do last=$ids; done; [ -z "$last" ] || kill -9 $last`

/**
 * Ends the processes of a server that was killed. Most see that their channel has closed, but not
 * one whose handler loops. A shell waits for that, since nothing in such a process could; without
 * one the loop goes on.
 */
class OrphanGuard {
  #shell: ChildProcess | undefined

  start(): void {
    if (this.#shell !== undefined) return
    try {
      this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] })
    } catch {
      // As below.
      return
    }
    const again = () => (this.#shell = undefined)
    // Calls do without it; the next process that starts is a reason to try again.
    this.#shell.on('error', again).on('exit', again).unref()
    const stdin = this.#shell.stdin as Socket | null | undefined
    stdin?.on('error', () => {}).unref()
  }

  watch(children: Iterable<Child>): void {
    const ids = [...children].flatMap(({ pid }) => pid ?? [])
    this.#shell?.stdin?.write(`${ids.join(' ')}\n`)
  }

  close(): void {
    this.#shell?.stdin?.end()
  }
}
