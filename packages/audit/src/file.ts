// The audit file: append-only, and written in the background so that a slow disk delays no call. If
// the disk is full, lines wait, up to a bound; lost lines are counted.
import { type BigIntStats, closeSync, fstatSync, write, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Log } from 'toolrack/protocol'
import { openAuditFile } from './open-file.ts'

/** Waiting characters. Above that, lines are lost. */
export const MAX_WAITING = 16 * 1024 * 1024
/** Characters per write, large enough to catch up after a delay. */
const MAX_WRITE = 256 * 1024
/** Interval for retries of a write, and for checks whether the file was moved or removed, ms. */
const CHECK_MS = 1000
/** Interval for retries on a full pipe, ms; and of any write while the server ends. */
const BUSY_MS = 100
const MAX_BUSY_TRIES = 20
/** How long `problem` reports a loss, ms. */
const TOLD_MS = 300_000

export interface AuditFileOptions {
  readonly path: string
  readonly log: Log
  onLost(lines: number): void
  /** Called when lines are written again. */
  onRestored(lost: number): void
}

interface Batch {
  readonly bytes: Buffer
  readonly lines: number
  readonly length: number
  /** Bytes that are written already. */
  offset: number
}

export class AuditFile {
  readonly #options: AuditFileOptions
  readonly #checking: NodeJS.Timeout
  #fd: number
  #waiting: string[] = []
  /** Includes the lines of the batch. */
  #waitingLength = 0
  #batch: Batch | undefined
  #isWriting = false
  /** Size of the file, if nobody else writes to it. */
  #bytes = 0
  #isToBeOpened = false
  #fault: string | undefined
  /** Lines written since the file was last seen at its path. */
  #unseen = 0
  #lost = { lines: 0, untold: 0, untilMs: 0, reason: '' }
  #onClosed: (() => void) | undefined
  #busyTries = 0

  /** @throws ConfigError if the file cannot be opened */
  constructor(options: AuditFileOptions) {
    this.#options = options
    this.#fd = openAuditFile(options.path)
    this.#bytes = fstatSync(this.#fd).size
    this.#checking = setInterval(() => void this.#check(), CHECK_MS).unref()
    process.on('exit', this.#writeAtExit)
  }

  /** Why lines wait, or why some were lost in the last minutes. */
  get problem(): string | undefined {
    if (this.#fault !== undefined) return `audit: it cannot be written (${this.#fault}); its lines wait`
    const { lines, untilMs, reason } = this.#lost
    return performance.now() < untilMs ? `audit: lines are lost: ${lines} (${reason})` : undefined
  }

  /** Whether a call that begins now can rely on its line. */
  get takesMore(): boolean {
    return this.#fault === undefined && !this.isCrowded
  }

  /** Whether the rest of the room is only for lines of calls that have run. */
  get isCrowded(): boolean {
    return this.#waitingLength >= MAX_WAITING / 2
  }

  /** @returns false if the line is lost */
  write(line: string): boolean {
    if (this.#waitingLength + line.length > MAX_WAITING) {
      this.dropLine()
      return false
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    if (this.#waiting.length === 1) setImmediate(this.#writeTurn)
    return true
  }

  dropLine(): void {
    this.#lose(1, this.#fault ?? 'the file is slower than the calls')
  }

  /** Continues in the file that is now at the path. */
  reopen(): void {
    this.#isToBeOpened = true
    if (!this.#isWriting) this.#writeNext()
  }

  /** Resolves when all lines are written, or cannot be. */
  close(): Promise<void> {
    clearInterval(this.#checking)
    return new Promise(resolve => {
      this.#onClosed = resolve
      if (!this.#isWriting) this.#writeNext()
    })
  }

  /** Writes all lines of an event loop turn at once: each write costs more than a line. */
  readonly #writeTurn = (): void => {
    if (!this.#isWriting && this.#fault === undefined && this.#onClosed === undefined) this.#writeNext()
  }

  #writeNext(): void {
    if (this.#isToBeOpened && !this.#open()) return
    this.#batch ??= this.#takeBatch()
    if (this.#batch === undefined) this.#rest()
    else this.#writeBatch(this.#batch)
  }

  #writeBatch(batch: Batch): void {
    this.#isWriting = true
    const { bytes, offset } = batch
    write(this.#fd, bytes, offset, bytes.length - offset, null, (error, written) => {
      this.#isWriting = false
      if (error === null) {
        this.#advance(batch, written)
        this.#writeNext()
      } else this.#fail(error)
    })
  }

  #takeBatch(): Batch | undefined {
    let [lines, length] = [0, 0]
    while (lines < this.#waiting.length && (lines === 0 || length < MAX_WRITE)) length += this.#waiting[lines++]!.length
    if (lines === 0) return undefined
    const text = this.#waiting.splice(0, lines).join('')
    return { bytes: Buffer.from(text), lines, length, offset: 0 }
  }

  #advance(batch: Batch, written: number): void {
    this.#busyTries = 0
    batch.offset += written
    this.#bytes += written
    if (batch.offset < batch.bytes.length) return
    this.#batch = undefined
    this.#waitingLength -= batch.length
    this.#unseen += batch.lines
  }

  /** Called when everything is written. */
  #rest(): void {
    if (this.#fault !== undefined) this.#options.log.info({ lost: this.#lost.untold }, 'audit is written again')
    this.#fault = undefined
    const { untold } = this.#lost
    this.#lost.untold = 0
    if (untold > 0 && this.#onClosed === undefined) this.#options.onRestored(untold)
    this.#end()
  }

  #fail({ code = 'unknown' }: NodeJS.ErrnoException): void {
    // The pipe is full.
    if (code === 'EAGAIN' && (this.#onClosed === undefined || this.#busyTries++ < MAX_BUSY_TRIES)) {
      this.#isWriting = true
      setTimeout(() => this.#writeNext(), BUSY_MS)
      return
    }
    // Logged once, until writing works again: the log may be on the same disk.
    if (this.#fault === undefined) this.#options.log.error({ reason: code }, 'audit cannot be written; its lines wait')
    this.#fault = code
    if (this.#onClosed === undefined) return
    const left = (this.#batch?.lines ?? 0) + this.#waiting.length
    if (left > 0) this.#lose(left, code)
    this.#end()
  }

  #lose(lines: number, reason: string): void {
    const { log, onLost } = this.#options
    if (this.#lost.untold === 0) log.error({ reason }, 'audit lines are lost')
    const { lines: before, untold } = this.#lost
    const untilMs = performance.now() + TOLD_MS
    this.#lost = { lines: before + lines, untold: untold + lines, untilMs, reason }
    onLost(lines)
  }

  /** Tries again, or checks whether the file is still at its path. */
  async #check(): Promise<void> {
    if (this.#isWriting || (this.#fault === undefined && this.#waiting.length > 0)) return
    const [fd, unseen] = [this.#fd, this.#unseen]
    const found = await stat(this.#options.path, { bigint: true }).catch(() => undefined)
    if (fd !== this.#fd || this.#onClosed !== undefined) return
    const opened = findStats(fd)
    if (opened !== undefined && (!opened.isFile() || isSameFile(opened, found))) {
      this.#unseen -= unseen
      if (this.#fault !== undefined && !this.#isWriting) this.#writeNext()
      return
    }
    if (opened?.nlink === 0n && this.#unseen > 0) this.#lose(this.#unseen, 'the file was removed')
    this.#unseen = 0
    this.reopen()
  }

  #open(): boolean {
    let fd: number
    try {
      fd = openAuditFile(this.#options.path)
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException)
      return false
    }
    closeSync(this.#fd)
    this.#fd = fd
    this.#bytes = fstatSync(fd).size
    this.#isToBeOpened = false
    this.#unseen = 0
    if (this.#batch !== undefined) rewindToLine(this.#batch)
    this.#options.log.info({ file: this.#options.path }, 'audit file opened again')
    return true
  }

  #end(): void {
    if (this.#onClosed === undefined) return
    process.off('exit', this.#writeAtExit)
    closeSync(this.#fd)
    this.#onClosed()
  }

  // For a process that ends without closing the server. A thread still writes the batch.
  readonly #writeAtExit = (): void => {
    if (this.#fault !== undefined) return
    try {
      if (this.#isWriting) waitForSize(this.#fd, this.#bytes + this.#batch!.bytes.length - this.#batch!.offset)
      writeSync(this.#fd, this.#waiting.join(''))
    } catch {}
  }
}

/** How long the end of a process waits for a running write, ms. */
const EXIT_WAIT_MS = 500

/** Blocks, because later lines must not overtake a batch. */
function waitForSize(fd: number, bytes: number): void {
  const untilMs = performance.now() + EXIT_WAIT_MS
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (let stats = fstatSync(fd); stats.isFile() && stats.size < bytes; stats = fstatSync(fd)) {
    if (performance.now() > untilMs) return
    Atomics.wait(cell, 0, 0, 1)
  }
}

/** The old file may end within a line. The new file begins with that whole line. */
function rewindToLine(batch: Batch): void {
  if (batch.offset > 0) batch.offset = batch.bytes.lastIndexOf('\n', batch.offset - 1) + 1
}

/** @returns undefined if the file was on a network and is lost */
function findStats(fd: number): BigIntStats | undefined {
  try {
    return fstatSync(fd, { bigint: true })
  } catch {
    return undefined
  }
}

const isSameFile = (one: BigIntStats, other: BigIntStats | undefined) => one.ino === other?.ino && one.dev === other.dev
