// Calls that run until they are let go on, by the name that they were given.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolContext } from '../../../src/index.ts'

export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()
  readonly #say: (line: string) => void

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  /** Tells of progress 1 when it begins and 2 when it may end, and on the way who aborts it. */
  async hold(name: string, { signal, progress }: ToolContext): Promise<string> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.#say(`${name} aborted: ${signal.reason.message}`)
        reject(signal.reason)
      })
    })
    this.#say(`${name} began`)
    progress(1)
    await Promise.race([this.#gate(name).promise, aborted])
    progress(2)
    return `${name} ended`
  }

  open(name: string): string {
    this.#gate(name).resolve()
    return 'open'
  }

  /** Behind it a call as a task is one. */
  async pause(signal: AbortSignal): Promise<void> {
    await sleep(20, undefined, { signal })
  }

  #gate(name: string): PromiseWithResolvers<void> {
    let gate = this.#gates.get(name)
    if (gate === undefined) this.#gates.set(name, (gate = Promise.withResolvers<void>()))
    return gate
  }
}
