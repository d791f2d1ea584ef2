// A request that a view sends, and its result.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useConsole } from '../shell/context.ts'
import type { Request } from './connection.ts'
import type { JsonObject } from './json-rpc.ts'
import type { LoggedMessage } from './message-log.ts'
import { describeProblem, type Problem } from './problem.ts'
import { useStore } from './use-store.ts'

export interface RequestState {
  readonly status: 'idle' | 'running' | 'done' | 'failed'
  readonly result?: JsonObject
  readonly problem?: Problem
  /** Marks its raw messages. */
  readonly id?: number
  readonly tookMs?: number
}

/**
 * A later request replaces a running one. Leaving the view ends it. The result of the previous one
 * stays meanwhile.
 */
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
      const id = connection.createRequestId()
      const begin = performance.now()
      setState(({ result }) => ({ status: 'running', id, ...(result && { result }) }))
      const end = (next: RequestState) => {
        if (!controller.signal.aborted) setState({ ...next, id, tookMs: performance.now() - begin })
      }
      try {
        const result = await connection.request(request, { signal: controller.signal, callId: id })
        end({ status: 'done', result })
      } catch (error) {
        end({ status: 'failed', problem: describeProblem(error) })
      }
    },
    [connection],
  )
  return [state, send]
}

/** The raw messages of a request, while the page has them. */
export function useMessages({ id }: RequestState): readonly LoggedMessage[] {
  const { connection } = useConsole()
  const messages = useStore(connection.log.messages)
  return id === undefined ? [] : messages.filter(({ callId }) => callId === id)
}
