// A tool that reports, then waits: what happens to a call in the middle is the business of many tests.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '../../../src/index.ts'

/** Does something again until what it is to bring about has come; ten times at most. */
export async function repeated<T>(act: () => Promise<unknown>, effect: Promise<T>): Promise<T> {
  for (let tries = 0; tries < 10; tries++) {
    await act()
    const isThere = await Promise.race([effect.then(() => true), sleep(1000, false, { ref: false })])
    if (isThere) break
  }
  return effect
}

/** Says that it has started, then waits to be let go; notes each run, and why it was aborted. */
export function gated(progress: 'quiet' | 'reports' = 'reports') {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<Error>()
  const runs: string[] = []
  const tool = defineTool({
    name: 'wait',
    async handler(_args, ctx) {
      runs.push(String(ctx.requestId))
      started.resolve()
      if (progress === 'reports') ctx.progress(1, 2, 'waiting')
      const abort = once(ctx.signal, 'abort').then(() => aborted.resolve(ctx.signal.reason))
      await Promise.race([gate.promise, abort])
      if (progress === 'reports') ctx.progress(2, 2, 'released')
      return 'done'
    },
  })
  return { tool, runs, started: started.promise, release: () => gate.resolve(), aborted: aborted.promise }
}
