// Polls the server's activity while the page is visible.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Activity } from '../../../src/activity/activity.ts'
import type { ActivityQuery } from './activity-query.ts'
import { addActivity, type History, lastSeq } from './history.ts'

export type FetchActivity = (query: ActivityQuery, after: number) => Promise<Activity>

const INTERVAL_MS = 2_000
/** Interval while the server does not answer. */
const RETRY_MS = 10_000

export interface Live {
  /** Undefined until the first answer. Does not change while paused. */
  readonly history: History | undefined
  readonly problem: string | undefined
  /** Number of calls since the pause began. */
  readonly missed: number
}

/** A pause stops the view. News that arrive meanwhile are counted. */
export function useActivity(fetchActivity: FetchActivity, query: ActivityQuery, isPaused: boolean): Live {
  const [heard, hear] = useState<{ history?: History; problem?: string }>({})
  const kept = useRef<History>(undefined)
  const { minutes, isToolsOnly, tool } = query
  useEffect(
    () =>
      follow({
        ask: () => fetchActivity({ minutes, isToolsOnly, tool }, lastSeq(kept.current)),
        show(activity) {
          kept.current = addActivity(kept.current, activity)
          hear({ history: kept.current })
        },
        fail: problem => hear(before => ({ ...before, problem })),
      }),
    [fetchActivity, minutes, isToolsOnly, tool],
  )
  const frozen = useRef<History>(undefined)
  if (!isPaused) frozen.current = heard.history
  const history = frozen.current ?? heard.history
  return { history, problem: heard.problem, missed: (heard.history?.heard ?? 0) - (history?.heard ?? 0) }
}

interface Following {
  ask(): Promise<Activity>
  show(activity: Activity): void
  fail(problem: string): void
}

/** @returns ends it */
function follow({ ask, show, fail }: Following): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  let isAsking = false

  const poll = async () => {
    clearTimeout(timer)
    if (isAsking || document.hidden) return
    isAsking = true
    const waitMs = await ask().then(
      activity => {
        if (!isOver) show(activity)
        return INTERVAL_MS
      },
      (error: unknown) => {
        if (!isOver) fail(error instanceof Error ? error.message : String(error))
        return RETRY_MS
      },
    )
    isAsking = false
    if (!isOver) timer = setTimeout(poll, waitMs)
  }

  document.addEventListener('visibilitychange', poll)
  void poll()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', poll)
  }
}
