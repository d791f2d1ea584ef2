// The query of the activity route.

/** What the figures are of. */
export interface ActivityQuery {
  readonly minutes: 5 | 15
  readonly isToolsOnly: boolean
  readonly tool: string | undefined
}

/** @param after the last call that is known */
export function toSearch({ minutes, isToolsOnly, tool }: ActivityQuery, after: number): string {
  const search = new URLSearchParams({ after: String(after), minutes: String(minutes) })
  if (!isToolsOnly) search.set('methods', 'all')
  if (tool !== undefined) search.set('tool', tool)
  return `${search}`
}
