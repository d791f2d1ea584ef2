// The start-up report, as doors add to it. packages/start-up makes it.

/** What is on, by name, as the log has it at the start. */
export type StartUpReport = Readonly<Record<string, string>>

/** A row of the start-up report. */
export interface StartUpRow {
  readonly name: string
  /** The value if it is on; undefined if it is off. */
  readonly on?: string
  /** How to turn it on, or to get more of it. */
  readonly hint?: string
  /** How a terminal shows it; without one it does not. */
  readonly shown?: Shown
}

/** A line of a terminal: values of one noun are joined. */
export interface Shown {
  /** One of `NOUNS`, such as `On`, or the name of a door. */
  readonly noun: string
  readonly text: string
  /** Follows the text, as far as the line has room. */
  readonly items?: readonly string[]
}
