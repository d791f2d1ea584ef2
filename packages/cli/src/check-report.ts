// Prints the findings of `toolrack check`: the tools, then one line for each fault.
import type { Finding, FoundEntry } from './check-findings.ts'
import type { Findings } from './check-folder.ts'
import type { Io } from './io.ts'
import { formatTable } from './table.ts'

/** @param isStrict whether warnings count as faults, too */
export function countFaults({ errors, warnings, contract }: Findings, { isStrict }: { isStrict: boolean }): number {
  const minor = warnings.length + (contract?.isOutOfDate ? 1 : 0)
  return errors.length + (contract?.breaks.length ?? 0) + (isStrict ? minor : 0)
}

export function printFindings({ entries, errors, warnings, contract }: Findings, io: Io): void {
  const place = ({ file, line, column }: Finding) => io.paint('bold', `${file}:${line}:${column}`)
  if (entries.length > 0) io.print(formatTable(entries.map(entry => toRow(entry, io))))
  for (const warning of warnings) io.print(`${place(warning)}  ${io.paint('yellow', 'warning:')} ${warning.message}`)
  for (const error of errors) io.print(`${place(error)}  ${io.paint('red', error.message)}`)
  if (contract !== undefined) for (const line of formatContractFindings(contract, io)) io.print(line)
  const counts = [count(entries.length, 'definition'), count(errors.length, 'error'), count(warnings.length, 'warning')]
  io.print(counts.join(', '))
}

function toRow({ kind, name, file, lacks, isLeftOut }: FoundEntry, io: Io): string[] {
  const state = isLeftOut ? 'left out' : lacks.length > 0 ? `not served: it needs ${lacks.join(', ')}` : ''
  const mark = state === '' ? io.paint('green', '+') : io.paint('yellow', '-')
  return [mark, kind, name, state === '' ? file : `${file}  (${state})`]
}

function formatContractFindings(contract: NonNullable<Findings['contract']>, io: Io): readonly string[] {
  const { file, breaks, isOutOfDate, isWritten } = contract
  if (isWritten) return [`${file} is written; commit it`]
  if (isOutOfDate) return [`${file} is out of date, though nothing breaks: --update writes it`]
  if (breaks.length === 0) return [`${file}: nothing breaks`]
  return [
    io.paint('red', `${file}: callers break:`),
    ...breaks.map(each => `- ${each}`),
    'If they may, run this with --update and commit the file.',
  ]
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
