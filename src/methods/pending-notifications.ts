// Sends notifications to one stream. While the stream lags, keeps only the newest notification of
// each subject, and sends those once it has caught up.
import type { DetachedStream } from '../request/exchange.ts'

/** @returns the notification as JSON; undefined if there is nothing to send after all */
type News = () => string | undefined

export class NewsTo {
  readonly #stream: Pick<DetachedStream, 'send' | 'onDrain'>
  #waiting: Map<string, News> | undefined

  constructor(stream: Pick<DetachedStream, 'send' | 'onDrain'>) {
    this.#stream = stream
    stream.onDrain(() => this.#catchUp())
  }

  /** @param about the subject; a newer notification replaces a waiting one of the same subject */
  tell(about: string, news: News): void {
    if (this.#waiting !== undefined) {
      this.#waiting.set(about, news)
      return
    }
    const json = news()
    if (json !== undefined && !this.#stream.send(json)) this.#waiting = new Map()
  }

  #catchUp(): void {
    const missed = this.#waiting
    this.#waiting = undefined
    if (missed !== undefined) for (const [about, news] of missed) this.tell(about, news)
  }
}
