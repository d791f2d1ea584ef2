// The seam of hints, which say what to write instead of a mistake. Without them, a refusal names
// only the mistake.
import type { Log } from '../request/exchange.ts'
import type { Mistake } from './mistakes.ts'
import type { Tool } from './tool.ts'

export interface Hints {
  /**
   * Called once something is refused.
   *
   * @param fault the mistake in words
   * @returns the same, and what to write instead
   */
  explain(mistake: Mistake, fault: string): string
  /** Whether a file has definitions that are not its default export. @param fields those of a tool */
  hasNamedDefinitions(exported: object, fields: readonly string[]): boolean
  /** Logs one warning for each likely mistake. @param file that has the tool */
  warnOfMistakes(log: Log, tool: Tool, definition: unknown, file?: string): void
}

export const NO_HINTS: Hints = Object.freeze({
  explain: (_mistake: Mistake, fault: string) => fault,
  hasNamedDefinitions: () => false,
  warnOfMistakes() {},
})
