// The chain of the audit. Each record contains its number and the hash of the record before, so that
// an altered, removed or moved record is detected. Each process has its own chain.
import { hash, randomBytes } from 'node:crypto'

export interface ChainLink {
  /** Identifies the chain of a process. */
  readonly chain: string
  /** Counts the records of a chain, from 1. */
  readonly seq: number
  /** SHA-256 of the line before, without its line feed; the first record has none. */
  readonly prev?: string | undefined
}

export class AuditChain {
  readonly #chain = randomBytes(8).toString('hex')
  #seq = 0
  #prev: string | undefined

  /** The link of the next record. */
  get next(): ChainLink {
    return { chain: this.#chain, seq: this.#seq + 1, prev: this.#prev }
  }

  get isEmpty(): boolean {
    return this.#seq === 0
  }

  /**
   * Adds a line. If a line is lost, it is not added, so the chain has no gap.
   *
   * @param line with its line feed
   */
  add(line: string): void {
    this.#seq++
    this.#prev = hashLine(line.slice(0, -1))
  }
}

export const hashLine = (line: string | Buffer): string => hash('sha256', line)
