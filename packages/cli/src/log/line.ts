// A line of the log, while it is converted from JSON to text for people.
import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
export type Paint = (style: Style, text: string) => string

/** A line of the log, parsed. */
export interface LogLine {
  readonly level: number
  readonly time: number
  readonly msg?: string
  readonly [field: string]: unknown
}

/** One line for people. */
export interface Entry {
  readonly lines: readonly string[]
  /** Whether people seldom need it. Such lines are dimmed, and repeats are counted. */
  readonly isQuiet?: boolean
}

const LEVELS: readonly { readonly from: number; readonly name: string; readonly style: Style }[] = [
  { from: 60, name: 'fatal', style: 'red' },
  { from: 50, name: 'error', style: 'red' },
  { from: 40, name: 'warning', style: 'yellow' },
]

/** `error `, in its colour; empty for information. */
export function formatLevel({ level }: LogLine, paint: Paint): string {
  const known = LEVELS.find(({ from }) => level >= from)
  return known === undefined ? '' : `${paint(known.style, known.name)} `
}
