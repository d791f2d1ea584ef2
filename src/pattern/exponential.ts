// Whether an engine that tries one way after another, such as that of a client which reads the schema, may take time that
// doubles with each character. Two libraries: one is quick and suspects too much, the other is right and slow to load.
import { createRequire } from 'node:module'
import isSafePattern from 'safe-regex2'

const load = createRequire(import.meta.url)

/** Most quantifiers of a pattern that is looked into: the work grows faster than they do. */
const MAX_QUANTIFIERS = 40

export function isExponential(pattern: string): boolean {
  if (isSafePattern(pattern)) return false
  if ((pattern.match(/[*+?{]/g)?.length ?? 0) > MAX_QUANTIFIERS) return true
  const { analyse } = load('scslre') as typeof import('scslre')
  const { reports } = analyse(
    { source: pattern, flags: 'u' },
    { assumeRejectingSuffix: true, reportTypes: { Move: false } },
  )
  return reports.some(({ exponential }) => exponential)
}
