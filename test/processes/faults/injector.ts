// Lets one command to Redis fail, counted over all connections of this process, as SQLite tests what it does when the
// disk does. What beats by itself is not counted.
import { type Command, Redis, ReplyError } from 'ioredis'

export type Failure =
  /** Redis refuses it. */
  | 'error'
  /** It is done, and nothing more is heard on this connection. */
  | 'lost answer'
  /** Neither it nor anything behind it gets there. */
  | 'lost command'

interface Pipeline {
  readonly isPipeline?: boolean
  write(text: string): void
}

type Connection = Redis & { readonly stream: { pause(): void; write: (...args: unknown[]) => boolean } }
type Send = (this: Redis, command: Command, pipeline?: Pipeline) => unknown

const BEATS = /:heartbeat$|:bus:pulse$/
const HANDSHAKE = new Set(['info', 'client', 'hello', 'auth', 'select'])

export class Injector {
  readonly #original = Redis.prototype.sendCommand as Send
  #failsAt = 0
  #failure: Failure = 'error'
  /** Commands since it was armed. */
  count = 0
  /** What failed. */
  hit: string | undefined

  constructor() {
    const self = this
    const send: Send = function (command, pipeline) {
      return self.#send(this as Connection, command, pipeline)
    }
    Redis.prototype.sendCommand = send as typeof Redis.prototype.sendCommand
  }

  arm(failsAt: number, failure: Failure): void {
    this.#failsAt = failsAt
    this.#failure = failure
    this.count = 0
    this.hit = undefined
  }

  disarm(): void {
    this.#failsAt = 0
  }

  restore(): void {
    Redis.prototype.sendCommand = this.#original as typeof Redis.prototype.sendCommand
  }

  #send(connection: Connection, command: Command, pipeline: Pipeline | undefined): unknown {
    const pass = () => this.#original.call(connection, command, pipeline)
    if (this.#failsAt === 0 || isBeat(command) || ++this.count !== this.#failsAt || connection.status !== 'ready')
      return pass()
    this.hit = `${command.name} ${String(command.args.find(arg => String(arg).includes(':')) ?? '')}`.slice(0, 60)
    if (this.#failure === 'lost answer') connection.stream.pause()
    if (this.#failure === 'lost command') connection.stream.write = () => true
    if (this.#failure !== 'error') return pass()
    // A pipeline waits until each of its commands has written.
    if (pipeline?.isPipeline) pipeline.write('')
    command.reject(new ReplyError('ERR injected'))
    return command.promise
  }
}

const isBeat = ({ name, args }: Command) => HANDSHAKE.has(name) || args.some(arg => BEATS.test(String(arg)))
