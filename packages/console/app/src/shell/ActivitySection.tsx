// The activity of this server, as far as the user may see it.
import { useCallback } from 'preact/hooks'
import type { Activity } from '../../../src/activity/activity.ts'
import { ActivityView } from '../activity/ActivityView.tsx'
import { type ActivityQuery, toSearch } from '../activity/activity-query.ts'
import { describeProblem } from '../client/problem.ts'
import { useConsole } from './context.ts'
import { Work } from './Work.tsx'

async function describeRefusal(response: Response): Promise<string> {
  const { status } = response
  const { title, detail } = describeProblem({ data: { status, text: await response.text() } })
  return `${title}. ${detail}`
}

/** @param name the tool by which the view is filtered */
export function ActivitySection({ name }: { name?: string | undefined }) {
  const { signIn } = useConsole()
  const fetchActivity = useCallback(
    async (query: ActivityQuery, after: number): Promise<Activity> => {
      const response = await signIn.fetch(new URL(`api/activity?${toSearch(query, after)}`, document.baseURI))
      if (!response.ok) throw new Error(await describeRefusal(response))
      return (await response.json()) as Activity
    },
    [signIn],
  )
  return (
    <Work label="Activity" title="Activity" pane="list">
      <ActivityView fetchActivity={fetchActivity} tool={name} />
    </Work>
  )
}
