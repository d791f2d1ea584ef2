// How the server and a child process talk: JSON, a line for each message, over a pipe of their own.
// Not Node's IPC: there a line that is not JSON, which a tool can write, is an uncaught error of
// the server.
import type { Socket } from 'node:net'

/** The descriptor of the pipe in a child. */
export const CHANNEL_FD = 3

export interface Reader {
  /** Characters of a message. */
  readonly maxLength: number
  onMessage(message: unknown): void
  /** What was read is not JSON, or too long. */
  onNonsense(): void
}

export class Channel {
  readonly #socket: Socket
  #read = ''

  constructor(socket: Socket, reader: Reader) {
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk, reader))
    // It is closed then, which is all that there is to know.
    socket.on('error', () => {})
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** What cannot be sent is dropped: the other end has closed. */
  send(message: object): void {
    if (this.isOpen) this.#socket.write(`${JSON.stringify(message)}\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Whether it keeps the process alive. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  // Parts are joined once, when the line is whole.
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
