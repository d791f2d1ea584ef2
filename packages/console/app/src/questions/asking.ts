// Finds the call that asks a question.
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import type { Question } from './question-queue.ts'

/** The call that asks, if it belongs to this page. */
export function useAskingCall({ callId }: Question) {
  const { calls } = useConsole()
  const all = useStore(calls.calls)
  return callId === undefined ? undefined : all.find(({ id }) => id === callId)
}

export function useTool(question: Question) {
  const { connection } = useConsole()
  const { tools } = useStore(connection.lists)
  const call = useAskingCall(question)
  return tools?.find(({ name }) => name === call?.tool)
}
