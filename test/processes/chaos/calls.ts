// Calls without a state of their own, one after the other, each of which has to be answered.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Said } from './wire.ts'

export interface Told {
  answered: number
  /** Sent again, by why. */
  readonly again: Map<string, number>
  readonly wrong: string[]
}

export const newTold = (): Told => ({ answered: 0, again: new Map(), wrong: [] })

/** Counts what is sent again. */
export const countIn = (told: Told) => (why: string) => told.again.set(why, (told.again.get(why) ?? 0) + 1)

export const timesAgain = ({ again }: Told): number => [...again.values()].reduce((sum, times) => sum + times, 0)

export async function callOn(told: Told, over: AbortSignal, echo: (text: string) => Promise<Said>): Promise<void> {
  for (let number = 0; !over.aborted; number++) {
    const text = `hello ${number}`
    try {
      const { message, status } = await echo(text)
      if (message.result?.content[0]?.text === text) told.answered++
      else told.wrong.push(`${status} ${JSON.stringify(message)}`)
    } catch (error) {
      told.wrong.push((error as Error).message)
    }
    await sleep(20)
  }
}
