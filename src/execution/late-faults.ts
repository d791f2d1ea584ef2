// Which tool a fault belongs to that nobody awaited: the tool's name follows its asynchronous work.
// One handler per process, however many servers it holds; what belongs to no tool is left to Node's own rule.
import { AsyncLocalStorage } from 'node:async_hooks'

interface Origin {
  readonly tool: string
  readonly report: LateFaultReport
}

/** @param fault whatever was thrown or rejected */
export type LateFaultReport = (tool: string, fault: unknown) => void

const origins = new AsyncLocalStorage<Origin>()
let users = 0

/** Runs `work` so that its late faults are reported under the tool's name. */
export function runAttributed<T>(tool: string, report: LateFaultReport, work: () => T): T {
  return origins.run({ tool, report }, work)
}

/** The tool whose code is running, or whose leftover is. */
export const currentTool = (): string | undefined => origins.getStore()?.tool

function onRejection(reason: unknown): void {
  if (report(reason)) return
  // As without this handler: unless someone else listens, an unhandled rejection is an uncaught exception.
  if (process.listenerCount('unhandledRejection') === 1) throw reason
}

function onException(error: unknown): void {
  if (report(error) || process.listenerCount('uncaughtException') > 1) return
  console.error(error)
  process.exit(1)
}

function report(fault: unknown): boolean {
  const origin = origins.getStore()
  if (origin === undefined) return false
  origin.report(origin.tool, fault)
  return true
}

/** Keeps the process alive through the faults that tools leave behind. @returns how to stop */
export function guardProcess(): () => void {
  if (users++ === 0) process.on('unhandledRejection', onRejection).on('uncaughtException', onException)
  return () => {
    if (--users === 0) process.off('unhandledRejection', onRejection).off('uncaughtException', onException)
  }
}
