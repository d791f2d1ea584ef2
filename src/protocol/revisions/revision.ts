// What one revision of the protocol is, as data. Spec: basic/versioning.

export type Era = 'modern' | 'legacy'

export interface Revision {
  readonly version: string
  readonly era: Era
  /** The requests that a client of this revision may send. */
  readonly methods: ReadonlySet<string>
  /** Which member of `params` the `Mcp-Name` header mirrors, by method. */
  readonly names: ReadonlyMap<string, string>
}
