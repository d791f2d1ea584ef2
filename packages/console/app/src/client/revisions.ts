// The revisions that can be chosen: those that the server lists and the client supports.
import { type ClientOptions, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client'

/** The first revision without a handshake. */
export const FIRST_MODERN = '2026-07-28'

export const isModern = (revision: string) => revision >= FIRST_MODERN

/** `auto`, or a revision. */
export type RevisionChoice = string

/** Newest first. @param listed by the server */
export function findChoices(listed: readonly string[]): readonly RevisionChoice[] {
  const known = [FIRST_MODERN, ...SUPPORTED_PROTOCOL_VERSIONS]
  return ['auto', ...listed.filter(revision => known.includes(revision)).toSorted((a, b) => (a < b ? 1 : -1))]
}

export function toClientOptions(choice: RevisionChoice): ClientOptions {
  if (choice === 'auto') return { versionNegotiation: { mode: 'auto' } }
  if (isModern(choice)) return { versionNegotiation: { mode: { pin: choice } } }
  return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [choice] }
}
