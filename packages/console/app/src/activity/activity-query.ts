// The query of the activity route.

/** The range of the figures. */
export interface ActivityQuery {
  readonly minutes: 5 | 15
  readonly isToolsOnly: boolean
  readonly tool: string | undefined
}

/** @param after the last known call */
export function toSearch({ minutes, isToolsOnly, tool }: ActivityQuery, after: number): string {
  const search = new URLSearchParams({ after: String(after), minutes: String(minutes) })
  if (!isToolsOnly) search.set('methods', 'all')
  if (tool !== undefined) search.set('tool', tool)
  return `${search}`
}
