// The supported revisions. A new one is a file and a row here.
import { revision20241007 } from './2024-10-07.ts'
import { revision20241105 } from './2024-11-05.ts'
import { revision20250326 } from './2025-03-26.ts'
import { revision20250618 } from './2025-06-18.ts'
import { revision20251125 } from './2025-11-25.ts'
import { revision20260728 } from './2026-07-28.ts'
import { chainRevisions } from './chain.ts'
import type { Revision } from './revision.ts'

export type { ClientFeature, ClientRequest, Era, ErrorBody, Revision } from './revision.ts'

/** Newest first. */
export const REVISIONS: readonly Revision[] = chainRevisions(revision20241007, [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
])

/** The list in `server/discover` and in -32022. Spec 2026-07-28: basic/versioning. */
export const VERSIONS: readonly string[] = REVISIONS.map(({ version }) => version)

/** Revisions in which each request carries its own metadata. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'modern').map(r => r.version)

const byVersion = new Map(REVISIONS.map(revision => [revision.version, revision]))

export const findRevision = (version: string): Revision | undefined => byVersion.get(version)

/** For messages without the header. Spec 2025-11-25: basic/transports, "Protocol Version Header". */
export const ASSUMED_REVISION = byVersion.get(revision20250326.version)!

/** The newest revision with `initialize`. */
export const NEWEST_LEGACY = REVISIONS.find(({ era }) => era === 'legacy')!

/** The last revision whose HTTP transport is HTTP+SSE. */
export const HTTP_SSE_REVISION = byVersion.get(revision20241105.version)!

/** The version of an `initialize` response: the requested one, or the newest with a handshake. */
export function negotiate(requested: string): Revision {
  const revision = byVersion.get(requested)
  return revision?.era === 'legacy' ? revision : NEWEST_LEGACY
}
