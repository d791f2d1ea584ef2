// Checks the chains of an audit, line by line: which records were altered, are missing, or occur twice?
import { isObject } from 'toolrack/protocol'
import { hashLine } from './chain.ts'

/** Maximum number of chains; each start of a server makes one. */
const MAX_CHAINS = 100_000

/** Maximum number of faults that are kept; others are counted. */
const MAX_KEPT = 1000

/** The place of a line, such as `audit.log:12`. */
export type Place = string

interface LineFacts {
  readonly place: Place
  /** False if the file ends without a line feed. */
  readonly isWhole: boolean
}

/** First byte of a partial record: a brace, or after a power cut a byte that nobody wrote. */
const LIKE_RECORDS: readonly unknown[] = [0x7b, 0]

export interface ChainFault {
  readonly place: Place
  readonly text: string
}

export interface CheckedChain {
  readonly chain: string
  readonly firstSeq: number
  lastSeq: number
  /** SHA-256 of the last line: the next record must contain it. */
  head: string
  lastPlace: Place
  /** When the last record was made, Unix time, ms. */
  lastTime: number | undefined
  /** Whether the server has recorded its end. */
  hasEnded: boolean
  /** Lines that the server has reported as lost. */
  lost: number
}

interface ChainedRecord {
  readonly chain: string
  readonly seq: number
  readonly prev: string | undefined
  readonly time: number | undefined
  readonly event: unknown
  readonly lost: unknown
}

export interface ChainCheckOptions {
  /** Whether chains may begin before the first file, because older files are gone. */
  readonly isContinued: boolean
  /** Hashes of records that must exist. */
  readonly heads: readonly string[]
}

export class ChainCheck {
  readonly #options: ChainCheckOptions
  readonly #chains = new Map<string, CheckedChain>()
  readonly #missingHeads: Set<string>
  /** The first faults. */
  readonly faults: ChainFault[] = []
  faultCount = 0
  /** The first incomplete lines, as after a crash or a power cut. */
  readonly cutOff: Place[] = []
  records = 0
  /** Other lines, such as those of a log. */
  others = 0
  /** A partial line, until the next line explains it. */
  #half: Place | undefined

  constructor(options: ChainCheckOptions) {
    this.#options = options
    this.#missingHeads = new Set(options.heads)
  }

  get chains(): readonly CheckedChain[] {
    return [...this.#chains.values()]
  }

  get missingHeads(): readonly string[] {
    return [...this.#missingHeads]
  }

  /** @param line without its line feed; undefined if it is too long for a record */
  add(line: Buffer | undefined, { place, isWhole }: LineFacts): void {
    if (line?.length === 0) return
    const value = line && parse(line)
    const record = toRecord(value)
    if (line !== undefined && record !== undefined) this.#addRecord(record, hashLine(line), place)
    else this.#addOther(line?.[0], { place, isWhole, isJson: value !== undefined })
  }

  #addOther(firstByte: number | undefined, { place, isWhole, isJson }: LineFacts & { readonly isJson: boolean }): void {
    this.others++
    this.#half = undefined
    if (isJson || !LIKE_RECORDS.includes(firstByte)) return
    if (isWhole) this.#half = place
    else this.#noteCut(place)
  }

  /** The file has no more lines. */
  endFile(): void {
    if (this.#half !== undefined) this.#fault(this.#half, 'this line is altered: it cannot be read as a record')
    this.#half = undefined
  }

  #addRecord(record: ChainedRecord, hash: string, place: Place): void {
    const known = this.#chains.get(record.chain)
    const half = this.#half
    // A killed process has left it.
    if (half !== undefined && known === undefined && record.seq === 1) this.#noteCut(half)
    this.#half = undefined
    this.records++
    this.#missingHeads.delete(hash)
    if (known === undefined) this.#begin(record, hash, place)
    else if (this.#follows(known, record, place, half)) update(known, record, hash, place)
  }

  #begin({ chain, seq, prev, ...rest }: ChainedRecord, head: string, place: Place): void {
    if (this.#chains.size === MAX_CHAINS) throw new RangeError(`expected at most ${MAX_CHAINS} chains in one check`)
    if (seq === 1 && prev !== undefined)
      this.#fault(place, `record 1 of chain ${chain} names one before it: it is altered`)
    if (seq > 1 && !this.#options.isContinued)
      this.#fault(place, `chain ${chain} begins with record ${seq}: earlier ones are in an older file, or were removed`)
    const { time: lastTime, event, lost } = rest
    const counted = { lost: toCount(event, lost), hasEnded: event === ENDED }
    this.#chains.set(chain, { chain, firstSeq: seq, lastSeq: seq, head, lastPlace: place, lastTime, ...counted })
  }

  /** @returns whether the record follows the last one of its chain */
  #follows(known: CheckedChain, { chain, seq, prev }: ChainedRecord, place: Place, half: Place | undefined): boolean {
    const { lastSeq, lastPlace, head } = known
    if (seq <= lastSeq) {
      this.#fault(
        place,
        `record ${seq} of chain ${chain} is here again, or was moved: record ${lastSeq} is at ${lastPlace}`,
      )
      return false
    }
    if (seq > lastSeq + 1) {
      const isOne = seq === lastSeq + 2
      const gone = isOne ? `record ${lastSeq + 1}` : `records ${lastSeq + 1} to ${seq - 1}`
      const maybe = half === undefined ? '' : `; ${half} cannot be read, and may have been it`
      this.#fault(
        place,
        `${gone} of chain ${chain} ${isOne ? 'is' : 'are'} missing between ${lastPlace} and here${maybe}`,
      )
    } else if (prev !== head)
      this.#fault(
        lastPlace,
        `record ${lastSeq} of chain ${chain} is altered: record ${seq} at ${place} has the hash of another`,
      )
    return true
  }

  #noteCut(place: Place): void {
    if (this.cutOff.length < MAX_KEPT) this.cutOff.push(place)
    this.others--
  }

  #fault(place: Place, text: string): void {
    this.faultCount++
    if (this.faults.length < MAX_KEPT) this.faults.push({ place, text })
  }
}

const ENDED = 'chain-ended'

function update(known: CheckedChain, { seq, time, event, lost }: ChainedRecord, head: string, lastPlace: Place): void {
  Object.assign(known, { lastSeq: seq, lastTime: time, head, lastPlace, hasEnded: event === ENDED })
  known.lost += toCount(event, lost)
}

const toCount = (event: unknown, lost: unknown) => (event === 'lines-lost' && typeof lost === 'number' ? lost : 0)

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}

/** @returns undefined for any other line, such as one of the log */
function toRecord(value: unknown): ChainedRecord | undefined {
  if (!isObject(value) || value['msg'] !== 'audit') return undefined
  const { chain, seq, prev, time, event, lost } = value
  if (typeof chain !== 'string' || !/^[0-9a-f]{1,64}$/.test(chain)) return undefined
  if (!Number.isSafeInteger(seq) || (seq as number) < 1) return undefined
  return {
    chain,
    seq: seq as number,
    prev: typeof prev === 'string' ? prev : undefined,
    time: typeof time === 'number' ? time : undefined,
    event,
    lost,
  }
}
