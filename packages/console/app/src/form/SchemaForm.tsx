// A form with its own buttons, made from a JSON Schema. It is sent only if the value is valid.
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { Fields, focusField, hasHalf } from './Fields.tsx'
import { useChecks } from './use-checks.ts'

interface Props {
  readonly schema: unknown
  readonly value: unknown
  /** Keeps the ids of two forms apart. */
  readonly idPrefix: string
  /** Puts the fields and the buttons in their places. */
  children(fields: ComponentChildren): ComponentChildren
  onChange(value: JsonObject): void
  onSubmit(value: JsonObject): void
}

/** Enter is a new line in most fields. */
function submitByKey(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

export function SchemaForm({ schema, value, idPrefix, children, onChange, onSubmit }: Props) {
  const checks = useChecks(schema, value, true)
  const submit = (event: Event) => {
    event.preventDefault()
    if (hasHalf(idPrefix)) return
    const data = isObject(value) ? value : {}
    const [first] = checks.check(data).values()
    if (first === undefined) onSubmit(data)
    else focusField(idPrefix, first.path)
  }
  return (
    <form class="schema-form" noValidate onSubmit={submit} onKeyDown={submitByKey}>
      {children(<Fields checks={checks} value={value} idPrefix={idPrefix} onChange={onChange} />)}
    </form>
  )
}
