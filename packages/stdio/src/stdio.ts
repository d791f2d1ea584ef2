// The door of a program that starts the server: one message per line, on stdin and stdout. Other
// code must neither write to stdout nor read stdin: output of tools goes to stderr, and their stdin
// is empty.
// Spec 2026-07-28: basic/transports/stdio.
import { syncBuiltinESMExports } from 'node:module'
import { hostname } from 'node:os'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversation, Door, DoorContext } from 'toolrack/door'
import { LineReader } from './line-reader.ts'

/** The key for limits: the user of this process, also if other processes share its state. */
const CLIENT_KEY = `stdio ${hostname()} ${process.pid}`
/** If more characters of answers are unread, no further message is read. */
const MAX_UNREAD = 1024 * 1024
/** At the end, how long to wait for the reader of the last answers, ms. */
const FLUSH_MS = 2000
const FLUSH_LOOK_MS = 5

/** Other streams than stdin and stdout. */
export interface StdioOptions {
  /** Default: stdin. */
  readonly input?: Readable
  /** Default: stdout. After that it is only for messages: output of other code goes to stderr. */
  readonly output?: Writable
  /** Called once the client has closed a side. Default: closes the server. */
  onEnd?(reason: string): void
}

/** A door without HTTP. It serves once the app is ready, and needs no port. */
export function stdio({ input = takeStdin(), output, onEnd }: StdioOptions = {}): Door {
  const ends = { input, ...(output === undefined ? takeStdout() : { out: output, write: toWrite(output) }) }
  let pipe: Pipe | undefined
  return {
    name: 'stdio',
    takesStdout: output === undefined,
    open(app, context) {
      pipe = new Pipe({ ...ends, onEnd: onEnd ?? (() => void app.close()) }, context)
      // Messages are read once the server is complete.
      app.addHook('onReady', async () => pipe?.start())
    },
    close: () => pipe?.close(),
  }
}

type Write = (text: string) => boolean

interface Ends {
  readonly input: Readable
  readonly out: Writable
  readonly write: Write
  onEnd(reason: string): void
}

class Pipe {
  readonly #ends: Ends
  readonly #conversation: Conversation
  readonly #lines: LineReader
  /** Resolves once the latest message has begun. */
  #beginning: Promise<void> | undefined

  constructor(ends: Ends, { converse, maxBodyBytes }: DoorContext) {
    const { out, write } = ends
    this.#ends = ends
    this.#conversation = converse({
      clientKey: CLIENT_KEY,
      send: json => write(`${json}\n`),
      countUnsentBytes: () => out.writableLength,
    })
    this.#lines = new LineReader(line => this.#receive(line), maxBodyBytes)
  }

  start(): void {
    const { input, out } = this.#ends
    out.on('drain', () => this.#onDrain())
    // EPIPE: the client has gone.
    out.on('error', () => this.#leave('stdout is closed'))
    input.on('data', (chunk: Buffer) => this.#lines.push(chunk))
    input.on('end', () => this.#endInput())
    input.on('error', () => this.#leave('stdin is broken'))
  }

  async close(): Promise<void> {
    const { input, out } = this.#ends
    input.pause()
    const untilMs = performance.now() + FLUSH_MS
    while (out.writableLength > 0 && !this.#conversation.isClosed && performance.now() < untilMs)
      await sleep(FLUSH_LOOK_MS)
    await this.#conversation.close()
    input.destroy()
  }

  async #receive(line: Buffer): Promise<void> {
    const begun = this.#conversation.receive(line)
    if (begun instanceof Promise) this.#beginning = begun
    // Does not serve a client that does not read its answers.
    if (this.#mustWait) this.#ends.input.pause()
    if (!(begun instanceof Promise)) return
    await begun
    if (this.#beginning === begun) this.#beginning = undefined
    if (!this.#mustWait) this.#ends.input.resume()
  }

  get #mustWait(): boolean {
    return this.#beginning !== undefined || this.#ends.out.writableLength > MAX_UNREAD
  }

  #onDrain(): void {
    this.#conversation.onDrain()
    if (!this.#mustWait) this.#ends.input.resume()
  }

  async #endInput(): Promise<void> {
    this.#lines.end()
    await this.#conversation.endInput()
    this.#ends.onEnd('stdin has ended')
  }

  #leave(reason: string): void {
    void this.#conversation.close()
    this.#ends.onEnd(reason)
  }
}

/**
 * Hides stdin from tools: a tool that reads, pauses or decodes it would take messages from the
 * server.
 */
function takeStdin(): Readable {
  const { stdin } = process
  replaceStream('stdin', Readable.from([]))
  return stdin
}

/** Keeps the stream for messages. Sends everything that other code writes to stdout to stderr. */
function takeStdout(): Pick<Ends, 'out' | 'write'> {
  const { stdout, stderr } = process
  const write = toWrite(stdout)
  // Such as a listener that ends the process when nobody reads.
  stdout.removeAllListeners('error')
  replaceStream('stdout', stderr)
  // For code that has the stream already, such as a console that has printed.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  return { out: stdout, write }
}

function replaceStream(name: 'stdin' | 'stdout', stream: Readable | Writable): void {
  Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true })
  syncBuiltinESMExports()
}

const toWrite = (out: Writable): Write => out.write.bind(out)
