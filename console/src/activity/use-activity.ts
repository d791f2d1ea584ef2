// Polls the server's activity while the page is visible.
import { useEffect, useState } from 'preact/hooks'
import { type Activity, addActivity, type History, lastSeq, NO_HISTORY } from './history.ts'

export type FetchActivity = (after: number) => Promise<Activity>

const INTERVAL_MS = 2_000
/** While the server does not answer. */
const RETRY_MS = 10_000

export interface Live {
  readonly history: History
  readonly problem: string | undefined
}

export function useActivity(fetchActivity: FetchActivity, isPaused: boolean): Live {
  const [live, setLive] = useState<Live>({ history: NO_HISTORY, problem: undefined })
  useEffect(() => {
    if (isPaused) return
    return follow(fetchActivity, change => setLive(change))
  }, [fetchActivity, isPaused])
  return live
}

/** @returns ends it */
function follow(fetchActivity: FetchActivity, update: (change: (live: Live) => Live) => void): () => void {
  let after = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  let isAsking = false

  const ask = async () => {
    clearTimeout(timer)
    if (isAsking || document.hidden) return
    isAsking = true
    const next = await fetchActivity(after).then(show, fail)
    isAsking = false
    if (!isOver) timer = setTimeout(ask, next)
  }
  const show = (activity: Activity) => {
    if (isOver) return INTERVAL_MS
    update(({ history }) => {
      const added = addActivity(history, activity)
      after = lastSeq(added)
      return { history: added, problem: undefined }
    })
    return INTERVAL_MS
  }
  const fail = (error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error)
    if (!isOver) update(({ history }) => ({ history, problem }))
    return RETRY_MS
  }

  document.addEventListener('visibilitychange', ask)
  void ask()
  return () => {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', ask)
  }
}
