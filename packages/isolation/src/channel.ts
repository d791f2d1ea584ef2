// Messages between server and child: one JSON line each, over a separate pipe. With Node's IPC, a
// tool could write a line that is not JSON, and so cause an uncaught error in the server.
import type { Socket } from 'node:net'

/** File descriptor of the pipe in the child. */
export const CHANNEL_FD = 3

export interface Reader {
  /** Longest message, characters. */
  readonly maxLength: number
  onMessage(message: unknown): void
  /** Called for a message that is not JSON, or too long. */
  onNonsense(): void
}

export class Channel {
  readonly #socket: Socket
  #read = ''

  constructor(socket: Socket, reader: Reader) {
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk, reader))
    // The socket then also emits `close`, which is handled.
    socket.on('error', () => {})
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Drops the message if the other end has closed. */
  send(message: object): void {
    if (this.isOpen) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  /** @param isHeld whether the channel keeps this process alive */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  // Keeps an incomplete line until its rest arrives.
  #hear(chunk: string, reader: Reader): void {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      if (this.#socket.destroyed) return
      const line = this.#read + chunk.slice(start, end)
      this.#read = ''
      start = end + 1
      hearLine(line, reader)
    }
    this.#read += chunk.slice(start)
    if (this.#read.length <= reader.maxLength) return
    this.#read = ''
    reader.onNonsense()
  }
}

function hearLine(line: string, reader: Reader): void {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    reader.onNonsense()
    return
  }
  reader.onMessage(message)
}
