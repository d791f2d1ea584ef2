// One process that handlers of isolated tools run in, as the server sees it: what it is started
// with, what it says, and how it ended. call.ts knows what to say to it.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Channel } from './channel.ts'
import { type Fault, type FromRun, isFromChild, type ToChild } from './messages.ts'

/** The heap of a process but for its newest objects. V8 ends a process that needs more. */
export const MAX_HEAP_MB = 256
/** All memory of a process: also what V8 does not bound, such as buffers and native code. */
const MAX_RESIDENT_MB = 640
/** How long the output of a process may stay open after its end: others may hold it. */
const MAX_OUTPUT_MS = 500
const MAX_DUMP = 16_384

/** How a process ended that nobody had ended here. */
export interface Ending {
  readonly hasStarted: boolean
  readonly isOutOfMemory: boolean
  /** For the log. */
  readonly how: string
}

/** The call that uses a process. */
export interface User {
  onMessage(message: FromRun): void
  onEnd(ending: Ending): void
}

export interface ChildOptions {
  /** Characters of one message. */
  readonly maxMessageLength: number
  onFault(fault: Fault): void
  /** Called once, after the last message of the process. */
  onEnd(): void
}

export class Child {
  readonly #process: ChildProcess
  readonly #channel: Channel | undefined
  readonly #options: ChildOptions
  #user: User | undefined
  #isKilled = false
  #isOutOfMemory = false
  #startError: Error | undefined
  #closing: NodeJS.Timeout | undefined
  /** What V8 and Node print as they end the process. */
  #dump = ''

  constructor(options: ChildOptions) {
    this.#options = options
    const flags = [...withoutOwnFlags(process.execArgv), `--max-old-space-size=${MAX_HEAP_MB}`]
    this.#process = spawn(process.execPath, [...flags, fileURLToPath(entryUrl())], {
      env: ownEnvironment(process.env),
      // It shares no file or terminal with the server, whose modes it could change.
      // The last one is the channel.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#process.on('error', error => (this.#startError ??= error))
    this.#process.on('exit', () => (this.#closing = setTimeout(() => this.#closeOutput(), MAX_OUTPUT_MS)))
    // Unlike `exit` it follows the last message.
    this.#process.on('close', (code, signal) => this.#end(signal === null ? `exit code ${code}` : `signal ${signal}`))
    // Without descriptors for pipes there are none of these.
    const [, stdout, stderr, socket] = (this.#process.stdio ?? []) as (Socket | undefined)[]
    stdout?.on('data', (chunk: Buffer) => process.stdout.write(chunk)).unref()
    stderr?.on('data', (chunk: Buffer) => this.#forwardError(chunk)).unref()
    this.#channel = socket && this.#open(socket)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Whether it can run another handler. */
  get isUsable(): boolean {
    return this.#channel?.isOpen === true && !this.#isKilled
  }

  /** The server's process stays alive while a child has a user. */
  use(user: User): void {
    this.#user = user
    this.#process.ref()
    this.#channel?.hold(true)
  }

  letGo(): void {
    this.#user = undefined
    this.#process.unref()
    this.#channel?.hold(false)
  }

  /** What cannot be sent is dropped: the process has ended, and its user is told so. */
  send(message: ToChild): void {
    this.#channel?.send(message)
  }

  /** Ends the process, whatever it is doing. */
  kill(): void {
    this.#isKilled = true
    // Somebody may wait for its end.
    this.#process.ref()
    try {
      this.#process.kill('SIGKILL')
    } catch {
      // The system forbids the signal. The process ends itself when its channel closes.
      this.#channel?.close()
    }
  }

  /** Ends the process if it holds too much. Only Linux tells how much that is. */
  checkMemory(): void {
    if (this.#isKilled || residentMb(this.pid) <= MAX_RESIDENT_MB) return
    this.#isOutOfMemory = true
    this.kill()
  }

  #open(socket: Socket): Channel {
    // Code of the tool closes it, or writes what `entry.ts` does not.
    socket.on('close', () => this.kill())
    const onNonsense = () => this.#channel?.close()
    return new Channel(socket, {
      maxLength: this.#options.maxMessageLength,
      onMessage: message => {
        if (!isFromChild(message)) onNonsense()
        else if (message.kind === 'fault') this.#options.onFault(message)
        else this.#user?.onMessage(message)
      },
      onNonsense,
    })
  }

  // A dump comes with each crash, and is long. The log has the one line that an operator needs.
  #forwardError(chunk: Buffer): void {
    const text = chunk.toString('latin1')
    const start = this.#dump === '' ? text.search(DUMP) : 0
    if (start !== 0) process.stderr.write(start < 0 ? chunk : chunk.subarray(0, start))
    if (start >= 0) this.#dump = (this.#dump + text.slice(start)).slice(0, MAX_DUMP)
  }

  #closeOutput(): void {
    this.#process.stdout?.destroy()
    this.#process.stderr?.destroy()
    this.#channel?.close()
  }

  #end(how: string): void {
    this.#isKilled = true
    clearTimeout(this.#closing)
    const fatal = OUT_OF_MEMORY.exec(this.#dump)?.[0]
    this.#options.onEnd()
    this.#user?.onEnd({
      hasStarted: this.pid !== undefined,
      isOutOfMemory: this.#isOutOfMemory || fatal !== undefined,
      how: this.#startError?.message ?? fatal ?? how,
    })
  }
}

/** Lines that V8 and Node begin a dump with. */
const DUMP = /\n{0,2}^(?:<--- Last few GCs --->|FATAL ERROR: .* out of memory|----- Native stack trace -----)$/m
const OUT_OF_MEMORY = /^FATAL ERROR: .* out of memory$/m

/** Flags of Node for the server alone: what follows those of the second kind is their value. */
const OWN_FLAG = /^--(?:inspect|max[-_]|input-type|eval|print)|^-p?e?$/
const OWN_FLAG_WITH_VALUE = /^(?:--(?:inspect-port|input-type|eval|print)|-p?e|-p)$/

function withoutOwnFlags(flags: readonly string[]): string[] {
  return flags.filter((flag, index) => !OWN_FLAG.test(flag) && !OWN_FLAG_WITH_VALUE.test(flags[index - 1] ?? ''))
}

/** The same of the environment. Some sizes of the heap would count for more than ours. */
function ownEnvironment({ NODE_OPTIONS: flags, ...rest }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (flags === undefined) return rest
  return { ...rest, NODE_OPTIONS: flags.replaceAll(/(?<=^|\s)--(?:inspect|max[-_])\S*/g, '') }
}

function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    // It has ended, or the system has no such file.
    return 0
  }
}

// In the build this module is in a file beside the entry of the package.
function entryUrl(): URL {
  const here = import.meta.url
  return new URL(here.endsWith('.ts') ? './entry.ts' : './execution/worker/entry.js', here)
}
