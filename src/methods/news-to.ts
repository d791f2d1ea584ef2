// News for one reader. What happens while it lags is told when it has caught up: of each thing the newest, once.
import type { HeldStream } from '../exchange.ts'

/** @returns undefined where there is nothing to tell after all */
type News = () => string | undefined

export class NewsTo {
  readonly #stream: Pick<HeldStream, 'send' | 'onDrain'>
  #waiting: Map<string, News> | undefined

  constructor(stream: Pick<HeldStream, 'send' | 'onDrain'>) {
    this.#stream = stream
    stream.onDrain(() => this.#catchUp())
  }

  /** @param about names what it is of: newer news of it replaces older */
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
