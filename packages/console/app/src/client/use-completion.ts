// Suggestions of the server for an argument. Spec: server/utilities/completion.
import { useEffect, useState } from 'preact/hooks'
import { useConsole } from '../shell/context.ts'
import { isObject, type JsonObject } from './json-rpc.ts'
import { useStore } from './use-store.ts'

/** Waits until the user stops typing. */
const DEBOUNCE_MS = 150

export function useCompletion(
  ref: JsonObject,
  name: string,
  value: string,
  others: Readonly<Record<string, string>>,
): readonly string[] {
  const { connection } = useConsole()
  const { capabilities } = useStore(connection.state)
  const [values, setValues] = useState<readonly string[]>([])
  const question = JSON.stringify({ ref, argument: { name, value }, context: { arguments: others } })
  const isOffered = capabilities?.completions !== undefined
  useEffect(() => {
    if (!isOffered) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      connection
        .request({ method: 'completion/complete', params: JSON.parse(question) }, { signal: controller.signal })
        .then(({ completion }) => {
          const found = isObject(completion) ? completion['values'] : undefined
          if (Array.isArray(found) && !controller.signal.aborted) setValues(found.map(String))
        })
        // Suggestions are optional: without them, the user types the value.
        .catch(() => setValues([]))
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort('The value changed')
    }
  }, [connection, isOffered, question])
  return values
}
