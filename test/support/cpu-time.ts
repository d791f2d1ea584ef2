// How long work takes of the processor: on a busy machine the time of day says more of the others than of the work.

/** What is longer than this is measured again, ms: where a processor is shared, what others took of it may be counted too. */
const SURE_MS = 50

/** Ms of the processor that this thread needs, the least of three times. @param work synchronous, can be done again */
export function cpuMsOf(work: () => unknown): number {
  let leastMs = measured(work)
  for (let again = 0; again < 2 && leastMs > SURE_MS; again++) leastMs = Math.min(leastMs, measured(work))
  return leastMs
}

function measured(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
