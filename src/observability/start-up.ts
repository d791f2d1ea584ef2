// The start-up report, as doors add to it. packages/start-up builds it.

/** The active features, by name, as the log shows them at the start. */
export type StartUpReport = Readonly<Record<string, string>>

/** A row of the start-up report. */
export interface StartUpRow {
  readonly name: string
  /** The value if it is on; undefined if it is off. */
  readonly on?: string
  /** How to turn it on, or how to get more of it. */
  readonly hint?: string
  /** How a terminal shows it; without this, a terminal does not show it. */
  readonly shown?: Shown
}

/** A part of a line on a terminal. Values with the same noun are joined. */
export interface Shown {
  /** One of `NOUNS`, such as `On`, or the name of a door. */
  readonly noun: string
  readonly text: string
  /** Further texts, as far as the line has room. */
  readonly items?: readonly string[]
}
