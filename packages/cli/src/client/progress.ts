// One line of progress on stderr, if that is a terminal. Other lines go above it.
import fitWidth from 'fast-string-truncated-width'
import { toVisibleLine } from 'toolrack/text'
import type { Io } from '../io.ts'

export interface Progress {
  /** Absent if only the message is known. */
  readonly progress?: number | undefined
  readonly total?: number | undefined
  readonly message?: string | undefined
}

const CELLS = 20
const CLEAR = '\r\u001b[2K'

export class ProgressLine {
  readonly #io: Io
  #shown = ''

  constructor(io: Io) {
    this.#io = io
  }

  update({ progress, total, message = '' }: Progress): void {
    if (!this.#io.stderr.isTTY) return
    const width = (this.#io.stderr.columns || 80) - 1
    const line = `${formatReached(progress, total)} ${toVisibleLine(message)}`.trim()
    // Counts columns: a Chinese character takes two. A line that wraps could not be cleared.
    this.#show(line.slice(0, fitWidth(line, { limit: width }).index))
  }

  /** Prints a separate line above the progress. */
  note(text: string): void {
    const shown = this.#shown
    this.clear()
    this.#io.note(text)
    if (shown !== '') this.#show(shown)
  }

  clear(): void {
    if (this.#shown !== '') this.#io.stderr.write(CLEAR)
    this.#shown = ''
  }

  #show(line: string): void {
    if (line === this.#shown) return
    this.#io.stderr.write(`${CLEAR}${line}`)
    this.#shown = line
  }
}

function formatReached(progress: number | undefined, total = 0): string {
  if (progress === undefined) return ''
  return total > 0 ? formatBar(progress / total) : `${progress}`
}

function formatBar(share: number): string {
  const part = Math.min(Math.max(share, 0), 1)
  const full = Math.round(part * CELLS)
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${Math.round(part * 100)}%`
}
