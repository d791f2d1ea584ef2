// The recent calls of this server.
import { useCallback } from 'preact/hooks'
import { ActivityView } from '../activity/ActivityView.tsx'
import type { Activity } from '../activity/history.ts'
import { describeProblem } from '../client/problem.ts'
import { useConsole } from './context.ts'
import { Heading } from './Heading.tsx'

async function describeRefusal(response: Response): Promise<string> {
  const { status } = response
  const { title, detail } = describeProblem({ data: { status, text: await response.text() } })
  return `${title}. ${detail}`
}

export function ActivitySection() {
  const { signIn } = useConsole()
  const fetchActivity = useCallback(
    async (after: number): Promise<Activity> => {
      const response = await signIn.fetch(new URL(`api/activity?after=${after}`, document.baseURI))
      if (!response.ok) throw new Error(await describeRefusal(response))
      return (await response.json()) as Activity
    },
    [signIn],
  )
  return (
    <>
      <Heading>Activity</Heading>
      <ActivityView fetchActivity={fetchActivity} />
    </>
  )
}
