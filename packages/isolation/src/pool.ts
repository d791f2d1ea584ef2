// The child processes of a server: started on demand, reused, and ended after IDLE_MS without use.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ToolModule } from 'toolrack/definitions'
import { isOtherVersion } from 'toolrack/isolation'
import { Child, type ChildOptions } from './child.ts'
import { createIsolatedEnvironment } from './environment.ts'

const IDLE_MS = 30_000

export interface PoolOptions extends Omit<ChildOptions, 'environment' | 'onEnd'> {
  /** Includes idle processes. The caller never uses more at the same time. */
  readonly maxProcesses: number
}

export class Pool {
  readonly #options: PoolOptions
  readonly #children = new Set<Child>()
  /** The most recently used process is taken first, so that the others stay idle. */
  readonly #idle = new Map<Child, NodeJS.Timeout>()
  /** The modules that each process may have loaded, by URL. */
  readonly #modules = new WeakMap<Child, Map<string, ToolModule>>()
  /** The environment of each process, as JSON. */
  readonly #environments = new WeakMap<Child, string>()
  /** These processes end with their call. */
  readonly #outdated = new WeakSet<Child>()
  readonly #orphans = new OrphanGuard()
  #onEmpty: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /**
   * Returns an idle process with the same environment and without another version of the module, or
   * starts a new one.
   *
   * @param variables of its environment, in addition to the common ones
   */
  take(module: ToolModule, variables: readonly string[]): Child {
    if (this.#isClosed) throw new Error('the server has closed')
    this.#endOthers(module)
    const environment = createIsolatedEnvironment(variables)
    const key = JSON.stringify(environment)
    const child =
      [...this.#idle.keys()].findLast(idle => this.#environments.get(idle) === key) ?? this.#start(environment, key)
    this.#stopIdling(child)
    this.#modules.get(child)!.set(module.url, module)
    return child
  }

  /** Keeps the process for the next call, if it is usable. */
  giveBack(child: Child): void {
    child.letGo()
    if (this.#outdated.has(child)) this.#end(child)
    if (!child.isUsable) return
    const timer = setTimeout(() => this.#end(child), IDLE_MS).unref()
    this.#idle.set(child, timer)
  }

  // Everything that the other version has opened, such as a pool, ends with its process.
  #endOthers(module: ToolModule): void {
    for (const child of this.#children) {
      const modules = this.#modules.get(child)!
      if (modules.has(module.url) || !modules.values().some(loaded => isOtherVersion(loaded, module))) continue
      if (this.#idle.has(child)) this.#end(child)
      else this.#outdated.add(child)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const child of this.#children) this.#end(child)
    if (this.#children.size > 0) await new Promise<void>(resolve => (this.#onEmpty = resolve))
    this.#orphans.close()
  }

  #start(environment: NodeJS.ProcessEnv, key: string): Child {
    this.#makeRoom()
    const child: Child = new Child({ ...this.#options, environment, onEnd: () => this.#forget(child) })
    this.#children.add(child)
    this.#environments.set(child, key)
    this.#modules.set(child, new Map())
    this.#orphans.start()
    this.#orphans.watch(this.#children)
    return child
  }

  /** Ends the process that has been idle for the longest time, if all run. */
  #makeRoom(): void {
    const running = [...this.#children].filter(({ isUsable }) => isUsable)
    const [oldest] = this.#idle.keys()
    if (oldest !== undefined && running.length >= this.#options.maxProcesses) this.#end(oldest)
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

/** Reads process ids, one line for each change, and kills the last ones at the end of input. */
const SCRIPT = `trap '' INT TERM HUP; while read -r ids; do last=$ids; done; [ -z "$last" ] || kill -9 $last`

/**
 * Kills the children of a server that was killed. Most children notice that their channel has
 * closed, but a handler in a loop does not. So a shell waits for the end of its input. Optional.
 */
class OrphanGuard {
  #shell: ChildProcess | undefined

  start(): void {
    if (this.#shell !== undefined) return
    try {
      this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { env: {}, stdio: ['pipe', 'ignore', 'ignore'] })
    } catch {
      // Calls work without the guard.
      return
    }
    const again = () => (this.#shell = undefined)
    // The next process that starts tries again.
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
