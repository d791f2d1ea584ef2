// Reads the files of an audit, line by line, and reports on their chains.
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ChainCheck, type CheckedChain } from 'toolrack/audit'
import { toVisibleLine } from 'toolrack/text'
import { readLines } from './audit-lines.ts'
import { CommandError, UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { formatTable } from './table.ts'

export interface VerifyOptions {
  readonly continued?: true
  readonly head?: readonly string[]
  readonly json?: true
}

/** Maximum number of faults that are printed; others are counted. */
const MAX_FAULTS = 20
const MAX_CHAINS = 20

/** @throws UsageError, or CommandError if a file cannot be read */
export async function runVerify(files: readonly string[], options: VerifyOptions, io: Io): Promise<void> {
  const { continued, head: heads = [], json } = options
  const wrong = heads.find(each => !/^[0-9a-f]{64}$/.test(each))
  if (wrong !== undefined) throw new UsageError(`--head: expected 64 hexadecimal digits, not ${toVisibleLine(wrong)}`)
  const check = new ChainCheck({ isContinued: continued === true, heads })
  for (const file of files) await readFile(file, check)
  const { records, faultCount, missingHeads } = check
  if (json) io.printJson(toJson(check))
  else print(check, io)
  if (records === 0) throw new CommandError(`${files.map(toVisibleLine).join(', ')}: expected records of an audit`)
  if (faultCount + missingHeads.length > 0) throw new CommandError('The audit is not as it was written.')
}

async function readFile(file: string, check: ChainCheck): Promise<void> {
  const name = file === '-' ? 'stdin' : toVisibleLine(file)
  let number = 0
  try {
    for await (const lines of readLines(open(file)))
      for (const line of lines) check.add(line.bytes, { place: `${name}:${++number}`, isWhole: line.isWhole })
  } catch (error) {
    throw new CommandError(`${name}: ${(error as Error).message}`)
  }
  check.endFile()
}

function open(file: string): Readable {
  const stream = file === '-' ? process.stdin : createReadStream(file)
  return file.endsWith('.gz') ? pipeline(stream, createGunzip(), () => {}) : stream
}

const toJson = ({ records, others, chains, cutOff, faults, faultCount, missingHeads }: ChainCheck) => ({
  isIntact: faultCount + missingHeads.length === 0,
  records,
  others,
  chains,
  cutOff,
  faults,
  faultCount,
  missingHeads,
})

function print({ records, others, chains, cutOff, faults, faultCount, missingHeads }: ChainCheck, io: Io): void {
  if (chains.length > 0) io.print(formatTable([HEADING, ...chains.slice(-MAX_CHAINS).map(toRow)]))
  if (chains.length > MAX_CHAINS) io.print(`and ${chains.length - MAX_CHAINS} chains before them`)
  for (const place of cutOff) io.print(`${place}  ${io.paint('yellow', 'cut off')}, as by a crash or a power cut`)
  for (const { place, text } of faults.slice(0, MAX_FAULTS))
    io.print(`${io.paint('bold', place)}  ${io.paint('red', text)}`)
  if (faultCount > MAX_FAULTS) io.print(`and ${faultCount - MAX_FAULTS} more faults`)
  for (const head of missingHeads) io.print(io.paint('red', `no record has the hash ${head}`))
  const counts = [count(records, 'record'), count(chains.length, 'chain'), count(faultCount, 'fault')]
  io.print([...counts, ...(others > 0 ? [count(others, 'other line')] : [])].join(', '))
}

const HEADING = ['CHAIN', 'RECORDS', 'LAST', 'END', 'LOST', 'HEAD']

function toRow({ chain, firstSeq, lastSeq, lastTime, hasEnded, lost, head }: CheckedChain): string[] {
  const last = lastTime === undefined ? '–' : formatTime(lastTime)
  return [chain, `${firstSeq}–${lastSeq}`, last, hasEnded ? 'ended' : 'open', String(lost), head]
}

/** An altered time may be invalid. */
const formatTime = (timeMs: number) => (Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : '–')

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
