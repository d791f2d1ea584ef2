// Writes messages of a request, or of a session, to the one channel of its conversation.
import type { Caller } from 'toolrack'
import type { DetachedStream, NotificationSink } from 'toolrack/protocol'

/** The output of a conversation, which all its requests share. */
export interface Outlet {
  /** @returns false if the reader lags: `wake` is called once it has caught up */
  write(json: string, wake: () => void): boolean
  readonly isClosed: boolean
}

interface WriterOptions {
  readonly caller?: Caller | undefined
  /**
   * Called before the stream outlives its request.
   *
   * @throws McpError if there are too many such streams
   */
  onDetach?(): void
  /** Called after the last message of a detached stream. */
  onFinish?(): void
}

export class ReplyWriter implements NotificationSink {
  readonly #outlet: Outlet
  readonly #options: WriterOptions
  #isOver = false
  #wake = () => {}

  constructor(outlet: Outlet, options: WriterOptions = {}) {
    this.#outlet = outlet
    this.#options = options
  }

  get caller(): Caller | undefined {
    return this.#options.caller
  }

  get isConnected(): boolean {
    return !this.#isOver && !this.#outlet.isClosed
  }

  send(json: string): boolean {
    return this.isConnected && this.#outlet.write(json, () => this.#wake())
  }

  sendAll(jsons: readonly string[]): boolean {
    return jsons.map(json => this.send(json)).every(Boolean)
  }

  onDrain(listener: () => void): void {
    this.#wake = listener
  }

  detach(): DetachedStream {
    this.#options.onDetach?.()
    return {
      send: json => this.send(json),
      onDrain: listener => this.onDrain(listener),
      finish: json => {
        this.send(json)
        this.#options.onFinish?.()
      },
      // Does nothing: the conversation ends with the caller's token.
      onExpiry: () => {},
    }
  }

  /** Drops later messages, such as those that a tool sends after its call was answered. */
  end(): void {
    this.#isOver = true
  }

  /** Does nothing: answers may still follow. */
  endNotifications(): void {}
}
