// A request that a view sends, and what came of it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useConsole } from '../shell/context.ts'
import type { Request } from './connection.ts'
import type { JsonObject } from './json-rpc.ts'
import { describeProblem, type Problem } from './problem.ts'

export interface RequestState {
  readonly status: 'idle' | 'running' | 'done' | 'failed'
  readonly result?: JsonObject
  readonly problem?: Problem
}

/** A later request takes the place of one under way; leaving the view ends it. */
export function useRequest(): readonly [RequestState, (request: Request) => Promise<void>] {
  const { connection } = useConsole()
  const [state, setState] = useState<RequestState>({ status: 'idle' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort('The user left the view'), [])
  const send = useCallback(
    async (request: Request) => {
      running.current?.abort('A later request')
      const controller = new AbortController()
      running.current = controller
      setState({ status: 'running' })
      try {
        const result = await connection.request(request, { signal: controller.signal })
        if (!controller.signal.aborted) setState({ status: 'done', result })
      } catch (error) {
        if (!controller.signal.aborted) setState({ status: 'failed', problem: describeProblem(error) })
      }
    },
    [connection],
  )
  return [state, send]
}
