// How long work keeps the event loop from everybody else, in CPU time: the time of day says more of other processes.

/** What is longer than this is measured again, ms: the first time may compile what it runs, or pay for others. */
const SURE_MS = 200

/** The most CPU time that this thread uses within one turn of its loop while the work goes on, ms: the least of three times. */
export async function longestStretchMs(work: () => Promise<unknown>): Promise<number> {
  let leastMs = await measured(work)
  for (let again = 0; again < 2 && leastMs > SURE_MS; again++) leastMs = Math.min(leastMs, await measured(work))
  return leastMs
}

async function measured(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
    // The turn that ended the work counts too.
    await new Promise(setImmediate)
  } finally {
    isOver = true
  }
  return longestMs
}
