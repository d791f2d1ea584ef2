// The record of a session: plain JSON, so that any store can keep it.
import type { JsonObject } from 'toolrack'
import { findRevision, isObject } from 'toolrack/protocol'
import { parseListVersions, type Session } from 'toolrack/stores'

/** A session as plain JSON, for stores that keep it elsewhere. */
export const toSessionRecord = ({
  revision,
  owner,
  capabilities,
  logLevel,
  subscriptions,
  seen,
}: Session): JsonObject => ({
  version: revision.version,
  owner,
  capabilities,
  logLevel,
  subscriptions: subscriptions && [...subscriptions.keys()],
  seen,
})

/**
 * Reads a session that was kept.
 * @returns undefined if the record is missing, damaged, or of a revision that is not served
 */
export function parseSessionRecord(id: string, record: JsonObject | undefined): Session | undefined {
  const revision = findRevision(String(record?.['version']))
  if (record === undefined || revision === undefined) return undefined
  const { owner, capabilities, logLevel, subscriptions, seen } = record
  if (!isText(owner) || !isText(logLevel) || !isObject(capabilities) || !isObject(seen)) return undefined
  if (subscriptions !== undefined && !Array.isArray(subscriptions)) return undefined
  return {
    id,
    revision,
    owner,
    capabilities: capabilities as Session['capabilities'],
    logLevel: logLevel as Session['logLevel'],
    subscriptions: subscriptions && new Map(subscriptions.map(uri => [String(uri), false])),
    seen: parseListVersions(seen),
  }
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'
