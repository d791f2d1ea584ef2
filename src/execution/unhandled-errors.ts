// Attributes unhandled errors to the tool or tool file whose asynchronous work threw them. One
// handler per process; errors of other code follow Node's rule.
import { AsyncLocalStorage } from 'node:async_hooks'
import { noteUnhandled } from '../input/watch.ts'

/** A tool's handler, or the top level of a tool file. */
export type ErrorSource = { readonly tool: string } | { readonly file: string }

/** @param fault the thrown value or rejection reason */
export type ReportUnhandledError = (source: ErrorSource, fault: unknown) => void

interface Attribution {
  readonly kind: 'tool' | 'file'
  readonly name: string
  readonly report: ReportUnhandledError
}

const attributions = new AsyncLocalStorage<Attribution>()
let guardCount = 0

/** Runs `work` so that its unhandled errors are reported under the tool's name. */
export function runAttributedToTool<T>(tool: string, reportToSource: ReportUnhandledError, work: () => T): T {
  return attributions.run({ kind: 'tool', name: tool, report: reportToSource }, work)
}

/** The same for the top level of a tool file and of its imports. */
export function runAttributedToFile<T>(file: string, reportToSource: ReportUnhandledError, work: () => T): T {
  return attributions.run({ kind: 'file', name: file, report: reportToSource }, work)
}

/** Checks a value that another process has sent. */
export function isErrorSource(value: unknown): value is ErrorSource {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false
  const [[kind, name]] = Object.entries(value) as [[string, unknown]]
  return (kind === 'tool' || kind === 'file') && typeof name === 'string'
}

export const getSourceName = (source: ErrorSource): string => ('tool' in source ? source.tool : source.file)

/** The tool or file whose code, or asynchronous work, runs; undefined for all other code. */
export const getCurrentSource = (): string | undefined => attributions.getStore()?.name

function onRejection(reason: unknown): void {
  if (noteUnhandled(reason) || reportToSource(reason)) return
  // Node's rule: without another listener, an unhandled rejection is an uncaught exception.
  if (process.listenerCount('unhandledRejection') === 1) throw reason
}

function onException(error: unknown): void {
  if (reportToSource(error) || process.listenerCount('uncaughtException') > 1) return
  console.error(error)
  process.exit(1)
}

function reportToSource(fault: unknown): boolean {
  const origin = attributions.getStore()
  if (origin === undefined) return false
  const { kind, name } = origin
  origin.report(kind === 'tool' ? { tool: name } : { file: name }, fault)
  return true
}

/** Keeps the process alive when tools have unhandled errors. @returns a function to stop that */
export function catchUnhandledErrors(): () => void {
  if (guardCount++ === 0) process.on('unhandledRejection', onRejection).on('uncaughtException', onException)
  return () => {
    if (--guardCount === 0) process.off('unhandledRejection', onRejection).off('uncaughtException', onException)
  }
}
