// The revisions that are served, newest first.
import { revision20260728 } from './2026-07-28.ts'
import type { Revision } from './revision.ts'

export type { Era, Revision } from './revision.ts'

export const REVISIONS: readonly Revision[] = Object.freeze([revision20260728])

/** Revisions whose requests carry their own metadata; what `server/discover` lists. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'modern').map(r => r.version)

/** Released revisions that open with a handshake; known here to tell an old client from an invented version. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

const byVersion = new Map(REVISIONS.map(revision => [revision.version, revision]))

export const revisionOf = (version: string): Revision | undefined => byVersion.get(version)
