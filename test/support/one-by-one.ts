// Calls that end when a test lets them, one by one: who waits for how many of whom is counted, not timed.
import type { Exchange } from '../../src/request/exchange.ts'
import { fakeExchange } from './fakes.ts'
import { turns } from './turns.ts'

/** Calls by who makes them; the oldest ends first. */
export function oneByOne() {
  const running: { who: string; end: () => void }[] = []
  const begun: string[] = []
  const handler = async ({ who }: { who?: string }) => {
    begun.push(String(who))
    await new Promise<void>(end => running.push({ who: String(who), end }))
    return 'done'
  }
  const endOne = async (who: string): Promise<boolean> => {
    const at = running.findIndex(each => each.who === who)
    if (at === -1) return false
    running.splice(at, 1)[0]!.end()
    await turns(20)
    return true
  }
  const has = (who: string) => begun.includes(who)

  return {
    handler,
    inputSchema: { type: 'object' } as const,
    begun,
    running,
    endOne,
    has,
    /** @returns how many calls of `others` had to end before one of `who` began */
    async endsBefore(who: string, ...others: string[]): Promise<number> {
      let ends = 0
      for (let isLeft = true; isLeft && !has(who); ) {
        isLeft = false
        for (const other of others) {
          if (has(who) || !(await endOne(other))) continue
          isLeft = true
          ends++
        }
      }
      return has(who) ? ends : Number.POSITIVE_INFINITY
    },
    /** Lets all go, until none comes any more. */
    async endAll(): Promise<void> {
      while (running.length > 0) await endOne(running[0]!.who)
    },
  }
}

/** A call of this client; with a share where it is verified. */
export const callOf = (who: string, isVerified: boolean, over: Partial<Exchange> = {}): Exchange =>
  fakeExchange({
    clientKey: isVerified ? `subject ${who}` : `address ${who}`,
    caller: isVerified ? { subject: who, scopes: [] } : undefined,
    params: { name: 'tool', arguments: { who } },
    ...over,
  })
