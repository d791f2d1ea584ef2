// Explains a definition with invalid fields: the first issues, and the fix for each.

import type { Issue } from '@toolrack/json-schema/issues'
import type { Mistake } from 'toolrack/definitions'
import { type Fix, findFix } from './fields.ts'

/** Maximum number of issues that are named at a time. */
const MAX_FAULTS = 3

interface Fault {
  readonly issue: Issue
  readonly fix: Fix | undefined
}

export function explainShape(mistake: Extract<Mistake, { readonly what: 'shape' }>): string {
  const faults: Fault[] = []
  for (const issue of mistake.issues) {
    const fix = findFix(issue, mistake)
    const isFixed = faults.some(
      each => each.fix !== undefined && (each.fix.text === fix?.text || each.issue.path === issue.path),
    )
    if (!isFixed) faults.push({ issue, fix })
  }
  // If the author wrote a field under another name, that field is not reported as missing.
  const isMeant = ({ path }: Issue) => faults.some(({ fix }) => fix?.meant === path)
  return faults
    .filter(({ issue }) => issue.keyword !== 'required' || !isMeant(issue))
    .slice(0, MAX_FAULTS)
    .map(({ issue: { path, expected }, fix }) => [`${path} ${expected}`, fix?.text].filter(Boolean).join('; '))
    .join('; ')
}
