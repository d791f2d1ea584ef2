// How long work takes of the processor: on a busy machine the time of day says more of the others than of the work.

/** Ms of the processor that this thread has needed. @param work synchronous */
export function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
