// Whose a fault is that nobody awaited: the name of a tool, or of the file that is loaded, follows its asynchronous work.
// One handler per process, however many servers it holds; what belongs to neither is left to Node's own rule.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Whose code it is: a handler's, by the name of its tool, or that of the top level of a tool file, by the file's. */
export type FaultSource = { readonly tool: string } | { readonly file: string }

/** @param fault whatever was thrown or rejected */
export type LateFaultReport = (source: FaultSource, fault: unknown) => void

interface Origin {
  readonly kind: 'tool' | 'file'
  readonly name: string
  readonly report: LateFaultReport
}

const origins = new AsyncLocalStorage<Origin>()
let users = 0

/** Runs `work` so that its late faults are reported under the tool's name. */
export function runAttributed<T>(tool: string, report: LateFaultReport, work: () => T): T {
  return origins.run({ kind: 'tool', name: tool, report }, work)
}

/** The same for the top level of a tool file, and for all that it imports first. */
export function loadAttributed<T>(file: string, report: LateFaultReport, work: () => T): T {
  return origins.run({ kind: 'file', name: file, report }, work)
}

/** Whether what came from elsewhere is one. */
export function isFaultSource(value: unknown): value is FaultSource {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false
  const [[kind, name]] = Object.entries(value) as [[string, unknown]]
  return (kind === 'tool' || kind === 'file') && typeof name === 'string'
}

export const sourceName = (source: FaultSource): string => ('tool' in source ? source.tool : source.file)

/** The tool or the file whose code is running, or whose leftover is; undefined where it is neither. */
export const currentSource = (): string | undefined => origins.getStore()?.name

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
  const { kind, name } = origin
  origin.report(kind === 'tool' ? { tool: name } : { file: name }, fault)
  return true
}

/** Keeps the process alive through the faults that tools and their files leave behind. @returns how to stop */
export function guardProcess(): () => void {
  if (users++ === 0) process.on('unhandledRejection', onRejection).on('uncaughtException', onException)
  return () => {
    if (--users === 0) process.off('unhandledRejection', onRejection).off('uncaughtException', onException)
  }
}
